const MIB = 2 ** 20;

/** Every default of pulling, in one place. Durations are milliseconds, sizes bytes. */
export const PULL_DEFAULTS = {
  /** Files fetched at a time. */
  concurrency: 4,
  /** Time without a byte after which a connection is given up and the file resumed. */
  stallMs: 30_000,
  /** Attempts in a row that may bring nothing before a file is given up. */
  retries: 8,
  /** Attempts to reach a source at all: whoever is offline is told so soon. */
  firstRetries: 2,
  /** Bytes that an attempt must bring to count as progress. */
  progressBytes: 16_384,
  /** Times that a file is begun anew because what came was not the file. */
  restarts: 3,
  /** First pause after an attempt that failed; doubled each time, its upper half drawn at random. */
  backoffMs: 500,
  /** Longest pause of one's own accord. */
  maxBackoffMs: 30_000,
  /** Longest `Retry-After` that is waited for; a longer one is an error that says when to come back. */
  maxPauseMs: 300_000,
  /** Bytes that may be fetched again when a connection ends early: those that have come and are not in the file yet. */
  resumeBytes: MIB / 4,
  /** Most bytes of an index and of a manifest. */
  maxIndexBytes: 256 * MIB,
  maxManifestBytes: 4 * MIB,
  /**
   * What a lake's indexes take on disk, measured on 54k records with 297k raw items (1.05 GB) and rounded up: for a record
   * with its vector, for a raw item, and for the embedder, which grows with the texts up to a size.
   */
  recordBytes: 12_000,
  rawBytes: 1_000,
  embedderBytes: 32_000,
  maxEmbedderBytes: 420_000_000,
  /** What is left free at least. */
  spareBytes: 64 * MIB,
  /** Days after which partial files that nobody came back for are removed. */
  incomingDays: 14,
  /** Time over which the speed is measured that the time left is reckoned by. */
  speedWindowMs: 10_000,
} as const;
