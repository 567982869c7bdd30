/** Defaults of clients over a network, of the option `retry` in process, and of files that a lake hands out. Durations are milliseconds. */
export const CLIENT_DEFAULTS = {
  /** Time limit of one attempt, including reading the answer. */
  timeoutMs: 30_000,
  /** Attempts after the first, on 429 and 503 only: these are never charged. */
  retries: 4,
  /** First pause without `Retry-After`; doubled each time, with jitter over its upper half. */
  backoffMs: 500,
  /** Longest pause. A longer `Retry-After` is not retried: the error is thrown. */
  maxPauseMs: 60_000,
  /** Pages in a row without an item, or without a new one, after which a list ends with an error. */
  emptyPages: 10,
  /** How many times the catalogue's price an answer may state as its charge before the statement is not believed. */
  chargeFactor: 100n,
  /** Bytes per read of a slice's file. */
  fileChunkBytes: 262_144,
  /** What stands for the price of a call that is free, in micro-USD. */
  freeCallDoubt: 10_000n,
  /** Searches that warm a lake up: with more, those that follow were hardly faster. */
  warmUpSearches: 500,
} as const;
