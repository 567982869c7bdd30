import { SEARCH_DEFAULTS } from "../defaults.js";
import { IndexVectors } from "./index-vector.js";
import type { Vocabulary } from "./vocabulary.js";
import { readWeightedLogs, type WeightedLog } from "./weighted-log.js";

const { dimensions } = SEARCH_DEFAULTS;
/** The largest entry of a document's vector as a signed byte. */
export const LARGEST_BYTE = 127;

/** What fitting needs to know of the documents' vectors, v / |v| of a document's sum v of index vectors, before any. */
export interface Geometry {
  /** Mean over the documents that have features. */
  readonly mean: Float64Array;
  /** By document: 1 / |v|; 0 for one without features, or that is the mean itself. */
  readonly inverseLengths: Float64Array;
  /** By document: 1 / the largest magnitude in v / |v| − mean, times 127: what makes it signed bytes. */
  readonly byteScales: Float64Array;
  /** By document: what its bytes are multiplied by to be v / |v| − mean with length 1. */
  readonly scales: Float32Array;
}

/** Measures the documents' vectors: their lengths, their mean, their lengths less the mean. */
export function measureDocuments(
  logs: readonly WeightedLog[],
  vocabulary: Vocabulary,
  signal?: AbortSignal,
): Geometry {
  const index = new IndexVectors(vocabulary.features);
  const documents = logs.reduce((sum, log) => sum + log.documents, 0);
  const inverseLengths = new Float64Array(documents);
  const mean = new Float64Array(dimensions);
  let measured = 0;
  forEachSum(logs, index, signal, (vector, document) => {
    let square = 0;
    for (let k = 0; k < dimensions; k += 1) square += vector[k]! * vector[k]!;
    if (square === 0) return;
    const inverse = 1 / Math.sqrt(square);
    inverseLengths[document] = inverse;
    for (let k = 0; k < dimensions; k += 1) mean[k]! += vector[k]! * inverse;
    measured += 1;
  });
  for (let k = 0; k < dimensions; k += 1) mean[k]! /= Math.max(1, measured);
  const byteScales = new Float64Array(documents);
  const scales = new Float32Array(documents);
  forEachSum(logs, index, signal, (vector, document) => {
    const inverse = inverseLengths[document]!;
    let square = 0;
    let largest = 0;
    for (let k = 0; k < dimensions; k += 1) {
      const value = vector[k]! * inverse - mean[k]!;
      square += value * value;
      const magnitude = value < 0 ? -value : value;
      if (magnitude > largest) largest = magnitude;
    }
    if (inverse === 0 || largest === 0) {
      inverseLengths[document] = 0;
      return;
    }
    byteScales[document] = LARGEST_BYTE / largest;
    scales[document] = largest / (LARGEST_BYTE * Math.sqrt(square));
  });
  return { mean, inverseLengths, byteScales, scales };
}

/** Calls `visit` with each document's sum of index vectors, weighted; the vector is used again. */
function forEachSum(
  logs: readonly WeightedLog[],
  index: IndexVectors,
  signal: AbortSignal | undefined,
  visit: (vector: Float32Array, document: number) => void,
): void {
  const vector = new Float32Array(dimensions);
  let document = 0;
  for (const { rows, weights } of readWeightedLogs(logs)) {
    if (document % 1024 === 0) signal?.throwIfAborted();
    vector.fill(0);
    for (let i = 0; i < rows.length; i += 1) index.add(rows[i]!, weights[i]!, vector);
    visit(vector, document);
    document += 1;
  }
}
