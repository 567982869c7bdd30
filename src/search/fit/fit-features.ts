import { closeSync, openSync } from "node:fs";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { readNumbers, writeNumbers } from "../numbers/number-file.js";
import { ByteRows } from "./byte-rows.js";
import { BLOCK, GatherTable } from "./gather-table.js";
import { forEachFeature, longest, type Occurrences } from "./occurrences.js";

const { dimensions } = SEARCH_DEFAULTS;
/** Features summed per batch, and most documents of a batch. */
const ROWS = 2048;
const ENTRIES = 1 << 18;

/** Task: features to fit in one thread that holds all document vectors. */
export interface FeaturesTask {
  /** File of the documents' vectors, see {@link MeasureTask}. */
  readonly vectors: string;
  readonly documents: number;
  /** Occurrences of these features. */
  readonly occurrences: Occurrences;
  /** Existing file: vector i is at index i, 1536 signed bytes each. */
  readonly out: string;
  /** Row of the first of the features. */
  readonly first: number;
}

/**
 * Fits features like {@link fitSlab}, all dimensions at once, and writes their vectors as bytes.
 *
 * @returns by feature, the scale of its bytes
 */
export async function fitFeatures(task: FeaturesTask): Promise<Float32Array> {
  const { vectors, documents, occurrences, out, first } = task;
  const entries = Math.max(ENTRIES, longest(occurrences));
  const table = await GatherTable.create({ dims: dimensions, rows: documents, lists: ROWS, entries });
  const made = await ByteRows.create(dimensions, ROWS);
  const scales = new Float32Array(occurrences.starts.length - 1);
  const source = openSync(vectors, "r");
  const target = openSync(out, "r+");
  let done = 0;
  const flush = () => {
    const sums = table.gather();
    const rows = sums.length / dimensions;
    for (let row = 0; row < rows; row += 1) {
      made.vector.set(sums.subarray(row * dimensions, (row + 1) * dimensions));
      scales[done + row] = made.make(row);
    }
    writeNumbers(target, (first + done) * dimensions, made.bytes(rows));
    done += rows;
  };
  try {
    for (let at = 0; at < dimensions; at += BLOCK) readNumbers(source, at * documents, table.block(at));
    forEachFeature(occurrences, ROWS, (held, weights) => {
      if (table.add(held, weights)) return;
      flush();
      table.add(held, weights);
    });
    flush();
  } finally {
    closeSync(source);
    closeSync(target);
  }
  return scales;
}
