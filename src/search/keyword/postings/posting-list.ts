/** The postings of a term in a segment, as ranking reads them. Rows are relative to the segment. */
export interface PostingList {
  /** Restarts at the first posting. */
  rewind(): void;
  /**
   * Reads the postings from the end of the last call up to row `end` into arrays: ascending rows, and
   * frequencies in half words. Returns their number.
   */
  read(end: number, rows: Int32Array, frequencies: Int32Array): number;
  /** Adds the frequency of the term in each target row (ascending) to the sum at the same index. */
  lookUp(targets: Int32Array, sums: Int32Array): void;
}
