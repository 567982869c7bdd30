/** Every number and name of the lake layer. */
export const LAKE_DEFAULTS = {
  /** A generation with more segments than this is built anew, in one. */
  maxSegments: 8,
  /** An install whose records exceed this share of those in the lake builds the generation anew, embedder included. */
  rebuildShare: 1 / 3,
  /** Vector files held open while an index is built. */
  openVectorFiles: 200,
  /** Documents handed to the index builder at a time. */
  documentBatch: 256,
  /** How often a reader tries to take a lease while an install looks whether anybody has one, and the longest pause, ms. */
  leaseTries: 100,
  leasePauseMs: 50,
  /** Records whose words are looked up in the index by a verification. */
  verifySample: 200,
  /** Problems of one kind that a verification names. */
  verifyProblems: 20,
  /** Free disk space, as a multiple of what the lake takes, below which an install may not have room. */
  freeSpaceShare: 1,
} as const;
