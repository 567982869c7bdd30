/** Folder of the account, inside a lake. */
export const ACCOUNT_FOLDER = "account";

/** File name of the account's database in that folder. */
export const ACCOUNT_FILE = "account.db";

/** Id of a lake's account. The database stores it, so that a later release can have several accounts. */
export const ACCOUNT_ID = "acct_local";

/** Number of newest ledger entries that an account in memory keeps for usage, export and repeated request ids. */
export const MEMORY_LEDGER_ENTRIES = 20_000;

/** Ledger entries read in one transaction. */
export const ENTRIES_PER_READ = 1_000;

/** Lease of a hold, ms. The holds of a killed process expire after it. */
export const HOLD_LEASE_MS = 30_000;

/**
 * Money that a process reserves beyond the calls it runs, where funds are plentiful: for at most `most` further calls
 * within `forMs`, and at most one part in `shareOfFree` of the free funds. An idle process returns it after `idleMs`.
 */
export const CALLS_AHEAD = { most: 64, forMs: 1_000, shareOfFree: 32, idleMs: 100 } as const;

/** Most calls of the funds queue served in one transaction. */
export const HOLDS_PER_TRANSACTION = 200;

/** First and longest pause, ms, between two checks for funds released by another process. */
export const FUNDS_RETRY_MS = { first: 5, last: 200 } as const;

/** Most jobs that share one transaction. */
export const JOBS_PER_TRANSACTION = 1_000;

/** Milliseconds of work after which a transaction commits, or single statements end, and yield to the event loop. */
export const TRANSACTION_MS = 5;

/** Milliseconds of uninterrupted writing after which a writer pauses for other processes. */
export const WRITE_STREAK_MS = 50;
/** Length of that pause, ms. */
export const WRITE_PAUSE_MS = 2;

/** Milliseconds that a process waits for a busy account before it gives up. */
export const BUSY_TIMEOUT_MS = 10_000;
/** Longest pause between two tries of a busy account, ms. */
export const BUSY_RETRY_MS = 10;

/** Page size of a new database, bytes. A charge writes three pages, so small ones cost less. */
export const PAGE_BYTES = 2048;
/** Memory for pages of a database, KiB: enough for the index of 100,000 request ids, which a charge reads anywhere. */
export const CACHE_KIB = 8_192;
/** Pages of the write-ahead log after which SQLite copies them into the database and syncs it, which blocks. */
export const PAGES_PER_CHECKPOINT = 4_000;

/** Milliseconds after which relaxed commits are synced to disk. */
export const RELAXED_SYNC_MS = 1_000;

/** Free bytes without which an account is not opened: its file and log with some hundred calls. */
export const ACCOUNT_SPACE_BYTES = 1_000_000;

/** An account on PostgreSQL: longest waits and times, ms. */
export const POSTGRES = {
  /** To connect. */
  connectMs: 5_000,
  /** For an answer of the server. */
  queryMs: 15_000,
  /** For other servers' transactions. */
  lockMs: 10_000,
  /** That a transaction may stand still before the server ends it. */
  idleMs: 5_000,
  /** That work is tried again while the server is busy or restarts. */
  retryMs: 10_000,
  /** Longest pause between two tries. */
  pauseMs: 250,
  /** Of work, after which a transaction commits. */
  transactionMs: 50,
} as const;
