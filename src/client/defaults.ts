/** Defaults of clients over a network, and of the option `retry` in process. Durations are milliseconds. */
export const CLIENT_DEFAULTS = {
  /** Time limit of one attempt, including reading the answer. */
  timeoutMs: 30_000,
  /** Attempts after the first, on 429 and 503 only: these are never charged. */
  retries: 4,
  /** First pause without `Retry-After`; doubled each time, with jitter over its upper half. */
  backoffMs: 500,
  /** Longest pause. A longer `Retry-After` is not retried: the error is thrown. */
  maxPauseMs: 60_000,
} as const;
