/** Defaults of writing slices. */
export const STAGING_DEFAULTS = {
  /** Items that are taken before others get a turn of the event loop: about 15 ms of work. */
  turnItems: 512,
  /** Bytes of texts after which they get one all the same. */
  turnBytes: 1 << 20,
  /** Most keys of records, and of raw items, that are held to see whether one is there twice; of more the engine says it. */
  keysHeld: 4096,
  /** Bytes (UTF-8) of a text or list above which it is staged beside the engine, which sorts 120,000 rows in memory. */
  longBytes: 1024,
  /** Bytes of such texts that the engine takes all the same, and of one row's: a file beside it would cost a small input more. */
  keptBytes: 16 << 20,
  keptRowBytes: 64 << 10,
  /** Bytes of texts in rows that wait for the engine: it takes them in one turn of the event loop. */
  appendBytes: 1 << 20,
  /** Such bytes in its memory until they are written to disk. */
  inboxBytes: 16 << 20,
  /** Bytes of texts in a Parquet row group: all are in memory at once. */
  groupBytes: 16 << 20,
  /** Most rows of a sort, and most bytes, all told, of those of its rows that are merged at once: a larger sort runs out of memory. */
  sortRows: 1_000_000,
  sortBytes: 64 << 20,
} as const;
