import { readIntegers } from "../numbers/number-file.js";

/** The features of a document as rows of the vocabulary, ascending, with their weights. */
export interface WeightedDocument {
  readonly rows: Uint32Array;
  readonly weights: Float32Array;
}

/**
 * Documents as rows and weights, in a temporary file of 32-bit numbers. Per document: number of rows, the rows,
 * their weights.
 */
export interface WeightedLog {
  readonly path: string;
  /** Number of 32-bit numbers in the file. */
  readonly length: number;
  readonly documents: number;
}

/** Iterates over the documents of a log, in new arrays. */
export function readWeightedLog({ path, length }: WeightedLog): Generator<WeightedDocument, void, void> {
  return weightedDocuments(readIntegers(path, 0, length));
}

/** Iterates over the documents in the content of a log. */
export function* weightedDocuments(words: Uint32Array): Generator<WeightedDocument, void, void> {
  const weights = new Float32Array(words.buffer, words.byteOffset, words.length);
  for (let at = 0; at < words.length; ) {
    const count = words[at]!;
    const first = at + 1;
    at = first + count * 2;
    yield { rows: words.subarray(first, first + count), weights: weights.subarray(first + count, at) };
  }
}

/** Iterates over the documents of several logs, in order. */
export function* readWeightedLogs(logs: readonly WeightedLog[]): Generator<WeightedDocument, void, void> {
  for (const log of logs) yield* readWeightedLog(log);
}
