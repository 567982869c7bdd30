import { SEARCH_DEFAULTS } from "../defaults.js";
import { type RunOptions, runTasks } from "../run-tasks.js";
import { type MeasureTask, measurePart } from "./measure-part.js";
import type { Vocabulary } from "./vocabulary.js";
import type { Lengths } from "./weigh-part.js";
import type { WeightedLog } from "./weighted-log.js";

const { dimensions } = SEARCH_DEFAULTS;

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

/** A weighed log and the lengths of its documents' vectors. */
export interface WeighedPart {
  readonly log: WeightedLog;
  readonly lengths: Lengths;
}

/** Measures the documents' vectors: their mean, and each one's length and largest magnitude without it. */
export async function measureDocuments(
  parts: readonly WeighedPart[],
  { features }: Vocabulary,
  options: Pick<RunOptions<MeasureTask>, "threads" | "signal">,
): Promise<Geometry> {
  const mean = meanOf(parts);
  const tasks = parts.map(({ log, lengths: { inverseLengths } }) => ({
    log,
    features,
    mean,
    inverseLengths,
  }));
  const measured = await runTasks(new URL("./measure-part.js", import.meta.url), measurePart, tasks, options);
  const documents = parts.reduce((sum, { log }) => sum + log.documents, 0);
  const inverseLengths = new Float64Array(documents);
  const byteScales = new Float64Array(documents);
  const scales = new Float32Array(documents);
  let first = 0;
  for (const [i, { log, lengths }] of parts.entries()) {
    inverseLengths.set(lengths.inverseLengths, first);
    byteScales.set(measured[i]!.byteScales, first);
    scales.set(measured[i]!.scales, first);
    first += log.documents;
  }
  byteScales.forEach((scale, document) => {
    if (scale === 0) inverseLengths[document] = 0;
  });
  return { mean, inverseLengths, byteScales, scales };
}

function meanOf(parts: readonly WeighedPart[]): Float64Array {
  const mean = new Float64Array(dimensions);
  let documents = 0;
  for (const { lengths } of parts) {
    for (let k = 0; k < dimensions; k += 1) mean[k]! += lengths.sum[k]!;
    for (const inverse of lengths.inverseLengths) if (inverse !== 0) documents += 1;
  }
  for (let k = 0; k < dimensions; k += 1) mean[k]! /= Math.max(1, documents);
  return mean;
}
