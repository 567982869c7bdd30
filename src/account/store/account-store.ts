import type { StoredApiKey } from "../api-key.js";
import type { LedgerEntry } from "../ledger-entry.js";

/** A value that an embedded store has at once and a store behind a network later. */
export type Awaitable<T> = T | PromiseLike<T>;

/** What the ledger adds up to, in one row, so that nothing has to be summed to answer a call. Amounts are micro-USD. */
export interface Totals {
  /** Number of the newest ledger entry. */
  readonly seq: number;
  /** Sum of all ledger amounts. */
  readonly balance: bigint;
  /** Money reserved by calls under way; part of the balance. */
  readonly held: bigint;
  /** Number of holds made so far: the id of the newest. */
  readonly holds: number;
  readonly toppedUp: boolean;
  /** Grows with every change of a key. */
  readonly keysVersion: number;
}

/** Free calls of one month (Asia/Singapore): used by charges, and reserved by calls under way. */
export interface QuotaMonth {
  readonly used: number;
  readonly held: number;
}

/** A reservation of one call: one free call of a month, or money. */
export interface StoredHold {
  readonly id: number;
  /** Month of Asia/Singapore in which the call was made. */
  readonly month: string;
  readonly free: boolean;
  /** Micro-USD; 0 for a free call. */
  readonly amount: bigint;
  /** Machine time, in milliseconds since the Unix epoch, from which the hold counts no more. */
  readonly expiresAt: number;
}

/** Entries with `afterSeq < seq <= toSeq` and `fromMs <= at <= toMs`. */
export interface EntryRange {
  readonly afterSeq: number;
  readonly toSeq: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The calls that the rate window counts. */
export interface RatedCalls {
  /** Calls after the instant that was asked for. */
  readonly inside: number;
  /** Calls at or before it. */
  readonly outside: number;
  /** Newest call, in milliseconds since the Unix epoch; 0 when there is none. */
  readonly latest: number;
}

/** What can be read of an account. All of it is from one moment. */
export interface AccountReader {
  /** Undefined before the opening entry. */
  totals(): Awaitable<Totals | undefined>;
  /** The month's free calls; zeros for one without any. */
  quota(month: string): Awaitable<QuotaMonth>;
  /** The call that this key was charged for this request at this endpoint, at zero or more. */
  settledCall(key: string, endpoint: string, request: string): Awaitable<LedgerEntry | undefined>;
  /** Whether there is a top-up with this reference. */
  hasTopUp(reference: string): Awaitable<boolean>;
  /** Entries of a range, in order. */
  entries(range: EntryRange): Awaitable<readonly LedgerEntry[]>;
  /** All keys, oldest first. */
  keys(): Awaitable<readonly StoredApiKey[]>;
  /** Counts the rate window's calls before and after an instant. */
  ratedCalls(afterMs: number): Awaitable<RatedCalls>;
  /** When the call at `index` (0 is the oldest) after an instant was made. */
  ratedCallAt(afterMs: number, index: number): Awaitable<number | undefined>;
}

/** What can be changed in one transaction; all of it is kept, or none. */
export interface AccountTransaction extends AccountReader {
  saveTotals(totals: Totals): Awaitable<void>;
  saveQuota(month: string, quota: QuotaMonth): Awaitable<void>;
  /** Adds the ledger's next entry. */
  append(entry: LedgerEntry): Awaitable<void>;
  /** Adds a key, or puts it in place of the one with its id. */
  saveKey(key: StoredApiKey): Awaitable<void>;
  addHold(hold: StoredHold): Awaitable<void>;
  /** Takes a hold away; undefined when it is gone already. */
  removeHold(id: number): Awaitable<StoredHold | undefined>;
  /** The oldest hold. */
  oldestHold(): Awaitable<StoredHold | undefined>;
  addRatedCall(at: number): Awaitable<void>;
  /** Deletes the rate window's calls at or before an instant. */
  forgetRatedCalls(toMs: number): Awaitable<void>;
  /** Moves the rate window's calls after an instant to it: a clock that went back must not block for long. */
  limitRatedCalls(toMs: number): Awaitable<void>;
}

/**
 * Where an account is kept. SQLite is the embedded store; one on a shared server has the same interface.
 * Work may run more than once, because a transaction that collides with another process is tried again:
 * it changes nothing but the transaction.
 */
export interface AccountStore {
  /**
   * Runs work in a transaction of its own, as if no other ran beside it. Resolves when it is committed.
   * `durable` commits are as safe as the store's durability promises; others may be lost in a power cut.
   * @throws LakeError `account_busy`, `account_not_writable`, `ledger_write_failed`, `ledger_corrupt`,
   * `ledger_newer_format`, `account_closed`; and what the work throws. Nothing is changed then.
   */
  transact<T>(
    work: (transaction: AccountTransaction) => Promise<T>,
    options?: { readonly durable?: boolean },
  ): Promise<T>;
  /** Runs work that reads only. @throws LakeError as {@link AccountStore.transact} */
  read<T>(work: (reader: AccountReader) => Promise<T>): Promise<T>;
  /** Waits for transactions under way and closes the store. Calling it again changes nothing. */
  close(): Promise<void>;
}
