import type { FileHandle } from "node:fs/promises";
import { SEARCH_DEFAULTS } from "../defaults.js";

const { dimensions } = SEARCH_DEFAULTS;

/**
 * Appends vectors to a file of vectors in one write, each padded with zeros to `width` numbers, or without the zeros behind them.
 * @throws RangeError for one that has other numbers behind them
 */
export async function appendVectors(
  file: FileHandle,
  vectors: readonly Float32Array[],
  width: number = dimensions,
): Promise<void> {
  if (vectors.length === 0) return;
  const all = new Float32Array(vectors.length * width);
  for (const [i, vector] of vectors.entries()) {
    if (vector.subarray(width).some((number) => number !== 0))
      throw new RangeError(`A vector has more than ${width} numbers`);
    all.set(vector.subarray(0, width), i * width);
  }
  await file.appendFile(new Uint8Array(all.buffer));
}

/** Pads a shorter vector with zeros to 1536 numbers. */
export function padded(vector: Float32Array): Float32Array {
  if (vector.length === dimensions) return vector;
  const full = new Float32Array(dimensions);
  full.set(vector);
  return full;
}
