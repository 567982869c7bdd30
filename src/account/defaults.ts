/** Folder of a lake that its account is kept in. */
export const ACCOUNT_FOLDER = "account";

/** The account that a lake has. A ledger names it, so that a later release may hold several. */
export const ACCOUNT_ID = "acct_local";

/**
 * Entries of a ledger segment, and how many of the latest charges are remembered, at the least, for recognising a
 * repeated request id: the two newest segments restore that memory.
 */
export const ENTRIES_PER_SEGMENT = 10_000;

/** Entries that are written in one go at most. */
export const ENTRIES_PER_WRITE = 1_000;

/** Milliseconds within which entries reach the disk in relaxed durability. */
export const RELAXED_SYNC_MS = 1_000;

/** Milliseconds without a call after which this process lets go of the account, if nobody waits for it before. */
export const IDLE_TURN_MS = 1_000;

/** Milliseconds between the writer's looks at whether another process waits, and the shortest turn when one does. */
export const CONTENTION_CHECK_MS = 20;

/** Milliseconds between a waiting process's looks at the lock. */
export const LOCK_RETRY_MS = 5;

/** Milliseconds for which a process that gave way does not ask again. */
export const HANDOVER_MS = 25;

/** Milliseconds that a process waits for the account before it gives up. */
export const LOCK_TIMEOUT_MS = 10_000;

/** Milliseconds between the signs of life of a writer. */
export const HEARTBEAT_MS = 2_000;

/** Milliseconds without a sign of life after which a writer that cannot be looked up counts as gone. */
export const HEARTBEAT_LOST_MS = 30_000;
