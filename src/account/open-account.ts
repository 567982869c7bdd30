import { access } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../clock.js";
import type { Account } from "./account.js";
import { ACCOUNT_FILE, ACCOUNT_FOLDER } from "./defaults.js";
import { type AccountOptions, LocalAccount } from "./local-account.js";
import { hasOldAccount, putOldFilesAside, takeOverOldAccount } from "./migrate/migrate-account.js";
import { type Durability, SqliteStore } from "./store/sqlite-store.js";

/** How a lake's account is opened. */
export interface OpenAccountOptions extends AccountOptions {
  /** Default `relaxed`: safe from a killed process, and from a power cut but for the last second. */
  readonly durability?: Durability;
  /** Called with a sentence that says what was done to an account of an earlier release. */
  readonly onNotice?: (message: string) => void;
}

/**
 * Opens the account of a lake, in `<lake>/account`. Nothing is written for a lake without one before the first call. An
 * account of release 0.1.0 is taken over, once.
 * @throws LakeError `ledger_corrupt`, `keys_corrupt`, `ledger_newer_format`, `account_not_writable`, `account_busy`
 */
export async function openAccount(lake: string, options: OpenAccountOptions = {}): Promise<Account> {
  const dir = join(lake, ACCOUNT_FOLDER);
  const { durability = "relaxed" } = options;
  const isOld = await hasOldAccount(dir);
  const store = new SqliteStore(join(dir, ACCOUNT_FILE), {
    durability,
    fill: isOld
      ? (transaction) => takeOverOldAccount(dir, transaction, (options.clock ?? systemClock).now())
      : undefined,
  });
  const account = new LocalAccount(store, options);
  if (!isOld && !(await exists(join(dir, ACCOUNT_FILE)))) return account;
  try {
    await account.state();
    const aside = isOld ? await putOldFilesAside(dir) : undefined;
    if (aside !== undefined)
      options.onNotice?.(`The account is kept in ${ACCOUNT_FILE} now; its files of before are in ${aside}.`);
  } catch (error) {
    await account.close();
    throw error;
  }
  return account;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
