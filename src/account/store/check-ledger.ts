import type Database from "libsql";
import { nextTurn } from "../../next-turn.js";
import { ENTRIES_PER_READ } from "../defaults.js";
import type { LedgerEntry } from "../ledger-entry.js";
import { SqliteTransaction } from "./sqlite-transaction.js";

/**
 * Checks an account's database: SQLite's integrity check, then every number and running balance of the ledger, against
 * each other and against the stored totals. Resolves to a description of the first problem, or undefined.
 * @throws the engine's error if a page cannot be read
 */
export async function checkLedger(connection: Database.Database): Promise<string | undefined> {
  const rows = connection.prepare("PRAGMA integrity_check(1)").all([]) as { integrity_check: string }[];
  const structure = rows[0]?.integrity_check;
  if (structure !== "ok") return structure ?? "the integrity check returned no result";
  // A process that was killed while it made the account leaves a database without tables: nothing was charged yet.
  if (connection.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").all([]).length === 0) return undefined;
  const reader = new SqliteTransaction(connection);
  const totals = reader.storedTotals();
  const [fromMs, toMs] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  let seq = 0;
  let balance = 0n;
  for (;;) {
    const entries = reader.entries({ afterSeq: seq, toSeq: seq + ENTRIES_PER_READ, fromMs, toMs });
    for (const entry of entries) {
      if (!isNextEntry(entry, seq, balance))
        return `entry ${entry.seq} does not follow from the one before it`;
      seq = entry.seq;
      balance = BigInt(entry.balance);
      if (seq === totals?.seq && balance !== totals.balance)
        return "the balance is not the sum of the ledger";
    }
    if (entries.length === 0) break;
    await nextTurn();
  }
  return totals !== undefined && seq < totals.seq ? `entry ${seq + 1} is missing` : undefined;
}

/** Returns true if an entry has the next number and its balance is the running sum. */
export function isNextEntry(entry: LedgerEntry, seq: number, balance: bigint): boolean {
  const amount = microsOf(entry.amount);
  return entry.seq === seq + 1 && amount !== undefined && microsOf(entry.balance) === balance + amount;
}

/** Parses decimal micro-USD; undefined for other text. */
export function microsOf(text: string): bigint | undefined {
  return /^-?\d{1,40}$/.test(text) ? BigInt(text) : undefined;
}
