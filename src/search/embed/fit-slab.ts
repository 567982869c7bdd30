import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { append } from "../number-file.js";
import { GatherTable } from "./gather-table.js";
import { IndexVectors } from "./index-vector.js";
import { type Occurrences, OccurrencesReader } from "./occurrences.js";
import { readWeightedLogs, type WeightedLog } from "./weighted-log.js";

/** Features whose vectors are summed at a time, and the documents that these have all together. */
const ROWS = 2048;
const ENTRIES = 1 << 18;

/** Some dimensions of all features, to be fitted in one thread. Files hold little-endian numbers, as {@link fitReflective} writes them. */
export interface SlabTask {
  readonly logs: readonly WeightedLog[];
  readonly documents: number;
  readonly files: {
    readonly features: string;
    readonly mean: string;
    readonly inverseLengths: string;
    readonly byteScales: string;
  };
  readonly occurrences: Occurrences;
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
  const { documents, dims } = task;
  const entries = Math.max(ENTRIES, longest(task.occurrences.starts));
  const table = await GatherTable.create({ dims, rows: documents, lists: ROWS, entries });
  await placeDocuments(task, table);
  const occurrences = new OccurrencesReader(task.occurrences);
  const out = openSync(task.out, "w");
  try {
    const size = task.occurrences.starts.length - 1;
    for (let first = 0; first < size; first += ROWS) {
      occurrences.forEach(first, Math.min(size, first + ROWS), (documents, weights) => {
        if (table.add(documents, weights)) return;
        append(out, table.gather());
        table.add(documents, weights);
      });
    }
    append(out, table.gather());
  } finally {
    closeSync(out);
    occurrences.close();
  }
}

/** Entries of the longest list. */
function longest(starts: Uint32Array): number {
  let most = 0;
  for (let row = 1; row < starts.length; row += 1) most = Math.max(most, starts[row]! - starts[row - 1]!);
  return most;
}

/** Makes the documents' vectors the kernels' table, as signed bytes. */
async function placeDocuments({ logs, files, first, dims }: SlabTask, table: GatherTable): Promise<void> {
  const index = new IndexVectors(new Uint32Array(await ownBuffer(files.features))).slab(first, dims);
  const mean = new Float64Array(await ownBuffer(files.mean)).subarray(first, first + dims);
  const inverseLengths = new Float64Array(await ownBuffer(files.inverseLengths));
  const byteScales = new Float64Array(await ownBuffer(files.byteScales));
  const { vector } = table;
  const sum = new Float32Array(dims);
  let document = 0;
  for (const { rows, weights } of readWeightedLogs(logs)) {
    const inverse = inverseLengths[document]!;
    if (inverse > 0) {
      sum.fill(0);
      for (let i = 0; i < rows.length; i += 1) index.add(rows[i]!, weights[i]!, sum);
      for (let k = 0; k < dims; k += 1) vector[k] = sum[k]! * inverse - mean[k]!;
      table.place(document, byteScales[document]!);
    }
    document += 1;
  }
}

async function ownBuffer(path: string): Promise<ArrayBuffer> {
  return Uint8Array.from(await readFile(path)).buffer;
}
