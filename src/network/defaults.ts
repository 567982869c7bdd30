/** Defaults of requests over a network. Durations are milliseconds. */
export const NETWORK_DEFAULTS = {
  /** Most bytes of an answer's body, decompressed: six times the largest search of the service, 100 records with vectors. */
  maxBodyBytes: 16_777_216,
  /** Bytes reserved for a body of unknown length; doubled when they are full. */
  firstBodyBytes: 65_536,
  /** Bytes of a body that wait for their reader. */
  pieceBytes: 65_536,
  /** Longest time for a connection to be made. */
  connectMs: 10_000,
  /** Time that a connection is kept for the next request: shorter than servers keep theirs. */
  idleConnectionMs: 3_000,
  maxRedirects: 10,
} as const;
