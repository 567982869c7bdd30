import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import { withFile, writeNumbers } from "../../numbers/number-file.js";
import type { SetStatistics } from "../set-statistics.js";
import { VectorFile } from "../vector-file.js";
import { VECTOR_FILES } from "../vector-files.js";
import { BINARY_CODE_ROWS, type BinaryCodeShape, blockBytes, packBinaryCode } from "./binary-code.js";
import { packCodes } from "./code-scan.js";
import { QUANTIZERS, quantize } from "./quantizer.js";
import type { RowsTask } from "./sum-rows.js";

const BLOCK = 8 * BINARY_CODE_ROWS;
const FULL = SEARCH_DEFAULTS.dimensions;

/** Task: rows to quantize. */
export interface CodeTask extends RowsTask {
  /** The folder of the set, which holds the files of codes. */
  readonly dir: string;
  readonly statistics: SetStatistics;
  /** Whether to write 4-bit codes, and the shape of the binary codes, if any. */
  readonly codes: boolean;
  readonly binaryShape?: BinaryCodeShape;
}

/**
 * Writes the codes and binary codes of rows at their offsets; `first` is a multiple of {@link
 * BINARY_CODE_ROWS}.
 * @throws SearchError `vectors_truncated` if the file of vectors is incomplete.
 */
export async function codeRows({
  path,
  first,
  rows,
  dir,
  statistics,
  codes,
  binaryShape,
}: CodeTask): Promise<void> {
  const input = new Float32Array(BLOCK * FULL);
  const vectors = VectorFile.open(path);
  try {
    await withFile(join(dir, VECTOR_FILES.codes), "r+", (codesFile) =>
      withFile(join(dir, VECTOR_FILES.binaryCodes), "r+", (binaryCodesFile) => {
        for (let row = first; row < first + rows; row += BLOCK) {
          const run = Math.min(BLOCK, first + rows - row);
          vectors.readRun(row, run, input);
          if (codes) writeNumbers(codesFile, (row * statistics.dims) / 2, codesOf(input, run, statistics));
          if (binaryShape !== undefined) {
            const at = (row / BINARY_CODE_ROWS) * blockBytes(binaryShape);
            writeNumbers(binaryCodesFile, at, binaryCodesOf(input, run, statistics, binaryShape));
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

function binaryCodesOf(
  input: Float32Array,
  rows: number,
  statistics: SetStatistics,
  shape: BinaryCodeShape,
): Uint8Array {
  const row = new Uint8Array(shape.dims);
  const size = blockBytes(shape);
  const packed = new Uint8Array(Math.ceil(rows / BINARY_CODE_ROWS) * size);
  for (let i = 0; i < rows; i += 1) {
    quantize(input.subarray(i * FULL, i * FULL + shape.dims), statistics, QUANTIZERS[shape.bits], row);
    const block = Math.floor(i / BINARY_CODE_ROWS) * size;
    packBinaryCode(row, i % BINARY_CODE_ROWS, shape, packed.subarray(block, block + size));
  }
  return packed;
}
