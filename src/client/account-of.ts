import { join } from "node:path";
import type { Account } from "../account/account.js";
import { ACCOUNT_FOLDER, ACCOUNT_SPACE_BYTES } from "../account/defaults.js";
import { type OpenAccountOptions, openAccount } from "../account/open-account.js";
import { openMemoryAccount } from "../account/open-memory-account.js";
import { isPostgresAddress, type PostgresAddress } from "../account/store/postgres/postgres-address.js";
import { UsageError } from "../contract/errors.js";
import { formatBytes } from "../contract/quantity.js";
import { isWritable } from "../files/is-writable.js";
import { nearestFolder } from "../files/nearest-folder.js";
import { freeBytes } from "../files/writing-to.js";

/** Options that choose the account of a client. */
export interface AccountChoice extends OpenAccountOptions {
  /** The lake's own account, one in memory, or one on PostgreSQL. By default the lake's own if it is writable. */
  readonly account?: "lake" | "memory" | PostgresAddress;
  /** Never write to the lake; uses an account in memory. */
  readonly readOnly?: boolean;
}

/**
 * Opens the account of a client: the lake's own, one on PostgreSQL at an address, or one in memory if requested, if `readOnly` is set, or, with a notice,
 * if the lake is not writable or its disk is full: reading needs no space.
 * @throws UsageError `read_only_account` if `readOnly` and the lake's own account are both requested
 * @throws LakeError as `openAccount` and `openPostgresAccount`
 */
export async function accountOf(lake: string, options: AccountChoice): Promise<Account> {
  const { account, readOnly = false, onNotice } = options;
  if (account !== undefined && isPostgresAddress(account)) {
    const { openPostgresAccount } = await import("../account/open-postgres-account.js");
    return openPostgresAccount(account, options);
  }
  if (readOnly && account === "lake")
    throw new UsageError("read_only_account", "The lake's own account cannot be used read-only", {
      value: account,
      remedy: 'Use account: "memory" with readOnly, or omit one of the two.',
    });
  if (readOnly || account === "memory") return openMemoryAccount(options);
  if (account === "lake") return openAccount(lake, options);
  const why = await hindrance(lake);
  if (why === undefined) return openAccount(lake, options);
  onNotice?.(`${why}: calls use an account in memory, without the lake's own keys and balance`);
  return openMemoryAccount(options);
}

/** Why nothing can be charged to the lake's own account; undefined if it can. */
async function hindrance(lake: string): Promise<string | undefined> {
  if (!(await isWritable(join(lake, ACCOUNT_FOLDER)))) return `${lake} is not writable`;
  const free = freeBytes(await nearestFolder(lake));
  return free < ACCOUNT_SPACE_BYTES ? `The disk of ${lake} is full, ${formatBytes(free)} is free` : undefined;
}
