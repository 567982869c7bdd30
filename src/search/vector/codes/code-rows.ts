import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import { withFile, writeNumbers } from "../../numbers/number-file.js";
import { BYTE_VECTOR, storeByteVector } from "../byte-vectors.js";
import type { SetStatistics } from "../set-statistics.js";
import { VECTOR_FILES } from "../vector-files.js";
import { openVectors, type Vectors } from "../vectors.js";
import { BLOCK_ROWS, COLUMN_BYTES, packColumns } from "./column-codes.js";
import { quantize } from "./quantizer.js";
import type { RowsTask } from "./sum-rows.js";

const FULL = SEARCH_DEFAULTS.dimensions;

/** Task: rows to quantize. */
export interface CodeTask extends RowsTask {
  readonly statistics: SetStatistics;
  /** Whether to write column codes, and signed bytes; the files exist. */
  readonly codes: boolean;
  readonly bytes: boolean;
}

/**
 * Writes the codes of rows at their offsets, in the folder of their vectors; `first` is a multiple of {@link
 * BLOCK_ROWS}.
 * @throws SearchError `vectors_truncated` if the file of vectors is incomplete.
 */
export async function codeRows(task: CodeTask): Promise<void> {
  const { dir } = task.source;
  const vectors = openVectors(task.source);
  try {
    if (task.codes)
      await withFile(join(dir, VECTOR_FILES.codes), "r+", (file) => writeCodes(file, vectors, task));
    if (task.bytes)
      await withFile(join(dir, VECTOR_FILES.byteVectors), "r+", (file) => writeBytes(file, vectors, task));
  } finally {
    vectors.close();
  }
}

function writeCodes(file: number, vectors: Vectors, { first, rows, statistics }: CodeTask): void {
  const { dims } = statistics;
  const row = new Uint8Array(dims);
  const block = new Uint8Array(dims * COLUMN_BYTES);
  forEachBlock(vectors, first, rows, (start, run, values) => {
    block.fill(0);
    for (let i = 0; i < run; i += 1) {
      quantize(values.subarray(i * FULL, i * FULL + dims), statistics, row);
      packColumns(row, i, block);
    }
    writeNumbers(file, (start / BLOCK_ROWS) * block.length, block);
  });
}

function writeBytes(file: number, vectors: Vectors, { first, rows }: CodeTask): void {
  const stored = new Uint8Array(BLOCK_ROWS * BYTE_VECTOR);
  forEachBlock(vectors, first, rows, (start, run, values) => {
    for (let i = 0; i < run; i += 1)
      storeByteVector(
        values.subarray(i * FULL, (i + 1) * FULL),
        false,
        stored.subarray(i * BYTE_VECTOR, (i + 1) * BYTE_VECTOR),
      );
    writeNumbers(file, start * BYTE_VECTOR, stored.subarray(0, run * BYTE_VECTOR));
  });
}

function forEachBlock(
  vectors: Vectors,
  first: number,
  rows: number,
  use: (start: number, run: number, values: Float32Array) => void,
): void {
  const values = new Float32Array(BLOCK_ROWS * FULL);
  for (let start = first; start < first + rows; start += BLOCK_ROWS) {
    const run = Math.min(BLOCK_ROWS, first + rows - start);
    vectors.readRun(start, run, values);
    use(start, run, values);
  }
}
