import type { Scored } from "./top-k.js";

/** Options of {@link NearestSearch.nearest}. */
export interface NearestOptions {
  /** The only rows that may answer, ascending; all where absent. */
  readonly rows?: Uint32Array;
  /** Score every row by its 1536 numbers. */
  readonly exact?: boolean;
  /** Candidates to choose by binary codes or graphs, at least the limit; by the set's plan where absent. */
  readonly depth?: number;
  readonly signal?: AbortSignal;
}

/** Finds vectors of a set near to another one: here, or in a thread of its own. */
export interface NearestSearch {
  /** The rows of largest inner product with the query (1536 numbers), best first, at most `limit`; ties by row. */
  nearest(query: Float32Array, limit: number, options?: NearestOptions): Promise<Scored>;
}
