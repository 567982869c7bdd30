/** Tunable numbers of the lake layer. */
export const LAKE_DEFAULTS = {
  /** Share of new records, to those that are shown, above which an install refits the embedder, or rebuilds the generation. */
  rebuildShare: 1 / 3,
  /** Least of a generation's rows that are shown, to those that are not, for it to be kept where its embedder is refitted. */
  shownToKeep: 3,
  /** Most records of a lake whose embedder is refitted before what an install brings can be searched: to publish twice takes longer. */
  refitFirst: 2_500,
  /** Vector files held open while an index is built. */
  openVectorFiles: 200,
  /** Documents per batch for the index builder. */
  documentBatch: 256,
  /** Milliseconds of a turn of the event loop in which rows are verified. */
  turnMs: 10,
  /** Attempts to take a lease while an install tests for readers, and the longest pause, ms. */
  leaseTries: 100,
  leasePauseMs: 50,
  /** Days after which what pulls left in the incoming folder is removed, if none has come back for it. */
  incomingDays: 14,
  /** Bytes of a generation below which its files are hashed in the calling thread: starting another takes longer. */
  hashedHereBytes: 32_000_000,
  /** Records whose words a verification looks up in the index. */
  verifySample: 200,
  /** Memory of the engine that compares rows with those of slices, and how many it does at once. */
  verify: { memoryLimit: "512MB", comparedRows: 500_000 },
  /** Most problems of one kind that a verification lists. */
  verifyProblems: 20,
  /**
   * Free disk space, as a multiple of the lake's size, below which a diagnosis reports that an install may not
   * fit.
   */
  freeSpaceShare: 1,
  /**
   * What a lake's indexes take on disk at most while they are built, 1.7 times what stays: measured on 54k records with 292k raw items
   * (412 MB, of which 242 MB stay) and rounded up. By themselves, for a record with its vector, for a downloaded vector, for a raw item, and for
   * the embedder, which grows with the texts up to a size.
   */
  indexBytes: 300_000,
  recordBytes: 5_000,
  downloadedBytes: 8_000,
  rawBytes: 300,
  embedderBytes: 6_000,
  maxEmbedderBytes: 90_000_000,
  /**
   * What a rebuild takes on two cores, ms, as measured on a lake of 54k records and 292k raw items: by itself, for a record, for a raw
   * item.
   */
  buildMs: 500,
  recordMs: 0.7,
  rawMs: 0.06,
  /** The same for a record of a segment that stays, where the embedder is refitted. */
  refitMs: 0.6,
} as const;
