import { copyFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { LakeError } from "../contract/errors.js";
import { type MicroUsd, micros } from "../contract/money.js";
import { renameSynced, syncFile, syncTree } from "../files/durable-files.js";
import { writingTo } from "../files/writing-to.js";
import { ACCOUNT_FILE, ACCOUNT_FOLDER } from "./defaults.js";
import { freshFolder } from "./fresh-folder.js";
import { NO_ENTRIES } from "./record-entry.js";
import type { AccountTransaction } from "./store/account-store.js";
import { checkLedger } from "./store/check-ledger.js";
import { bridgeGaps, type Salvage, salvage, type WholeLedger } from "./store/salvage-ledger.js";
import { accountError } from "./store/sqlite-error.js";
import { assertUnused, withDatabase } from "./store/sqlite-file.js";
import { SqliteStore } from "./store/sqlite-store.js";

/** Folder for a damaged database, inside the account's folder. */
const DAMAGED_FOLDER = "damaged";

/** Result of {@link repairAccount}. */
export interface AccountRepair {
  /** Paths of rewritten files. The damaged file is kept in `account/damaged` (`damaged-2` the second time). */
  readonly rewritten: readonly string[];
  /** Number of unreadable entries. */
  readonly lostEntries: number;
  /** Sum of the lost entries' amounts, derived from the balances of the other entries. */
  readonly adjusted: MicroUsd;
}

const NOTHING: AccountRepair = { rewritten: [], lostEntries: 0, adjusted: micros(0n) };

/**
 * Checks a lake's account. Resolves to its problem; undefined if it is sound or does not exist.
 * @throws LakeError `account_busy`, `account_not_writable`
 */
export async function checkAccount(lake: string): Promise<LakeError | undefined> {
  const path = join(lake, ACCOUNT_FOLDER, ACCOUNT_FILE);
  return (await accountExists(path)) ? problemOf(path) : undefined;
}

/**
 * Repairs a damaged account. Readable entries are kept; `adjustment` entries replace the unreadable ones, so that the
 * balance is still the sum of the ledger. No other process may have the account open.
 * @throws LakeError `account_busy` if another process uses it, `account_not_writable`, `ledger_corrupt` if nothing can be read; all then
 * stays as it was
 * @throws DiskError `disk_full`, `not_writable`; all then stays as it was
 */
export async function repairAccount(lake: string): Promise<AccountRepair> {
  const dir = join(lake, ACCOUNT_FOLDER);
  const path = join(dir, ACCOUNT_FILE);
  if (!(await accountExists(path))) return NOTHING;
  await assertUnused(path).catch((error: unknown) => {
    throw accountError(path, error);
  });
  return writingTo(dir, () => repairCopy(dir, path));
}

/** Repairs a copy, which is kept if there was damage, and puts it in the place of the account. */
async function repairCopy(dir: string, path: string): Promise<AccountRepair> {
  const aside = await freshFolder(dir, DAMAGED_FOLDER);
  const repaired = join(aside, "repaired.db");
  let ledger: WholeLedger;
  try {
    const copy = join(aside, ACCOUNT_FILE);
    for (const suffix of ["", "-wal"])
      if (await exists(path + suffix)) await copyFile(path + suffix, copy + suffix);
    if ((await problemOf(copy)) === undefined) {
      await rm(aside, { recursive: true });
      return NOTHING;
    }
    const { size: bytes } = await stat(copy);
    const found = await withDatabase(copy, async (connection) => salvage(connection, bytes));
    if (found.entries.length === 0 && found.totals === undefined) {
      throw damaged(
        path,
        "nothing of it can be read",
        `Restore the file from a backup, or move ${path}* elsewhere: the next call begins a new account.`,
      );
    }
    ledger = bridgeGaps(found);
    await rebuild(repaired, found, ledger);
    await syncTree(aside);
    await copyFile(repaired, `${path}.new`);
    await syncFile(`${path}.new`);
  } catch (error) {
    for (const unneeded of [aside, `${path}.new`]) await rm(unneeded, { recursive: true, force: true });
    throw error;
  }
  for (const suffix of ["-wal", "-shm"]) await rm(path + suffix, { force: true });
  await renameSynced(`${path}.new`, path);
  await rm(repaired);
  return { rewritten: [path], lostEntries: ledger.lostEntries, adjusted: micros(ledger.adjusted) };
}

/** Writes the salvaged data to a new database. */
async function rebuild(path: string, found: Salvage, ledger: WholeLedger): Promise<void> {
  const store = new SqliteStore(path, {
    durability: "strict",
    fill: (transaction) => fill(transaction, found, ledger),
  });
  await store.read(async (reader) => reader.totals());
  await store.close();
}

async function fill(
  transaction: AccountTransaction,
  found: Salvage,
  { entries }: WholeLedger,
): Promise<void> {
  const freeCalls = new Map<string, number>();
  for (const entry of entries) {
    await transaction.append(entry);
    if (entry.month !== undefined) freeCalls.set(entry.month, (freeCalls.get(entry.month) ?? 0) + 1);
  }
  for (const [month, used] of freeCalls)
    await transaction.saveQuota(month, { used: Math.max(used, found.freeCalls(month)), held: 0 });
  for (const key of found.keys) await transaction.saveKey(key);
  const { toppedUp = entries.some(({ kind }) => kind === "top_up"), holds = 0 } = found.totals ?? {};
  await transaction.saveTotals({
    ...NO_ENTRIES,
    seq: entries.length,
    balance: BigInt(entries.at(-1)?.balance ?? 0),
    toppedUp,
    holds,
  });
}

async function problemOf(path: string): Promise<LakeError | undefined> {
  try {
    const problem = await withDatabase(path, checkLedger);
    return problem === undefined ? undefined : damaged(path, problem);
  } catch (error) {
    const known = accountError(path, error);
    if (known instanceof LakeError && known.code === "ledger_corrupt") return known;
    throw known;
  }
}

const REPAIR =
  "Restore the file from a backup, or run `mirrorlake account repair`, which keeps all readable entries.";

function damaged(path: string, why: string, remedy = REPAIR): LakeError {
  return new LakeError("ledger_corrupt", `The account ${path} is damaged: ${why}`, { value: path, remedy });
}

/** Whether there is an account at a path. @throws LakeError `account_not_writable` where this user may not look */
async function accountExists(path: string): Promise<boolean> {
  return exists(path).catch((error: unknown) => {
    throw accountError(path, error);
  });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
      return false;
    },
  );
}
