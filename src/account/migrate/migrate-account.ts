import { access, rename } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS } from "../../contract/service/limits.js";
import { syncFolder } from "../../files/durable-files.js";
import { nextTurn } from "../../next-turn.js";
import { freshFolder } from "../fresh-folder.js";
import type { LedgerEntry } from "../ledger-entry.js";
import { NO_ENTRIES } from "../record-entry.js";
import type { AccountTransaction, Totals } from "../store/account-store.js";
import { readOldKeys } from "./old-keys.js";
import { oldSegments, readOldEntries } from "./old-ledger.js";

/** Folder for the migrated files of release 0.1.0, inside the account's folder. */
export const OLD_FILES_FOLDER = "before-sqlite";

const KEY_FILE = "keys.json";
/** Lock folder of release 0.1.0. */
const OLD_LOCK = "lock";

/** Entries migrated in one turn of the event loop. */
const ENTRIES_A_TURN = 500;

/** Returns true if a folder has an account of release 0.1.0. */
export async function hasOldAccount(dir: string): Promise<boolean> {
  return (await oldSegments(dir)).length > 0 || (await exists(join(dir, KEY_FILE)));
}

/**
 * Migrates the account of release 0.1.0 in a folder: entries, keys, quota, and the calls of the last minute. It runs in
 * the transaction that creates the database, so a crash leaves the old account unchanged.
 * @param now Service clock, milliseconds since the Unix epoch.
 * @throws LakeError `ledger_corrupt`, `keys_corrupt`
 */
export async function migrateOldAccount(
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
  // An account with keys but no entries gets its opening entry later, as a new account does.
  if (totals.seq > 0) await transaction.saveTotals(totals);
}

/** Moves the files of a migrated account to a separate folder; returns its path if there were any files. */
export async function moveOldFiles(dir: string): Promise<string | undefined> {
  const names = await oldSegments(dir);
  for (const name of [KEY_FILE, OLD_LOCK]) if (await exists(join(dir, name))) names.push(name);
  if (names.length === 0) return undefined;
  const aside = await freshFolder(dir, OLD_FILES_FOLDER);
  for (const name of names) {
    // Another process may be moving the same files.
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
