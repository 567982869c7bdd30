/** Limits of what a slice holds. */
export const SLICE_LIMITS = {
  /** Levels of nested arrays and objects in an item: far more than any source has, far fewer than the stack takes. */
  jsonDepth: 512,
  /** Bytes (UTF-8) of one text, of one list's texts, and of the JSON of one raw item: JavaScript holds four times as much in a string. */
  textBytes: 128 * 1024 * 1024,
} as const;

/** Tunable numbers of reading slices. */
export const SLICE_DEFAULTS = {
  /** Slices that are checked at once: the engine works for one while this thread works for another. */
  checkedAtOnce: 2,
  /** Milliseconds of a turn of the event loop in which rows are checked. */
  turnMs: 10,
  /** Most rows of a file that are all read and looked at: from some more on, checks of the engine take less time. */
  smallRows: 200,
  /** Most bytes of such a file. */
  smallBytes: 1024 * 1024,
} as const;
