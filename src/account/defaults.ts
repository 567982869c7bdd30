/** Folder of a lake that its account is kept in. */
export const ACCOUNT_FOLDER = "account";

/** Name of the account's database in that folder. */
export const ACCOUNT_FILE = "account.db";

/** The account that a lake has. Its database names it, so that a later release may hold several. */
export const ACCOUNT_ID = "acct_local";

/** Newest ledger entries that an account in memory keeps; usage, export and repeated request ids reach back so far. */
export const MEMORY_LEDGER_ENTRIES = 20_000;

/** Ledger entries that are read in one transaction. */
export const ENTRIES_PER_READ = 1_000;

/** Milliseconds for which a call's hold counts. A killed process reserves funds for no longer. */
export const HOLD_LEASE_MS = 30_000;

/** Calls in the FIFO queue for funds that are served in one transaction. */
export const HOLDS_PER_TRANSACTION = 200;

/** Longest and shortest pause, in milliseconds, between two looks at whether another process has given funds back. */
export const FUNDS_RETRY_MS = { first: 5, last: 200 } as const;

/** Jobs that share one transaction at most. */
export const JOBS_PER_TRANSACTION = 1_000;

/** Milliseconds of work after which a transaction is committed and the event loop gets its turn. */
export const TRANSACTION_MS = 5;

/** Milliseconds without a pause after which a writer lets other processes in, and for how long. */
export const WRITE_STREAK_MS = 50;
export const WRITE_PAUSE_MS = 2;

/** Milliseconds that a process waits for the account before it gives up, and the longest pause between two tries. */
export const BUSY_TIMEOUT_MS = 10_000;
export const BUSY_RETRY_MS = 10;

/** Milliseconds within which relaxed commits reach the disk. */
export const RELAXED_SYNC_MS = 1_000;
