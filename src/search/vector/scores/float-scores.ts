import { SEARCH_DEFAULTS } from "../../defaults.js";
import { Kernels } from "../kernels.js";
import type { FloatVectors } from "../vectors.js";
import type { ExactScores } from "./exact-scores.js";

const FULL = SEARCH_DEFAULTS.dimensions;
const BATCH = 32;
const QUERY = 0;
const SCORES = QUERY + FULL * 8;
const ROWS = SCORES + BATCH * 8;
const SIZE = ROWS + BATCH * FULL * 4;

/** What reads vectors of floats by their position. */
export type ReadVectors = Pick<FloatVectors, "width" | "readInto" | "readAhead">;

/**
 * Exact scores of vectors of 32-bit floats, over all their dimensions, in double precision. Vectors are read from the file
 * straight into the kernels' memory.
 */
export class FloatScores implements ExactScores {
  readonly run = 1024;

  private constructor(
    private readonly vectors: ReadVectors,
    private readonly kernels: Kernels,
  ) {}

  static async create(vectors: ReadVectors): Promise<FloatScores> {
    return new FloatScores(vectors, Kernels.create(SIZE));
  }

  readAhead(rows: Uint32Array): Promise<void> {
    return this.vectors.readAhead(rows);
  }

  score(query: Float32Array, rows: Uint32Array, offer: (row: number, score: number) => void): void {
    const { kernels, vectors } = this;
    const { width } = vectors;
    kernels.doubles(QUERY, FULL).set(query);
    for (let first = 0; first < rows.length; first += BATCH) {
      const count = Math.min(BATCH, rows.length - first);
      for (let i = 0; i < count; ) {
        const run = runLength(rows, first + i, first + count);
        vectors.readInto(rows[first + i]!, run, kernels.bytes, ROWS + i * width * 4);
        i += run;
      }
      kernels.innerProducts(ROWS, count, width, QUERY, SCORES);
      kernels.doubles(SCORES, count).forEach((score, i) => {
        offer(rows[first + i]!, score);
      });
    }
  }
}

/** Number of consecutive row numbers from a position on, read together. */
function runLength(rows: Uint32Array, from: number, end: number): number {
  let length = 1;
  while (from + length < end && rows[from + length] === rows[from]! + length) length += 1;
  return length;
}
