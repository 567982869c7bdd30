/** Reads all texts to be embedded, in batches, in the same order every time. */
export type TextSource = () => AsyncIterable<readonly string[]>;

/**
 * Turns text into vectors of unit norm. A vector is only ever compared with vectors of an embedder of the same id.
 */
export interface Embedder {
  /** Names the model, and the hash of its fit where it is fitted. */
  readonly id: string;
  /** Numbers in a vector, at most 1536; shorter ones are padded with zeros. */
  readonly dims: number;
  /** One vector of `dims` numbers per text; all zeros for a text without any known word. */
  embedDocuments(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** A vector of `dims` numbers, or undefined where the query holds nothing that the embedder knows. */
  embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array | undefined>;
  /**
   * Fits the embedder to the texts of an index that is built anew; what it returns, under an id of its own, makes the
   * vectors. The caller keeps the fit: opening the index needs an embedder of that id.
   */
  fit?(texts: TextSource, signal?: AbortSignal): Promise<Embedder>;
  /** What the embedder is, for the index's manifest: model, version, hash of a fit. */
  readonly state?: Readonly<Record<string, string | number>>;
}
