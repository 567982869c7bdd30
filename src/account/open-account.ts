import { access, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { systemClock } from "../clock.js";
import type { Account } from "./account.js";
import type { AccountOptions } from "./account-options.js";
import { ACCOUNT_FILE, ACCOUNT_FOLDER } from "./defaults.js";
import { LocalAccount } from "./local-account.js";
import { hasOldAccount, migrateOldAccount, moveOldFiles } from "./migrate/migrate-account.js";
import { accountError } from "./store/sqlite-error.js";
import { type Durability, SqliteStore } from "./store/sqlite-store.js";

/** Options of {@link openAccount}. */
export interface OpenAccountOptions extends AccountOptions {
  /** Default `relaxed`: a killed process loses nothing, a power cut at most the last second. */
  readonly durability?: Durability;
  /** Called with a message when an account of an earlier release was migrated. */
  readonly onNotice?: (message: string) => void;
}

/**
 * Opens the account of a lake, in `<lake>/account`. A new account writes nothing before its first transaction, unless `openingBalance` is
 * given, which it then keeps. An account of release 0.1.0 is migrated once.
 * @throws LakeError `ledger_corrupt`, `keys_corrupt`, `ledger_newer_format`, `account_not_writable`, `account_busy`
 */
export async function openAccount(lake: string, options: OpenAccountOptions = {}): Promise<Account> {
  const dir = resolve(lake, ACCOUNT_FOLDER);
  const { durability = "relaxed" } = options;
  const isOld = await hasOldAccount(dir).catch((error: unknown) => {
    throw accountError(dir, error);
  });
  let isTaken = false;
  const store = new SqliteStore(join(dir, ACCOUNT_FILE), {
    durability,
    fill: isOld
      ? async (transaction) => {
          await migrateOldAccount(dir, transaction, (options.clock ?? systemClock).now());
          isTaken = true;
        }
      : undefined,
  });
  const account = new LocalAccount(store, options, await placeOf(dir));
  const isNew = !isOld && !(await exists(join(dir, ACCOUNT_FILE)));
  try {
    if (!isNew) await account.state();
    if (options.openingBalance !== undefined) await account.open();
    const aside = isOld ? await moveOldFiles(dir) : undefined;
    if (aside !== undefined)
      options.onNotice?.(
        isTaken
          ? `The account was migrated to ${ACCOUNT_FILE}; its old files are in ${aside}.`
          : `Files of an account of release 0.1.0 were beside ${ACCOUNT_FILE}, which alone counts; they are in ${aside}. What that release charged, or keys that it made, after ${ACCOUNT_FILE} was there are in them only.`,
      );
  } catch (error) {
    await account.close();
    throw error;
  }
  return account;
}

/** The file of the account in a folder, which may be reached by several paths, and need not be there yet. */
async function placeOf(dir: string): Promise<string> {
  const lake = dirname(dir);
  const real = await realpath(lake).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "EACCES") return resolve(lake);
    throw error;
  });
  return join(real, ACCOUNT_FOLDER, ACCOUNT_FILE);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
