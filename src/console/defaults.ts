/** Defaults of the console's server. Durations are milliseconds. */
export const CONSOLE_DEFAULTS = {
  /** Random base62 characters of the token and of a session (190 bits). */
  secretLength: 32,
  /** Sessions kept; the oldest goes first. */
  sessions: 64,
  /** Largest body of a request, bytes. */
  maxBodyBytes: 262_144,
  /** Longest text of a record, a cell or an item in a list, characters; the whole is one request away. */
  textLength: 2_000,
  /** Longest text of a cell that a result of SQL keeps, characters. */
  cellLength: 1_000_000,
  /** Rows of a page of a table, at most. */
  pageRows: 500,
  /** Rows and characters that one result of SQL keeps, and results that are kept. */
  sqlRows: 200_000,
  sqlCharacters: 64_000_000,
  sqlResults: 6,
  sqlTimeoutMs: 30_000,
  /** Records on the map of vectors, and rows whose vectors are read before other work has its turn. */
  mapRecords: 1_000,
  mapRowsATurn: 16,
  /** Ids that are offered for a parameter. */
  samples: 12,
  /** Finished jobs that are kept. */
  jobs: 20,
  /** Newest entries of the ledger that are shown. */
  recentCalls: 100,
} as const;

/** Header of the console's answers that says what the lake shows, so that an open page sees that it is another lake now. */
export const CONSOLE_LAKE_HEADER = "X-Mirrorlake-Lake";

/** Where the console is, below the server's address. */
export const CONSOLE_PATHS = {
  pages: "/console/",
  assets: "/console/assets/",
  api: "/console/api/",
} as const;
