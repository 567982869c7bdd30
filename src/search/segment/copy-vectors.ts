import { closeSync, openSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { nextTurn } from "../../next-turn.js";
import { type IndexManifest, LOCAL_VECTORS } from "../index-manifest.js";
import { writeNumbers } from "../numbers/number-file.js";
import { ByteVectorFile } from "../vector/byte-vector-file.js";
import { BYTE_VECTOR } from "../vector/byte-vectors.js";
import { VECTOR_FILES } from "../vector/vector-files.js";
import type { WrittenSegment } from "./write-segments.js";

/** Vectors that are copied at a time. */
const COPIED = 1_024;

/**
 * Writes the local vectors of segments whose documents all were in an index before: those that they had, which its embedder would make
 * again.
 * @param base folder of that index, and its segments
 * @param former the row that each document had in it, in the order of the documents
 * @throws RangeError for a row that it has not; the signal's reason
 */
export async function copyVectors(
  written: readonly WrittenSegment[],
  base: { readonly dir: string; readonly segments: IndexManifest["segments"] },
  former: Int32Array,
  signal?: AbortSignal,
): Promise<void> {
  const opened: { readonly first: number; readonly vectors: ByteVectorFile }[] = [];
  let rows = 0;
  let next = 0;
  try {
    for (const { name, documentCount } of base.segments) {
      const path = join(base.dir, name, LOCAL_VECTORS, VECTOR_FILES.byteVectors);
      opened.push({ first: rows, vectors: ByteVectorFile.open(path) });
      rows += documentCount;
    }
    for (const { writer } of written) {
      await mkdir(join(writer.dir, LOCAL_VECTORS));
      const target = openSync(writer.vectorsPath, "wx");
      try {
        for (let at = 0; at < writer.count; at += COPIED) {
          signal?.throwIfAborted();
          const some = former.subarray(next + at, next + Math.min(at + COPIED, writer.count));
          const block = new Uint8Array(some.length * BYTE_VECTOR);
          some.forEach((row, i) => {
            const { first, vectors } = opened.findLast((segment) => row >= segment.first)!;
            vectors.readBytes(row - first, 1, block, i * BYTE_VECTOR);
          });
          writeNumbers(target, at * BYTE_VECTOR, block);
          await nextTurn();
        }
      } finally {
        closeSync(target);
      }
      next += writer.count;
    }
  } finally {
    for (const { vectors } of opened) vectors.close();
  }
}
