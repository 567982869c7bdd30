/** Limits of what a slice holds. */
export const SLICE_LIMITS = {
  /** Levels of nested arrays and objects in an item: far more than any source has, far fewer than the stack takes. */
  jsonDepth: 512,
  /** Bytes (UTF-8) of one text, of one list's texts, and of the JSON of one raw item: JavaScript holds four times as much in a string. */
  textBytes: 128 * 1024 * 1024,
} as const;

/** Defaults of writing slices. */
export const SLICE_DEFAULTS = {
  /** Items that are taken before others get a turn of the event loop: about 15 ms of work. */
  turnItems: 512,
  /** Bytes (UTF-8) of a text or list above which it is staged beside the engine, which sorts 120,000 rows in memory. */
  longBytes: 1024,
  /** Bytes of texts in rows that wait for the engine, and in its memory until they are written to disk. */
  appendBytes: 4 << 20,
  inboxBytes: 16 << 20,
  /** Bytes of texts in a Parquet row group: all are in memory at once. */
  groupBytes: 16 << 20,
  /** Most rows of a sort, and where they have more bytes on average than narrow ones, most bytes: a larger sort runs out of memory. */
  sortRows: 1_000_000,
  narrowRowBytes: 512,
  sortBytes: 64 << 20,
} as const;
