/**
 * A record in the search index: its texts and, if the slice has one, its downloaded vector. Row numbers follow
 * the order of arrival.
 */
export interface IndexDocument {
  readonly id: string;
  /** BCP-47 tag; `und` where unknown. */
  readonly lang: string;
  readonly title?: string;
  readonly text?: string;
  readonly entities?: readonly string[];
  readonly comment_thread?: readonly string[];
  readonly review_sample?: readonly string[];
  /** Downloaded vector: 1536 numbers, with the name of the model that made it. */
  readonly vector?: { readonly model: string; readonly values: Float32Array };
  /** What the index's embedder made for this document before: 1536 numbers, of unit length. */
  readonly made?: Float32Array | undefined;
}

/** A source of documents that can be read repeatedly, in the same order, in batches. */
export type DocumentSource = () => AsyncIterable<readonly IndexDocument[]>;

/** Candidate rows of a query, as a set of row numbers. */
export interface CandidateRows {
  /** Number of rows in the generation. */
  readonly size: number;
  /** Number of rows in the set. */
  readonly count: number;
  has(row: number): boolean;
  /** The rows of the set, ascending. */
  rows(): Uint32Array;
  /** Row r is bit r mod 32 of word r div 32. */
  readonly bits: Uint32Array;
}
