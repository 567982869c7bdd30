/** The account that a lake has. A ledger names it, so that a later release may hold several. */
export const ACCOUNT_ID = "acct_local";

/**
 * How many of the latest charges are remembered, at the least, for recognising a repeated request id. It is also the
 * number of entries in a ledger segment, so that the two newest segments restore that memory.
 */
export const REMEMBERED_CHARGES = 25_000;

/** Milliseconds without a call after which this process lets go of the account. */
export const IDLE_TURN_MS = 250;
