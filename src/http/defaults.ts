/** Defaults of the HTTP server. Durations are milliseconds. */
export const SERVER_DEFAULTS = {
  /** Loopback: other machines cannot reach the lake by default. */
  host: "127.0.0.1",
  /** 0: any free port. */
  port: 0,
  /** Time limits for a client to send its headers, and its whole request. */
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  /** Interval of checking both limits. */
  timeoutCheckMs: 1_000,
  /** Time without traffic after which a connection is closed, such as that of a client that does not read its answer. */
  idleTimeoutMs: 60_000,
  /** Time an idle connection is kept for the next request. */
  keepAliveTimeoutMs: 5_000,
  /** Most bytes of request line and headers; a larger request gets a 431 before its body is read. */
  maxHeaderBytes: 65_536,
  /** Time for running calls to finish at shutdown. */
  shutdownGraceMs: 10_000,
  /** Interval of closing idle connections at shutdown. */
  shutdownCheckMs: 20,
  /** Time for which the rest of an oversized body is discarded, so that its sender can read the error. */
  drainMs: 1_000,
} as const;

/** Defaults of what is served to those who operate a server. Durations are milliseconds. */
export const OPERATIONS_DEFAULTS = {
  /** Longest wait for an answer of what is needed, and how long such an answer counts. */
  checkMs: 2_000,
  checkAgeMs: 1_000,
  maxHeaderBytes: 8_192,
  maxConnections: 64,
  /** Most characters of a path and of a method, and stack frames of an error, in a log. */
  pathCharacters: 256,
  methodCharacters: 16,
  frames: 8,
} as const;
