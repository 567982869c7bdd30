import type Database from "libsql";
import type { StoredApiKey } from "../api-key.js";
import type { LedgerEntry } from "../ledger-entry.js";
import type { Totals } from "./account-store.js";
import { isNextEntry, microsOf } from "./check-ledger.js";
import { isNotADatabase } from "./sqlite-error.js";
import { SqliteTransaction } from "./sqlite-transaction.js";

/** The readable data of a damaged database. */
export interface Salvage {
  readonly totals: Totals | undefined;
  readonly entries: readonly LedgerEntry[];
  readonly keys: readonly StoredApiKey[];
  /** Returns the used free calls of a month; 0 if unreadable. */
  readonly freeCalls: (month: string) => number;
}

/** A ledger without gaps, made from the readable entries. */
export interface WholeLedger {
  readonly entries: readonly LedgerEntry[];
  /** Number of entries replaced by adjustments. */
  readonly lostEntries: number;
  /** Sum of the adjustments' amounts, micro-USD. */
  readonly adjusted: bigint;
}

/** Lower bound of an entry's size in bytes. */
const MIN_ENTRY_BYTES = 16;

/** Reads everything readable from a database with damaged pages. @param bytes Size of its file. */
export function salvage(connection: Database.Database, bytes: number): Salvage {
  const reader = new SqliteTransaction(connection);
  const totals = orElse(
    () => reader.totals(),
    orElse(() => reader.storedTotals(), undefined),
  );
  const entries: LedgerEntry[] = [];
  const read = (afterSeq: number, toSeq: number): void => {
    try {
      const range = { fromMs: Number.MIN_SAFE_INTEGER, toMs: Number.MAX_SAFE_INTEGER };
      entries.push(...reader.entries({ afterSeq, toSeq, ...range }));
    } catch (error) {
      // At least one entry is unreadable: bisect the range to find it.
      if (toSeq - afterSeq <= 1 || isNotADatabase(error)) return;
      const middle = Math.floor((afterSeq + toSeq) / 2);
      read(afterSeq, middle);
      read(middle, toSeq);
    }
  };
  read(0, totals?.seq ?? Math.ceil(bytes / MIN_ENTRY_BYTES));
  const keys = orElse(() => reader.keys(), []);
  return { totals, entries, keys, freeCalls: (month) => orElse(() => reader.quota(month).used, 0) };
}

/**
 * Builds a ledger without gaps. `adjustment` entries replace entries that are unreadable or contradict their
 * neighbours, so that the balance is still the sum of the ledger.
 */
export function bridgeGaps({ entries, totals }: Salvage): WholeLedger {
  const whole: LedgerEntry[] = [];
  let balance = 0n;
  let lostEntries = 0;
  let adjusted = 0n;
  const adjustTo = (seq: number, target: bigint, at: number): void => {
    while (whole.length < seq) {
      const amount = target - balance;
      balance = target;
      adjusted += amount;
      lostEntries += 1;
      whole.push({
        seq: whole.length + 1,
        at,
        kind: "adjustment",
        amount: amount.toString(),
        balance: target.toString(),
        reference: "in place of an entry that was damaged",
      });
    }
  };
  for (const [index, entry] of entries.entries()) {
    const amount = microsOf(entry.amount);
    const stated = microsOf(entry.balance);
    // The entry's number or amounts are unusable: the balance follows from the next entry.
    if (amount === undefined || stated === undefined || entry.seq <= whole.length) continue;
    if (entry.seq > whole.length + 1) adjustTo(entry.seq - 1, stated - amount, entry.at);
    if (isNextEntry(entry, whole.length, balance)) {
      whole.push(entry);
      balance = stated;
      continue;
    }
    const next = entries[index + 1];
    const last = totals?.seq === entry.seq ? totals.balance : undefined;
    const before = next?.seq === entry.seq + 1 ? balanceBefore(next) : last;
    if (before === balance + amount) {
      whole.push({ ...entry, balance: before.toString() });
      balance = before;
    } else adjustTo(entry.seq, before ?? stated, entry.at);
  }
  if (totals !== undefined) adjustTo(totals.seq, totals.balance, entries.at(-1)?.at ?? 0);
  return { entries: whole, lostEntries, adjusted };
}

function balanceBefore(entry: LedgerEntry): bigint | undefined {
  const amount = microsOf(entry.amount);
  const stated = microsOf(entry.balance);
  return amount === undefined || stated === undefined ? undefined : stated - amount;
}

function orElse<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
