import type { FileHandle } from "node:fs/promises";
import { SEARCH_DEFAULTS } from "../defaults.js";

const { dimensions } = SEARCH_DEFAULTS;

/** Appends vectors to a file of vectors in one write, each padded with zeros to 1536 numbers. */
export async function appendVectors(file: FileHandle, vectors: readonly Float32Array[]): Promise<void> {
  if (vectors.length === 0) return;
  const all = new Float32Array(vectors.length * dimensions);
  for (const [i, vector] of vectors.entries()) all.set(vector, i * dimensions);
  await file.appendFile(new Uint8Array(all.buffer));
}

/** Pads a shorter vector with zeros to 1536 numbers. */
export function padded(vector: Float32Array): Float32Array {
  if (vector.length === dimensions) return vector;
  const full = new Float32Array(dimensions);
  full.set(vector);
  return full;
}
