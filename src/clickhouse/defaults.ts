/** Defaults of lakes on ClickHouse. */
export const CLICKHOUSE_DEFAULTS = {
  /** Version of the tables. */
  schemaVersion: 2,
  /** Longest time that a server may be silent on a request that reads a lake, in milliseconds; `?timeout=` of an address, in seconds. */
  readMs: 60_000,
  /** The same for a request that loads a table or sorts one out. */
  loadMs: 600_000,
  /** Most bytes of the signs of life that a server sends before it answers such a request. */
  progressBytes: 1024 * 1024,
  /** Longest time that a server takes to connect to another one of its cluster. */
  connectMs: 10_000,
  /** Bytes that are sent at a time. */
  sendBytes: 4 * 1024 * 1024,
  /** Rows that the server takes for one part while it loads, by kind of table: it holds them in memory. */
  blockRows: { narrow: 1_048_576, wide: 16_384 },
  /** Bytes of a row of the table of models. */
  modelPartBytes: 8 * 1024 * 1024,
  /** Records that are read by one request. */
  recordsAtOnce: 1000,
  /** Candidates of a caller's own set that a request names one by one. */
  namedRows: 10_000,
  /** Times that an answer is made again because something was removed meanwhile. */
  attempts: 8,
  /** Writers of one lake take turns, by leases; in milliseconds. */
  lease: {
    /** How long one is held without being renewed. */
    holdMs: 60_000,
    /** How often it is renewed. */
    renewMs: 10_000,
    /** What has to be left of it when a load is made visible, and how long that may take. */
    marginMs: 15_000,
    /** How long a writer waits for its turn, and how often it looks. */
    waitMs: 120_000,
    lookMs: 250,
  },
  /** How long a removal waits for answers that were checked before it to be on their way, in milliseconds. */
  settleMs: 250,
} as const;

/** Rows that the tables keep together: a look-up reads as many. */
export const GRANULE_ROWS = 256;
