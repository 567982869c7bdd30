import { closeSync, openSync } from "node:fs";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { Vocabulary } from "../embed/vocabulary.js";
import { append, readNumbers } from "../numbers/number-file.js";
import { ByteRows } from "./byte-rows.js";
import type { SlabTask } from "./fit-slab.js";

const { dimensions } = SEARCH_DEFAULTS;
const ROWS = 2048;

/**
 * Combines the feature vectors from the fitted slabs of dimensions, as signed bytes with a scale that gives
 * them the length of the reflection share. The scales go into the vocabulary.
 */
export async function combineSlabs(
  slabs: readonly Pick<SlabTask, "first" | "dims" | "out">[],
  vocabulary: Vocabulary,
  out: string,
  signal?: AbortSignal,
): Promise<void> {
  const made = await ByteRows.create(dimensions, ROWS);
  const sources = slabs.map((slab) => ({
    ...slab,
    descriptor: openSync(slab.out, "r"),
    values: new Float32Array(ROWS * slab.dims),
  }));
  const target = openSync(out, "w");
  try {
    for (let first = 0; first < vocabulary.size; first += ROWS) {
      signal?.throwIfAborted();
      const rows = Math.min(ROWS, vocabulary.size - first);
      for (const { descriptor, dims, values } of sources)
        readNumbers(descriptor, first * dims * 4, values.subarray(0, rows * dims));
      for (let row = 0; row < rows; row += 1) {
        for (const { values, first: at, dims } of sources) {
          made.vector.set(values.subarray(row * dims, (row + 1) * dims), at);
        }
        vocabulary.scales[first + row] = made.make(row);
      }
      append(target, made.bytes(rows));
    }
  } finally {
    for (const { descriptor } of sources) closeSync(descriptor);
    closeSync(target);
  }
}
