import type Database from "libsql";
import type { StoredApiKey } from "../api-key.js";
import type { LedgerEntry } from "../ledger-entry.js";
import type { Totals } from "./account-store.js";
import { follows, microsOf } from "./check-ledger.js";
import { isForeign } from "./sqlite-error.js";
import { SqliteTransaction } from "./sqlite-transaction.js";

/** What could be read of a damaged database. */
export interface Salvage {
  readonly totals: Totals | undefined;
  readonly entries: readonly LedgerEntry[];
  readonly keys: readonly StoredApiKey[];
  /** Free calls that a month has used; 0 where that cannot be read. */
  readonly freeCalls: (month: string) => number;
}

/** What a repair makes of the entries that are left. */
export interface WholeLedger {
  readonly entries: readonly LedgerEntry[];
  /** Entries that are replaced by adjustments. */
  readonly lostEntries: number;
  /** What the adjustments add to the balance. */
  readonly adjusted: bigint;
}

/** Fewer bytes than any entry takes. */
const LEAST_ENTRY_BYTES = 16;

/** Reads all that can be read of a database of so many bytes, whatever pages are damaged. */
export function salvage(connection: Database.Database, bytes: number): Salvage {
  const reader = new SqliteTransaction(connection, Number.POSITIVE_INFINITY);
  const totals = orElse(() => reader.totals(), undefined);
  const entries: LedgerEntry[] = [];
  const read = (afterSeq: number, toSeq: number): void => {
    try {
      const range = { fromMs: Number.MIN_SAFE_INTEGER, toMs: Number.MAX_SAFE_INTEGER };
      entries.push(...reader.entries({ afterSeq, toSeq, ...range }));
    } catch (error) {
      // One of them cannot be read: halve the range until it is found.
      if (toSeq - afterSeq <= 1 || isForeign(error)) return;
      const middle = Math.floor((afterSeq + toSeq) / 2);
      read(afterSeq, middle);
      read(middle, toSeq);
    }
  };
  read(0, totals?.seq ?? Math.ceil(bytes / LEAST_ENTRY_BYTES));
  const keys = orElse(() => reader.keys(), []);
  return { totals, entries, keys, freeCalls: (month) => orElse(() => reader.quota(month).used, 0) };
}

/**
 * Makes a whole ledger of what is left: in the place of entries that cannot be read, or contradict their neighbours,
 * `adjustment` entries carry the difference, so that the balance is the sum as before.
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
    // Its own number, or the numbers that give sense to it, are beyond reading: the next entry says the balance.
    if (amount === undefined || stated === undefined || entry.seq <= whole.length) continue;
    if (entry.seq > whole.length + 1) adjustTo(entry.seq - 1, stated - amount, entry.at);
    if (follows(entry, whole.length, balance)) {
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
