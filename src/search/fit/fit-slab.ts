import { append, readNumbers, withFile } from "../numbers/number-file.js";
import { FeatureSink, type FeatureTarget, type FittedFeatures } from "./feature-sink.js";
import type { FitCorpus } from "./fit-corpus.js";
import { BLOCK, GatherTable } from "./gather-table.js";
import { featuresIn, forEachFeature, longest } from "./occurrences.js";
import { BATCH_FEATURES, type SumSink } from "./sum-sink.js";

/** Most documents of a batch of features, unless one feature has more. */
const ENTRIES = 1 << 18;

/** Features of a corpus to sum in one thread, in a slab of consecutive dimensions. */
interface Slab extends FitCorpus {
  /** The slab's first dimension. */
  readonly first: number;
  /** How many dimensions it has: a multiple of 64. */
  readonly dims: number;
}

/** Task: features to fit in one thread, in all dimensions. */
export interface FitTask extends Slab {
  readonly target: FeatureTarget;
}

/** Task: features to sum in one thread, in a slab. */
export interface SlabTask extends Slab {
  /** File that gets rows: `dims` 32-bit floats each, one row per feature. */
  readonly path: string;
}

/** Fits features in all dimensions. */
export async function fitFeatures(task: FitTask): Promise<FittedFeatures> {
  const sink = await FeatureSink.create(task.target);
  await sumFeatures(task, sink);
  return sink.save(task.target.path);
}

/** Sums features in a slab of dimensions, for `combineSlabs`. */
export async function sumSlab(task: SlabTask): Promise<void> {
  await withFile(task.path, "w", (descriptor) =>
    sumFeatures(task, { write: (sums) => append(descriptor, sums) }),
  );
}

/**
 * Sums, for every feature, the weighted vectors of its documents (unit length, centred) in a slab of
 * dimensions: the reflection of reflective random indexing.
 */
async function sumFeatures(
  { documents, occurrences, first, dims, vectors }: Slab,
  sink: SumSink,
): Promise<void> {
  const total = occurrences.reduce((sum, { starts }) => sum + starts.at(-1)!, 0);
  const entries = Math.max(Math.min(ENTRIES, total), ...occurrences.map(longest));
  const lists = Math.min(BATCH_FEATURES, featuresIn(occurrences));
  const table = await GatherTable.create({ dims, rows: documents, lists, entries });
  await withFile(vectors, "r", (descriptor) => {
    for (let at = 0; at < dims; at += BLOCK)
      readNumbers(descriptor, (first + at) * documents, table.block(at));
  });
  for (const part of occurrences) {
    forEachFeature(part, BATCH_FEATURES, (held, weights) => {
      if (table.add(held, weights)) return;
      sink.write(table.gather());
      table.add(held, weights);
    });
  }
  sink.write(table.gather());
}
