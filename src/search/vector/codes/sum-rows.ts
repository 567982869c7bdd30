import { SEARCH_DEFAULTS } from "../../defaults.js";
import { openVectors, type VectorSource } from "../vectors.js";

const FULL = SEARCH_DEFAULTS.dimensions;
const BLOCK = 256;

/** Task: rows of a set of vectors. */
export interface RowsTask {
  readonly source: VectorSource;
  readonly first: number;
  readonly rows: number;
}

/** Sums of values and of squares over rows, by dimension. */
export interface RowSums {
  readonly sums: Float64Array;
  readonly squares: Float64Array;
}

/**
 * Sums rows up.
 * @throws SearchError `vectors_truncated` if the file is incomplete.
 */
export async function sumRows({ source, first, rows }: RowsTask): Promise<RowSums> {
  const block = new Float32Array(Math.min(BLOCK, rows) * FULL);
  const sums = new Float64Array(FULL);
  const squares = new Float64Array(FULL);
  const vectors = openVectors(source);
  try {
    for (let done = 0; done < rows; done += BLOCK) {
      const run = Math.min(BLOCK, rows - done);
      vectors.readRun(first + done, run, block);
      for (let at = 0; at < run * FULL; at += FULL) {
        for (let i = 0; i < FULL; i += 1) {
          const value = block[at + i]!;
          sums[i]! += value;
          squares[i]! += value * value;
        }
      }
    }
  } finally {
    vectors.close();
  }
  return { sums, squares };
}
