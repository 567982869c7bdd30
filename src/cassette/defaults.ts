/** Defaults of cassettes. */
export const CASSETTE_DEFAULTS = {
  /** Time between two looks at whether another recorder has written its call, ms. */
  lockPollMs: 5,
} as const;
