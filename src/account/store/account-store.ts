import type { StoredApiKey } from "../api-key.js";
import type { LedgerEntry } from "../ledger-entry.js";

/** A value that an embedded store returns directly and a remote store returns as a promise. */
export type Awaitable<T> = T | PromiseLike<T>;

/** Running totals of the ledger, kept in one row so that a call needs no sums. Amounts are micro-USD. */
export interface Totals {
  /** Number of the newest ledger entry. */
  readonly seq: number;
  /** Sum of all ledger amounts. */
  readonly balance: bigint;
  /** Money reserved by running calls; part of the balance. */
  readonly held: bigint;
  /** Number of holds made so far, which is the id of the newest. */
  readonly holds: number;
  readonly toppedUp: boolean;
  /** Incremented with every change of a key. */
  readonly keysVersion: number;
}

/** Free calls of one month (Asia/Singapore): `used` by charges, `held` by running calls. */
export interface QuotaMonth {
  readonly used: number;
  readonly held: number;
}

/** Reservation for one or more calls: free calls of a month, or money. */
export interface StoredHold {
  readonly id: number;
  /** Month of the call in Asia/Singapore, "2026-05". */
  readonly month: string;
  readonly free: boolean;
  /** Number of free calls, or micro-USD. */
  readonly amount: bigint;
  /** End of the lease by the machine's clock, milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** Selects entries with `afterSeq < seq <= toSeq` and `fromMs <= at <= toMs`. */
export interface EntryRange {
  readonly afterSeq: number;
  readonly toSeq: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What makes a call a repetition of another: equal ones are charged once. */
export interface AskedCall {
  readonly key: string;
  readonly endpoint: string;
  readonly request: string;
  /** Digest of the parameters, where the caller named the request id. */
  readonly digest?: string | undefined;
}

/** Reads an account. All reads of one transaction see the same state. */
export interface AccountReader {
  /** Returns the totals; undefined before the opening entry. */
  totals(): Awaitable<Totals | undefined>;
  /** Returns the month's free calls; zeros for a month without calls. */
  quota(month: string): Awaitable<QuotaMonth>;
  /** Returns the entry of a call that was settled: charged, covered by free quota, or of price zero. */
  settledCall(call: AskedCall): Awaitable<LedgerEntry | undefined>;
  /** Returns true if there is a top-up with this reference. */
  hasTopUp(reference: string): Awaitable<boolean>;
  /** Returns the entries of a range, in order. */
  entries(range: EntryRange): Awaitable<readonly LedgerEntry[]>;
  /** Returns all keys, oldest first. */
  keys(): Awaitable<readonly StoredApiKey[]>;
  /** Returns the times of the rate window's calls, oldest first, milliseconds since the Unix epoch. */
  ratedCalls(): Awaitable<readonly number[]>;
  /** Returns a hold; undefined if it does not exist. */
  hold(id: number): Awaitable<StoredHold | undefined>;
}

/** Changes an account atomically: all changes of a transaction are committed, or none. */
export interface AccountTransaction extends AccountReader {
  saveTotals(totals: Totals): Awaitable<void>;
  saveQuota(month: string, quota: QuotaMonth): Awaitable<void>;
  /** Adds the ledger's next entry. */
  append(entry: LedgerEntry): Awaitable<void>;
  /** Adds a key, or replaces the key with its id. */
  saveKey(key: StoredApiKey): Awaitable<void>;
  /** Adds a hold, or replaces the hold with its id. */
  saveHold(hold: StoredHold): Awaitable<void>;
  /** Removes and returns a hold; undefined if it does not exist. */
  removeHold(id: number): Awaitable<StoredHold | undefined>;
  /** Returns the oldest hold. */
  oldestHold(): Awaitable<StoredHold | undefined>;
  addRatedCall(at: number): Awaitable<void>;
  /** Deletes the rate window's calls at or before an instant. */
  forgetRatedCalls(toMs: number): Awaitable<void>;
  /** Moves later calls of the rate window to an instant, so that a clock that went back does not block for long. */
  limitRatedCalls(toMs: number): Awaitable<void>;
}

/** A call that is charged to the balance, or covered by the free quota of its month. */
export interface ChargedCall extends AskedCall {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Micro-USD; 0 for a free call. */
  readonly price: bigint;
  readonly free: boolean;
}

/** State after a call was charged. */
export interface ChargedState {
  /** Micro-USD. */
  readonly balance: bigint;
  readonly quota: QuotaMonth;
}

/**
 * Persists an account. SQLite is the embedded store; a store on a shared server can implement the same interface.
 * Work may run more than once, because a transaction that conflicts with another process is retried. Work must change
 * nothing but the transaction.
 */
export interface AccountStore {
  /**
   * Runs work in a serializable transaction. Resolves after the commit.
   * `durable` commits are as safe as the store's durability setting; others may be lost in a power cut.
   * @throws LakeError `account_busy`, `account_not_writable`, `ledger_write_failed`, `ledger_corrupt`,
   * `ledger_newer_format`, `account_closed`; any error of the work. Nothing is changed then.
   */
  transact<T>(
    work: (transaction: AccountTransaction) => Promise<T>,
    options?: { readonly durable?: boolean },
  ): Promise<T>;
  /**
   * Appends the entry of a charged call in a short transaction, as safe as a durable commit. It does not look at holds:
   * the caller has reserved the funds. Does nothing and resolves to undefined if another process appended an entry
   * meanwhile, the call was settled before, or {@link AccountStore.transact} is needed for any other reason.
   * @param month Month of the call in Asia/Singapore, "2026-05".
   */
  appendCharge(call: ChargedCall, month: string): Awaitable<ChargedState | undefined>;
  /** Runs read-only work. @throws LakeError as {@link AccountStore.transact} */
  read<T>(work: (reader: AccountReader) => Promise<T>): Promise<T>;
  /** Waits for running transactions and closes the store. Further calls have no effect. */
  close(): Promise<void>;
}
