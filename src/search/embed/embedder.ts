/** Reads all texts to embed, in batches, in the same order every time. */
export type TextSource = () => AsyncIterable<readonly string[]>;

/**
 * Turns text into vectors, which are compared by their cosines: their length does not count. A vector is only ever compared with
 * vectors of an embedder of the same id.
 */
export interface Embedder {
  /** Name of the model, with the hash of its fit if it is fitted. */
  readonly id: string;
  /** Dimensions, at most 1536; shorter vectors are padded with zeros. */
  readonly dims: number;
  /** Returns one vector of `dims` numbers per text; zeros for a text without known words. */
  embedDocuments(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** Returns a vector of `dims` numbers, or undefined if the query has no known words. */
  embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array | undefined>;
  /**
   * Fits the embedder to the texts of an index that is rebuilt. The returned embedder, with an id of its own,
   * makes the vectors. The caller keeps the fit: opening the index needs an embedder of that id.
   */
  fit?(texts: TextSource, signal?: AbortSignal): Promise<Embedder>;
  /** State for the index's manifest: model, version, hash of a fit. */
  readonly state?: Readonly<Record<string, string | number>>;
}
