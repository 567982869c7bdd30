/**
 * What the search index knows of a record: its words and, where the slice brings one, its downloaded vector.
 * Row numbers are given in order of arrival.
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
}

/** A source of documents that can be read more than once, each time in the same order, in batches. */
export type DocumentSource = () => AsyncIterable<readonly IndexDocument[]>;

/** The rows that a query may answer: what the search index needs of a set of row numbers. */
export interface CandidateRows {
  /** Rows in the generation, in the set or not. */
  readonly size: number;
  /** Rows in the set. */
  readonly count: number;
  has(row: number): boolean;
  /** The rows of the set, ascending. */
  rows(): Uint32Array;
  /** Row r is bit r mod 32 of word r div 32. */
  readonly bits: Uint32Array;
}
