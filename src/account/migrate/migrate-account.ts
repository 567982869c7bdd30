import { access, rename } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { LIMITS } from "../../contract/service/limits.js";
import { syncFolder } from "../../files/durable-files.js";
import { freshFolder } from "../fresh-folder.js";
import { NO_ENTRIES } from "../funds.js";
import type { LedgerEntry } from "../ledger-entry.js";
import type { AccountTransaction, Totals } from "../store/account-store.js";
import { readOldKeys } from "./old-keys.js";
import { oldSegments, readOldEntries } from "./old-ledger.js";

/** Folder, in the account's, that the files of release 0.1.0 are moved to once the database has all that they say. */
export const OLD_FILES_FOLDER = "before-sqlite";

const KEY_FILE = "keys.json";
/** Folder of the lock of release 0.1.0. */
const OLD_LOCK = "lock";

/** Entries that are taken over in one turn of the event loop. */
const ENTRIES_A_TURN = 500;

/** Whether a folder holds an account of release 0.1.0. */
export async function hasOldAccount(dir: string): Promise<boolean> {
  return (await oldSegments(dir)).length > 0 || (await exists(join(dir, KEY_FILE)));
}

/**
 * Takes over the account of release 0.1.0 in a folder: every entry and key, quota, and the calls of the last minute. All of
 * it in the transaction that makes the database, so a crash leaves the old account as it was.
 * @param now Service clock, milliseconds since the Unix epoch.
 * @throws LakeError `ledger_corrupt`, `keys_corrupt`
 */
export async function takeOverOldAccount(
  dir: string,
  transaction: AccountTransaction,
  now: number,
): Promise<void> {
  const segments = await oldSegments(dir);
  const keys = await readOldKeys(join(dir, KEY_FILE));
  const freeCalls = new Map<string, number>();
  let totals: Totals = NO_ENTRIES;
  for await (const entries of readOldEntries(dir, segments)) {
    for (const [index, { rated, ...entry }] of entries.entries()) {
      if (index % ENTRIES_A_TURN === ENTRIES_A_TURN - 1) await nextTurn();
      await transaction.append(entry satisfies LedgerEntry);
      if (entry.month !== undefined) freeCalls.set(entry.month, (freeCalls.get(entry.month) ?? 0) + 1);
      if (rated && entry.at > now - LIMITS.rateWindowMs.value) await transaction.addRatedCall(entry.at);
      const toppedUp = totals.toppedUp || entry.kind === "top_up";
      totals = { ...totals, seq: entry.seq, balance: BigInt(entry.balance), toppedUp };
    }
  }
  for (const [month, used] of freeCalls) await transaction.saveQuota(month, { used, held: 0 });
  for (const key of keys) await transaction.saveKey(key);
  // An account that had keys only begins with its opening entry, as a new one does.
  if (totals.seq > 0) await transaction.saveTotals(totals);
}

/** Moves the files of an account that was taken over out of the way; says where they are, if there were any. */
export async function putOldFilesAside(dir: string): Promise<string | undefined> {
  const names = await oldSegments(dir);
  for (const name of [KEY_FILE, OLD_LOCK]) if (await exists(join(dir, name))) names.push(name);
  if (names.length === 0) return undefined;
  const aside = await freshFolder(dir, OLD_FILES_FOLDER);
  for (const name of names) {
    // Another process may be putting the same files aside.
    await rename(join(dir, name), join(aside, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
  await syncFolder(dir);
  return aside;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
