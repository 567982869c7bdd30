import type { AmongRows } from "./among-rows.js";
import type { SearchStep } from "./recall/set-recall.js";
import type { Scored } from "./scores/top-k.js";

/** Options of {@link NearestSearch.nearest}. */
export interface NearestOptions {
  /** Rows to search; default: all. */
  readonly rows?: AmongRows;
  /** Scores every row exactly, over its 1536 dimensions. */
  readonly exact?: boolean;
  /** How candidates are found; default: from the set's plan. */
  readonly step?: SearchStep;
  /** Rows that are likely near, as those with words of the query are; in any order. */
  readonly hints?: Uint32Array;
  /** What searches of other sets for the same query share, see {@link ScoreExchange}: the nearest rows of all of them are wanted. */
  readonly exchange?: SharedArrayBuffer | undefined;
  readonly signal?: AbortSignal;
}

/** Nearest-neighbour search in a vector set, in this thread or in a worker thread. */
export interface NearestSearch {
  /** Whether a search finds more, or as much sooner, with {@link NearestOptions.hints}. */
  readonly takesHints: boolean;
  /** Whether another thread searches, so that the caller's is free meanwhile. */
  readonly isAside: boolean;
  /** Whether it takes part in a {@link NearestOptions.exchange}: it leaves, at least. */
  readonly exchanges: boolean;
  /**
   * Returns the rows of largest inner product with the query (1536 dimensions), best first, at most `limit`;
   * ties by row number.
   */
  nearest(query: Float32Array, limit: number, options?: NearestOptions): Promise<Scored>;
}
