import { join } from "node:path";
import type { Account } from "../account/account.js";
import { ACCOUNT_FOLDER } from "../account/defaults.js";
import { type OpenAccountOptions, openAccount } from "../account/open-account.js";
import { openMemoryAccount } from "../account/open-memory-account.js";
import { UsageError } from "../contract/errors.js";
import { isWritable } from "../files/is-writable.js";

/** How the account of a client is chosen. */
export interface AccountChoice extends OpenAccountOptions {
  readonly account?: "lake" | "memory";
  readonly readOnly?: boolean;
}

/**
 * The account of a client: the lake's own, or one in memory where that is asked for, where nothing may be written, or, with a
 * notice, where nothing can be written.
 * @throws UsageError `read_only_account` for the lake's own account of a lake that is only to be read
 */
export async function accountOf(lake: string, options: AccountChoice): Promise<Account> {
  const { account, readOnly = false, onNotice } = options;
  if (readOnly && account === "lake")
    throw new UsageError("read_only_account", "The lake's own account cannot be used without writing to it", {
      value: account,
      remedy: 'use account: "memory" with readOnly, or leave one of the two out',
    });
  if (readOnly || account === "memory") return openMemoryAccount(options);
  if (account === "lake" || (await isWritable(join(lake, ACCOUNT_FOLDER)))) return openAccount(lake, options);
  onNotice?.(
    `${lake} cannot be written to: calls go to an account in memory, which does not know the lake's own keys and balance`,
  );
  return openMemoryAccount(options);
}
