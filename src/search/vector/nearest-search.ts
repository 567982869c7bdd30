import type { SearchStep } from "./set-recall.js";
import type { Scored } from "./top-k.js";

/** Options of {@link NearestSearch.nearest}. */
export interface NearestOptions {
  /** Rows to search, ascending; default: all. */
  readonly rows?: Uint32Array;
  /** Scores every row exactly, over its 1536 dimensions. */
  readonly exact?: boolean;
  /** How candidates are found; default: from the set's plan. */
  readonly step?: SearchStep;
  readonly signal?: AbortSignal;
}

/** Nearest-neighbour search in a vector set, in this thread or in a worker thread. */
export interface NearestSearch {
  /**
   * Returns the rows of largest inner product with the query (1536 dimensions), best first, at most `limit`;
   * ties by row number.
   */
  nearest(query: Float32Array, limit: number, options?: NearestOptions): Promise<Scored>;
}
