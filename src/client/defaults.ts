/** Every default of clients over a network, and of those in process that are given `retry`, in one place. Durations are milliseconds. */
export const CLIENT_DEFAULTS = {
  /** Time one attempt may take, answer read. */
  timeoutMs: 30_000,
  /** Attempts after the first, on 429 and 503 alone: they are never charged, so that trying again costs nothing. */
  retries: 4,
  /** First pause where the service names none; doubled each time, and drawn at random from its upper half. */
  backoffMs: 500,
  /** Longest pause that is waited for. A longer `Retry-After` is not honoured by trying sooner: the error is thrown. */
  maxPauseMs: 60_000,
} as const;
