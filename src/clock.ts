/** Reads the current time. Injected wherever time matters, so that tests can control it. */
export interface Clock {
  /** Returns milliseconds since the Unix epoch. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };
