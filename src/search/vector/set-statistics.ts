import { setImmediate as turn } from "node:timers/promises";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { VectorFile } from "./vector-file.js";

const FULL = SEARCH_DEFAULTS.dimensions;
const BLOCK = 256;
/** Codes are made of so many dimensions at a time. */
const STEP = 32;

/** What the codes of a set are made by. */
export interface SetStatistics {
  /** Dimensions that are used: what follows is zero in every vector. A multiple of 32. */
  readonly dims: number;
  /** Mean and standard deviation of each used dimension. */
  readonly mean: Float32Array;
  readonly deviation: Float32Array;
}

/** Reads the vectors once. Sums run in the order of the rows, in double precision, so the same vectors give the same bits. */
export async function setStatistics(
  vectors: VectorFile,
  { signal, onRows }: { readonly signal?: AbortSignal; readonly onRows?: (rows: number) => void } = {},
): Promise<SetStatistics> {
  const { count } = vectors;
  const block = new Float32Array(BLOCK * FULL);
  const sums = new Float64Array(FULL);
  const squares = new Float64Array(FULL);
  for (let first = 0; first < count; first += BLOCK) {
    signal?.throwIfAborted();
    const rows = Math.min(BLOCK, count - first);
    vectors.readRun(first, rows, block);
    for (let at = 0; at < rows * FULL; at += FULL) {
      for (let i = 0; i < FULL; i += 1) {
        const value = block[at + i]!;
        sums[i]! += value;
        squares[i]! += value * value;
      }
    }
    onRows?.(first + rows);
    await turn();
  }
  const used = 1 + squares.findLastIndex((sum) => sum > 0);
  const dims = Math.max(STEP, Math.ceil(used / STEP) * STEP);
  const mean = Float32Array.from(sums.subarray(0, dims), (sum) => sum / Math.max(1, count));
  const deviation = Float32Array.from(squares.subarray(0, dims), (sum, i) =>
    Math.sqrt(Math.max(0, sum / Math.max(1, count) - mean[i]! ** 2)),
  );
  return { dims, mean, deviation };
}
