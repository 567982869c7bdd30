/** Every default of the HTTP server, in one place. Durations are milliseconds. */
export const SERVER_DEFAULTS = {
  /** Loopback: other machines cannot reach the lake by default. */
  host: "127.0.0.1",
  /** 0: any free port. */
  port: 0,
  /** Time a client has to send its headers, and its whole request. */
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  /** How often the two are looked at. */
  timeoutCheckMs: 1_000,
  /** Time without a byte either way after which a connection is cut: a client that does not read its answer. */
  idleTimeoutMs: 60_000,
  /** Time an idle connection is kept for the next request. */
  keepAliveTimeoutMs: 5_000,
  /** Most bytes of request line and headers together; a request with more is a 431 before it is read. */
  maxHeaderBytes: 65_536,
  /** Time that calls under way have to finish at shutdown. */
  shutdownGraceMs: 10_000,
  /** How often connections that have become idle are closed at shutdown. */
  shutdownCheckMs: 20,
  /** Time that the rest of an oversized body is read and thrown away, so that its sender can read the refusal. */
  drainMs: 1_000,
  /** Bytes of a slice's file that are read at a time. */
  fileChunkBytes: 262_144,
} as const;
