import { closeSync, openSync } from "node:fs";
import { append, readNumbers } from "../numbers/number-file.js";
import { BLOCK, GatherTable } from "./gather-table.js";
import { forEachFeature, longest, type Occurrences } from "./occurrences.js";

/** Features whose vectors are summed at a time, and the documents that these have all together. */
const ROWS = 2048;
const ENTRIES = 1 << 18;

/** Some dimensions of all features, to be fitted in one thread. */
export interface SlabTask {
  /** The documents' vectors, as {@link MeasureTask} describes the file. */
  readonly vectors: string;
  readonly documents: number;
  /** Of all features, in their order. */
  readonly occurrences: readonly Occurrences[];
  readonly first: number;
  /** A multiple of 64. */
  readonly dims: number;
  /** Where the rows go: 32-bit floats, `dims` a row. */
  readonly out: string;
}

/**
 * Sums, for every feature, the vectors of the documents that hold it (of length 1, less their mean), by weight: the
 * reflection of reflective random indexing, for some of the dimensions.
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
