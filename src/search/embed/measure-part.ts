import { SEARCH_DEFAULTS } from "../defaults.js";
import { IndexVectors } from "./index-vector.js";
import { readWeightedLog, type WeightedLog } from "./weighted-log.js";

const { dimensions } = SEARCH_DEFAULTS;
/** The largest entry of a document's vector as a signed byte. */
export const LARGEST_BYTE = 127;

/** A weighed log whose vectors are to be measured, less the mean of all. */
export interface MeasureTask {
  readonly log: WeightedLog;
  readonly features: Uint32Array;
  readonly mean: Float64Array;
  /** By document, as {@link Lengths} has them. */
  readonly inverseLengths: Float64Array;
}

/** What makes documents' vectors v of length 1, less their mean, signed bytes. */
export interface Scales {
  /** By document: 127 / the largest magnitude; 0 for one that has no vector, or is the mean itself. */
  readonly byteScales: Float64Array;
  /** By document: what its bytes are multiplied by for a vector of length 1; 0 likewise. */
  readonly scales: Float32Array;
}

/** Measures the documents' vectors, less the mean. */
export async function measurePart({ log, features, mean, inverseLengths }: MeasureTask): Promise<Scales> {
  const index = new IndexVectors(features);
  const byteScales = new Float64Array(log.documents);
  const scales = new Float32Array(log.documents);
  const vector = new Float32Array(dimensions);
  let document = -1;
  for (const { rows, weights } of readWeightedLog(log)) {
    document += 1;
    const inverse = inverseLengths[document]!;
    if (inverse === 0) continue;
    index.sum(rows, weights, vector);
    let square = 0;
    let largest = 0;
    for (let k = 0; k < dimensions; k += 1) {
      const value = vector[k]! * inverse - mean[k]!;
      square += value * value;
      const magnitude = value < 0 ? -value : value;
      if (magnitude > largest) largest = magnitude;
    }
    if (largest === 0) continue;
    byteScales[document] = LARGEST_BYTE / largest;
    scales[document] = largest / (LARGEST_BYTE * Math.sqrt(square));
  }
  return { byteScales, scales };
}
