import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { SlabTask } from "./fit-slab.js";
import type { Vocabulary } from "./vocabulary.js";

const { dimensions } = SEARCH_DEFAULTS;
const { reflection } = SEARCH_DEFAULTS.embed;
const LARGEST = 127;
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
  const sources = slabs.map((slab) => ({ ...slab, descriptor: openSync(slab.out, "r") }));
  const target = openSync(out, "w");
  try {
    const block = new Float32Array(ROWS * dimensions);
    for (let first = 0; first < vocabulary.size; first += ROWS) {
      signal?.throwIfAborted();
      const rows = Math.min(ROWS, vocabulary.size - first);
      for (const source of sources) readSlab(source, first, rows, block);
      const bytes = new Int8Array(rows * dimensions);
      for (let row = 0; row < rows; row += 1) {
        const values = block.subarray(row * dimensions, (row + 1) * dimensions);
        vocabulary.scales[first + row] = quantize(values, bytes.subarray(row * dimensions));
      }
      for (let done = 0; done < bytes.length; ) done += writeSync(target, bytes, done, bytes.length - done);
      await Promise.resolve();
    }
  } finally {
    for (const { descriptor } of sources) closeSync(descriptor);
    closeSync(target);
  }
}

function readSlab(
  { descriptor, first: dimension, dims }: { descriptor: number; first: number; dims: number },
  first: number,
  rows: number,
  into: Float32Array,
): void {
  const values = new Float32Array(rows * dims);
  const bytes = new Uint8Array(values.buffer);
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(descriptor, bytes, done, bytes.length - done, first * dims * 4 + done);
    if (read === 0) throw new RangeError("the fitted dimensions end early");
    done += read;
  }
  for (let row = 0; row < rows; row += 1) {
    into.set(values.subarray(row * dims, (row + 1) * dims), row * dimensions + dimension);
  }
}

/** Bytes of a vector whose largest entry takes ±127; returns the scale that gives it its length back, shortened. */
function quantize(values: Float32Array, into: Int8Array): number {
  let square = 0;
  let largest = 0;
  for (const value of values) {
    square += value * value;
    largest = Math.max(largest, Math.abs(value));
  }
  if (largest === 0) return 0;
  for (let i = 0; i < values.length; i += 1) into[i] = Math.round((values[i]! / largest) * LARGEST);
  return Math.fround((reflection * largest) / (Math.sqrt(square) * LARGEST));
}
