import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { SlabTask } from "./fit-slab.js";
import { LARGEST_BYTE } from "./geometry.js";
import { EmbedKernels } from "./kernels.js";
import type { Vocabulary } from "./vocabulary.js";

const { dimensions } = SEARCH_DEFAULTS;
const { reflection } = SEARCH_DEFAULTS.embed;
const ROWS = 2048;

/**
 * Puts the features' vectors together from the fitted dimensions, each as signed bytes with a scale that makes its length
 * the share that reflection has; the scales go into the vocabulary.
 */
export async function combineSlabs(
  slabs: readonly Pick<SlabTask, "first" | "dims" | "out">[],
  vocabulary: Vocabulary,
  out: string,
  signal?: AbortSignal,
): Promise<void> {
  const kernels = await EmbedKernels.create(dimensions, ROWS);
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
      for (const source of sources) readRows(source, first, rows);
      for (let row = 0; row < rows; row += 1) {
        for (const { values, first: at, dims } of sources) {
          kernels.vector.set(values.subarray(row * dims, (row + 1) * dims), at);
        }
        const { length, largest } = kernels.measure();
        const factor = largest === 0 ? 0 : LARGEST_BYTE / largest;
        kernels.narrow(factor, row);
        vocabulary.scales[first + row] = largest === 0 ? 0 : reflection / (length * factor);
      }
      const bytes = kernels.bytes(rows);
      for (let done = 0; done < bytes.length; ) done += writeSync(target, bytes, done, bytes.length - done);
    }
  } finally {
    for (const { descriptor } of sources) closeSync(descriptor);
    closeSync(target);
  }
}

function readRows(
  { descriptor, dims, values }: { descriptor: number; dims: number; values: Float32Array },
  first: number,
  rows: number,
): void {
  const bytes = new Uint8Array(values.buffer, 0, rows * dims * 4);
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(descriptor, bytes, done, bytes.length - done, first * dims * 4 + done);
    if (read === 0) throw new RangeError("the fitted dimensions end early");
    done += read;
  }
}
