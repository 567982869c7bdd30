const MIB = 2 ** 20;

/** What is said of a pull that ends at a full disk. */
export const FETCHED_IS_KEPT = ", and what was fetched is kept";

/** Every default of pulling, in one place. Durations are milliseconds, sizes bytes. */
export const PULL_DEFAULTS = {
  /** Files fetched at a time. */
  concurrency: 4,
  /**
   * A connection that brings fewer bytes than these in that time of waiting is given up, and the file resumed: 137 bytes a
   * second.
   */
  stallMs: 30_000,
  stallBytes: 4_096,
  /** How many times the stall time an index or a manifest is waited for, in all. */
  documentStalls: 10,
  /** Attempts in a row that may bring nothing before a file is given up. */
  retries: 8,
  /** Attempts to reach a source at all: few, so that being offline is reported soon. */
  firstRetries: 2,
  /** Bytes that an attempt must bring to count as progress. */
  progressBytes: 16_384,
  /** Restarts of a file whose content did not match. */
  restarts: 3,
  /** Pause after the first failed attempt; doubled each time, its upper half random. */
  backoffMs: 500,
  /** Longest pause that the client chooses. */
  maxBackoffMs: 30_000,
  /** Longest `Retry-After` that is honoured; a longer one is an error with the time to retry. */
  maxPauseMs: 300_000,
  /** Bytes that may be fetched again after a broken connection: those received but not yet in the file. */
  resumeBytes: MIB / 4,
  /** Most bytes of an index, which names about 40,000 slices in them, and of a manifest. */
  maxIndexBytes: 24 * MIB,
  maxManifestBytes: 4 * MIB,
  /** Most bytes of a file of unknown size. */
  maxFileBytes: 2 ** 36,
  /** Most bytes that are to be left free beside what a pull is estimated to take. */
  spareBytes: 64 * MIB,
  /** What indexes take for each byte of a dataset's files while they are built: those of short rows. */
  datasetIndexShare: 100,
  /** Window of the speed measurement for the remaining time. */
  speedWindowMs: 10_000,
} as const;
