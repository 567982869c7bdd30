/** The postings of a term in a segment, as ranking reads them. */
export interface PostingList {
  /**
   * Puts the next postings into arrays of equal length, at least {@link READ_AT_ONCE}: rows, ascending, and frequencies in half
   * words. Returns how many; 0 after the last.
   */
  read(rows: Int32Array, frequencies: Int32Array): number;
  /** Adds the frequency of the term in each wanted row, all of the segment and ascending, to `sums` at that row. */
  lookUp(wanted: Int32Array, sums: Int32Array): void;
}

/** Postings that are decoded at once. */
export const READ_AT_ONCE = 1024;
