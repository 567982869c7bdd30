import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { withFile, writeNumbers } from "../numbers/number-file.js";
import { byteVectorOf, storeByteVector } from "./byte-vectors.js";
import type { RowsTask } from "./codes/sum-rows.js";
import { VECTOR_FILES } from "./vector-files.js";
import { openVectors } from "./vectors.js";

const FULL = SEARCH_DEFAULTS.dimensions;
const BLOCK = 256;

/**
 * Writes rows as signed bytes, at their offsets in the file in the folder of their vectors; the file exists.
 * @throws SearchError `vectors_truncated` if the file of vectors is incomplete.
 */
export async function byteRows({ source, first, rows }: RowsTask): Promise<void> {
  const vectors = openVectors(source);
  try {
    await withFile(join(source.dir, VECTOR_FILES.byteVectors), "r+", (file) => {
      const values = new Float32Array(BLOCK * FULL);
      const bytes = byteVectorOf(vectors.width);
      const stored = new Uint8Array(BLOCK * bytes);
      for (let start = first; start < first + rows; start += BLOCK) {
        const run = Math.min(BLOCK, first + rows - start);
        vectors.readRun(start, run, values);
        for (let i = 0; i < run; i += 1)
          storeByteVector(
            values.subarray(i * FULL, (i + 1) * FULL),
            false,
            stored.subarray(i * bytes, (i + 1) * bytes),
          );
        writeNumbers(file, start * bytes, stored.subarray(0, run * bytes));
      }
    });
  } finally {
    vectors.close();
  }
}
