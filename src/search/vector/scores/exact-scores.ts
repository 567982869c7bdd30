/**
 * Exact scores of stored vectors: inner products with a query, in arithmetic of fixed order, so that they are the same on
 * every machine.
 */
export interface ExactScores {
  /** Rows to score per turn of the event loop: some milliseconds. */
  readonly run: number;
  /** Reads rows ahead where reads are slow. Resolves when all are read. */
  readAhead(rows: Uint32Array): Promise<void>;
  /**
   * Calls `offer` with each row's score, in the order of `rows`. Reads and computes synchronously.
   * @param keep whether rows that are read are kept in memory, in the place of others: those of a search, which others may find too, not
   * of a pass over all
   */
  score(
    query: Float32Array,
    rows: Uint32Array,
    offer: (row: number, score: number) => void,
    keep?: boolean,
  ): void;
}
