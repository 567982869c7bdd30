import type { CandidateRows } from "./document.js";
import type { Ranks } from "./fusion.js";
import type { VectorPlace } from "./segment/row-vectors.js";

/** The note of a ranking where no record holds what the query quotes. */
export const NO_PHRASE = "no record holds what was quoted: its words were looked for";

/** The note of a ranking by the lake's own embedder where another one made vectors of its records. */
export const notAtHand = (embedder: string) =>
  `ranked by the lake's own vectors: ${embedder}, which made others, is not at hand`;

/** How a query is ranked. */
export type RankMode = "hybrid" | "keyword" | "semantic";

/** Rows that answer a query, best first. */
export interface Ranking {
  readonly rows: readonly number[];
  readonly scores: readonly number[];
  /** Which ranking found each row. */
  readonly ranks: readonly Ranks[];
  readonly mode: RankMode;
  /** Id of the embedder used for ranking, if any. */
  readonly embedder?: string;
  /** A note for the caller, such as why ranking is keyword only. */
  readonly note?: string;
}

/** Options of {@link SearchIndex.rank}. */
export interface RankOptions {
  readonly limit: number;
  readonly mode?: RankMode;
  readonly signal?: AbortSignal;
  /**
   * Called with rows that the ranking is likely to begin with, at most once, where this thread would only wait for others: what an
   * answer needs of them can be read meanwhile. The ranking may have none of them.
   */
  readonly onLikely?: (rows: readonly number[]) => void;
}

/** Options of {@link SearchIndex.nearest}. */
export interface NearestRows {
  readonly limit: number;
  /** Scores every candidate. */
  readonly exact?: boolean;
  /** What the vector is of: a query whose words, as in {@link SearchIndex.rank}, help to find rows near it. */
  readonly query?: string;
  readonly signal?: AbortSignal;
}

/** An open search index: ranks rows for a query and reads their vectors. */
export interface SearchIndex {
  readonly documentCount: number;
  /** Id of the embedder of generated vectors, for rows without a downloaded one. */
  readonly embedderId: string;
  /** Where the vectors of rows are, for another process to read. */
  readonly vectorPlaces: readonly VectorPlace[];
  /** Ranks the candidates for a query; returns at most `limit` rows. */
  rank(query: string, candidates: CandidateRows, options: RankOptions): Promise<Ranking>;
  /** Embeds a query with the index's embedder, 1536 numbers; undefined if it knows none of the words. */
  embedQuery(query: string, signal?: AbortSignal): Promise<Float32Array | undefined>;
  /**
   * Returns the candidates of largest cosine with a vector (1536 numbers) of the index's embedder, best first.
   */
  nearest(vector: Float32Array, candidates: CandidateRows, options: NearestRows): Promise<number[]>;
  /**
   * Reads a 1536-d vector per row: the downloaded one if there is one, else that of {@link
   * SearchIndex.embedderId}, whichever embedder is available.
   */
  vectors(rows: readonly number[]): Promise<Float32Array[]>;
  /** Reads the vector of one row synchronously. */
  vector(row: number): Float32Array;
  /** Reads the vectors of rows synchronously, in their order, into `into`: 1536 numbers each. */
  vectorsInto(rows: ArrayLike<number>, into: Float32Array): void;
  close(): Promise<void>;
}
