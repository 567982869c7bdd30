import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import { withFile, writeNumbers } from "../../numbers/number-file.js";
import type { SetStatistics } from "../set-statistics.js";
import { VectorFile } from "../vector-file.js";
import { VECTOR_FILES } from "../vector-files.js";
import { packCodes } from "./code-scan.js";
import { QUANTIZERS, quantize } from "./quantizer.js";
import { blockBytes, packSketch, SKETCH_ROWS, type SketchShape } from "./sketch.js";
import type { RowsTask } from "./sum-rows.js";

const BLOCK = 8 * SKETCH_ROWS;
const FULL = SEARCH_DEFAULTS.dimensions;

/** Rows that are to be coded. */
export interface CodeTask extends RowsTask {
  /** The folder of the set, where the files of codes and sketches are. */
  readonly dir: string;
  readonly statistics: SetStatistics;
  /** Whether 4-bit codes are wanted, and what sketches. */
  readonly codes: boolean;
  readonly sketch?: SketchShape;
}

/** Writes rows' codes and sketches, each at its place; `first` is a multiple of {@link SKETCH_ROWS}. */
export async function codeRows({
  path,
  first,
  rows,
  dir,
  statistics,
  codes,
  sketch,
}: CodeTask): Promise<void> {
  const input = new Float32Array(BLOCK * FULL);
  const vectors = VectorFile.open(path);
  try {
    await withFile(join(dir, VECTOR_FILES.codes), "r+", (codesFile) =>
      withFile(join(dir, VECTOR_FILES.sketches), "r+", (sketchesFile) => {
        for (let row = first; row < first + rows; row += BLOCK) {
          const run = Math.min(BLOCK, first + rows - row);
          vectors.readRun(row, run, input);
          if (codes) writeNumbers(codesFile, (row * statistics.dims) / 2, codesOf(input, run, statistics));
          if (sketch !== undefined) {
            const at = (row / SKETCH_ROWS) * blockBytes(sketch);
            writeNumbers(sketchesFile, at, sketchesOf(input, run, statistics, sketch));
          }
        }
      }),
    );
  } finally {
    vectors.close();
  }
}

function codesOf(input: Float32Array, rows: number, statistics: SetStatistics): Uint8Array {
  const { dims } = statistics;
  const row = new Uint8Array(dims);
  const packed = new Uint8Array((rows * dims) / 2);
  for (let i = 0; i < rows; i += 1) {
    quantize(input.subarray(i * FULL, i * FULL + dims), statistics, QUANTIZERS[4], row);
    packCodes(row, packed.subarray((i * dims) / 2, ((i + 1) * dims) / 2));
  }
  return packed;
}

function sketchesOf(
  input: Float32Array,
  rows: number,
  statistics: SetStatistics,
  shape: SketchShape,
): Uint8Array {
  const row = new Uint8Array(shape.dims);
  const size = blockBytes(shape);
  const packed = new Uint8Array(Math.ceil(rows / SKETCH_ROWS) * size);
  for (let i = 0; i < rows; i += 1) {
    quantize(input.subarray(i * FULL, i * FULL + shape.dims), statistics, QUANTIZERS[shape.bits], row);
    const block = Math.floor(i / SKETCH_ROWS) * size;
    packSketch(row, i % SKETCH_ROWS, shape, packed.subarray(block, block + size));
  }
  return packed;
}
