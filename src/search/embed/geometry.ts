import { SEARCH_DEFAULTS } from "../defaults.js";
import { IndexVectors } from "./index-vector.js";
import { readWeightedLogs, type WeightedLog } from "./weighted-log.js";

const { dimensions } = SEARCH_DEFAULTS;

/** What fitting needs to know of all documents before any feature. */
export interface Geometry {
  /**
   * By document: what its sum of index vectors is multiplied by, so that less the mean times `centred` it has length 1;
   * 0 for a document without features.
   */
  readonly coefficients: Float32Array;
  /** Mean over the documents, each of length 1. */
  readonly mean: Float64Array;
  /** By feature: Σ weight / |document − mean| over its documents: how much of the mean it has gained. */
  readonly totals: Float64Array;
}

/** Measures the documents' vectors: their lengths, their mean, their lengths less the mean. */
export function measureDocuments(
  logs: readonly WeightedLog[],
  features: Uint32Array,
  signal?: AbortSignal,
): Geometry {
  const index = new IndexVectors(features);
  const vector = new Float32Array(dimensions);
  const inverseLengths = new Float64Array(documentsIn(logs));
  const mean = new Float64Array(dimensions);
  let document = 0;
  let measured = 0;
  for (const { rows, weights } of readWeightedLogs(logs)) {
    if (document % 1024 === 0) signal?.throwIfAborted();
    vector.fill(0);
    for (let i = 0; i < rows.length; i += 1) index.add(rows[i]!, weights[i]!, vector);
    let square = 0;
    for (let k = 0; k < dimensions; k += 1) square += vector[k]! * vector[k]!;
    if (square > 0) {
      const inverse = 1 / Math.sqrt(square);
      inverseLengths[document] = inverse;
      for (let k = 0; k < dimensions; k += 1) mean[k]! += vector[k]! * inverse;
      measured += 1;
    }
    document += 1;
  }
  for (let k = 0; k < dimensions; k += 1) mean[k]! /= Math.max(1, measured);
  return { mean, ...centre(logs, index, inverseLengths, mean, signal) };
}

function centre(
  logs: readonly WeightedLog[],
  index: IndexVectors,
  inverseLengths: Float64Array,
  mean: Float64Array,
  signal?: AbortSignal,
): Pick<Geometry, "coefficients" | "totals"> {
  const coefficients = new Float32Array(documentsIn(logs));
  const totals = new Float64Array(index.size);
  const vector = new Float32Array(dimensions);
  let document = 0;
  for (const { rows, weights } of readWeightedLogs(logs)) {
    if (document % 1024 === 0) signal?.throwIfAborted();
    const inverse = inverseLengths[document]!;
    vector.fill(0);
    for (let i = 0; i < rows.length; i += 1) index.add(rows[i]!, weights[i]!, vector);
    let square = 0;
    for (let k = 0; k < dimensions; k += 1) square += (vector[k]! * inverse - mean[k]!) ** 2;
    if (inverse > 0 && square > 0) {
      const centred = 1 / Math.sqrt(square);
      coefficients[document] = inverse * centred;
      for (let i = 0; i < rows.length; i += 1) totals[rows[i]!]! += weights[i]! * centred;
    }
    document += 1;
  }
  return { coefficients, totals };
}

function documentsIn(logs: readonly WeightedLog[]): number {
  return logs.reduce((sum, { documents }) => sum + documents, 0);
}
