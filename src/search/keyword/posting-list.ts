/** The postings of a term in a segment, as ranking reads them. Rows are those of the segment. */
export interface PostingList {
  /** Begins again from the first posting. */
  rewind(): void;
  /**
   * Puts the postings from where the last call ended up to row `end` into arrays that hold as many: rows, ascending, and
   * frequencies in half words. Returns how many.
   */
  read(end: number, rows: Int32Array, frequencies: Int32Array): number;
  /** Adds the frequency of the term in each wanted row, ascending, to the sum of the same index. */
  lookUp(wanted: Int32Array, sums: Int32Array): void;
}
