/** Defaults of the test kit. */
export const TESTING_DEFAULTS = {
  /** Seed of request ids, keys and faults. */
  seed: "mirrorlake",
  /** Where the clock starts if no row has a capture time: the middle of a month, the middle of a day in Singapore. */
  now: "2026-01-15T04:00:00.000Z",
  /** Longest silence of a server before and within an answer for undici (https://undici.nodejs.org, Client), ms. */
  silenceMs: 300_000,
  /** Time between two looks at whether another process has built a lake, ms. */
  lockPollMs: 25,
} as const;
