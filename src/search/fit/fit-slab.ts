import { closeSync, openSync } from "node:fs";
import { append, readNumbers } from "../numbers/number-file.js";
import { BLOCK, GatherTable } from "./gather-table.js";
import { forEachFeature, longest, type Occurrences } from "./occurrences.js";

/** Features summed per batch, and most documents of a batch. */
const ROWS = 2048;
const ENTRIES = 1 << 18;

/** Task: a slab of dimensions of all features, to fit in one thread. */
export interface SlabTask {
  /** File of the documents' vectors, see {@link MeasureTask}. */
  readonly vectors: string;
  readonly documents: number;
  /** Occurrences of all features, in order. */
  readonly occurrences: readonly Occurrences[];
  readonly first: number;
  /** A multiple of 64. */
  readonly dims: number;
  /** Output file of rows: `dims` 32-bit floats each. */
  readonly out: string;
}

/**
 * Sums, for every feature, the weighted vectors of its documents (unit length, centred) in a slab of
 * dimensions: the reflection of reflective random indexing.
 */
export async function fitSlab(task: SlabTask): Promise<void> {
  const { documents, occurrences, first, dims } = task;
  const entries = Math.max(ENTRIES, ...occurrences.map(longest));
  const table = await GatherTable.create({ dims, rows: documents, lists: ROWS, entries });
  const vectors = openSync(task.vectors, "r");
  const out = openSync(task.out, "w");
  try {
    for (let at = 0; at < dims; at += BLOCK) readNumbers(vectors, (first + at) * documents, table.block(at));
    for (const part of occurrences) {
      forEachFeature(part, ROWS, (held, weights) => {
        if (table.add(held, weights)) return;
        append(out, table.gather());
        table.add(held, weights);
      });
    }
    append(out, table.gather());
  } finally {
    closeSync(vectors);
    closeSync(out);
  }
}
