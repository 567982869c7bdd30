import { closeSync, openSync } from "node:fs";
import { readNumbers } from "../numbers/number-file.js";
import type { FitCorpus } from "./fit-corpus.js";
import { BLOCK, GatherTable } from "./gather-table.js";
import { featuresIn, forEachFeature, longest } from "./occurrences.js";
import { BATCH_FEATURES, ByteSink, FloatSink, type SumSink } from "./sum-sinks.js";

/** Most documents of a batch of features, unless one feature has more. */
const ENTRIES = 1 << 18;

/** Where the sums of a slab go. */
export type SlabOutput =
  /** Existing file of the features' vectors, where the slab has all dimensions; the task's first feature is at `row`. */
  | { readonly kind: "bytes"; readonly path: string; readonly row: number }
  /** File of rows: `dims` 32-bit floats each, one row per feature. */
  | { readonly kind: "floats"; readonly path: string };

/** Task: features of a corpus to fit in one thread, in a slab of consecutive dimensions. */
export interface SlabTask extends FitCorpus {
  /** The slab's first dimension. */
  readonly first: number;
  /** How many dimensions it has: a multiple of 64. */
  readonly dims: number;
  readonly output: SlabOutput;
}

/**
 * Sums, for every feature, the weighted vectors of its documents (unit length, centred) in a slab of
 * dimensions: the reflection of reflective random indexing.
 *
 * @returns by feature, the scale of its bytes; empty where the sums are written as floats
 */
export async function fitSlab(task: SlabTask): Promise<Float32Array> {
  const { documents, occurrences, first, dims } = task;
  const total = occurrences.reduce((sum, { starts }) => sum + starts.at(-1)!, 0);
  const entries = Math.max(Math.min(ENTRIES, total), ...occurrences.map(longest));
  const lists = Math.min(BATCH_FEATURES, featuresIn(occurrences));
  const table = await GatherTable.create({ dims, rows: documents, lists, entries });
  const vectors = openSync(task.vectors, "r");
  try {
    for (let at = 0; at < dims; at += BLOCK) readNumbers(vectors, (first + at) * documents, table.block(at));
  } finally {
    closeSync(vectors);
  }
  const sink = await openSink(task);
  try {
    for (const part of occurrences) {
      forEachFeature(part, BATCH_FEATURES, (held, weights) => {
        if (table.add(held, weights)) return;
        sink.write(table.gather());
        table.add(held, weights);
      });
    }
    sink.write(table.gather());
    return sink.scales;
  } finally {
    sink.close();
  }
}

async function openSink({ output, occurrences }: SlabTask): Promise<SumSink> {
  return output.kind === "bytes"
    ? ByteSink.open(output.path, output.row, featuresIn(occurrences))
    : new FloatSink(output.path);
}
