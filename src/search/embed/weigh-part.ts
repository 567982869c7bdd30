import { SEARCH_DEFAULTS } from "../defaults.js";
import { readIntegers, writeNumberFile } from "../number-file.js";
import { IndexVectors } from "./index-vector.js";
import { Vocabulary } from "./vocabulary.js";
import type { WeightedLog } from "./weighted-log.js";

const { dimensions } = SEARCH_DEFAULTS;

/** A log that is to be weighed. */
export interface WeighTask {
  readonly log: WeightedLog;
  readonly features: Uint32Array;
  readonly idf: Float32Array;
  /** Whether the documents' vectors are to be summed up, which fitting needs. */
  readonly measured: boolean;
}

/** The lengths of documents' vectors, each the weighted sum of its features' index vectors. */
export interface Lengths {
  /** By document: 1 / its length; 0 for one without features. */
  readonly inverseLengths: Float64Array;
  /** The sum of the vectors, each of length 1. */
  readonly sum: Float64Array;
}

/** Weighs the rows of a log by how rare they are. Returns what was measured; nothing where it was not asked for. */
export async function weighPart({ log, features, idf, measured }: WeighTask): Promise<Lengths | undefined> {
  const words = readIntegers(log.path, 0, log.length);
  const weights = new Float32Array(words.buffer);
  const vocabulary = new Vocabulary(features, undefined, idf);
  const index = measured ? new IndexVectors(features) : undefined;
  const inverseLengths = new Float64Array(measured ? log.documents : 0);
  const sum = new Float64Array(dimensions);
  const vector = new Float32Array(dimensions);
  let document = 0;
  for (let at = 0; at < words.length; document += 1) {
    const count = words[at]!;
    const first = at + 1;
    at = first + count * 2;
    for (let i = first; i < first + count; i += 1)
      weights[i + count] = vocabulary.weight(words[i]!, words[i + count]!);
    if (index === undefined) continue;
    index.sum(words.subarray(first, first + count), weights.subarray(first + count, at), vector);
    let square = 0;
    for (let k = 0; k < dimensions; k += 1) square += vector[k]! * vector[k]!;
    if (square === 0) continue;
    const inverse = 1 / Math.sqrt(square);
    inverseLengths[document] = inverse;
    for (let k = 0; k < dimensions; k += 1) sum[k]! += vector[k]! * inverse;
  }
  writeNumberFile(log.path, words);
  return measured ? { inverseLengths, sum } : undefined;
}
