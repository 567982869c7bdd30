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
  /** Characters of a text or list above which it is staged beside the engine, which takes 2,048 values at once. */
  longCharacters: 8192,
  /** Characters of rows that wait for the engine, and of those in its memory until they are written to disk. */
  appendCharacters: 4 << 20,
  inboxCharacters: 16 << 20,
  /** Most characters of a Parquet row group, on average, and its bytes in a table with long texts: all are in memory at once. */
  groupCharacters: 32 << 20,
  groupBytes: 16 << 20,
} as const;
