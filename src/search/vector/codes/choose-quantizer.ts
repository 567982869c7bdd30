import { nextTurn } from "../../../next-turn.js";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { SetStatistics } from "../set-statistics.js";
import type { Vectors } from "../vectors.js";
import { CELLS, cellCodes, QUANTIZERS, type QuantizerName } from "./quantizer.js";

const FULL = SEARCH_DEFAULTS.dimensions;
/** Rows per turn of the event loop: some milliseconds. */
const RUN = 64;

/**
 * Chooses the quantizer of least squared error for the vectors of a set, each number less the mean and by the deviation of its
 * dimension, from a sample of its rows.
 */
export async function chooseQuantizer(
  vectors: Vectors,
  { dims, mean, deviation }: SetStatistics,
  signal?: AbortSignal,
): Promise<QuantizerName> {
  const names = Object.keys(QUANTIZERS) as QuantizerName[];
  const candidates = names.map((name) => {
    const { width, levels } = QUANTIZERS[name];
    const ofCells = Float64Array.from(cellCodes(QUANTIZERS[name]), (code) => levels[code]!);
    return { name, width, ofCells, error: 0 };
  });
  const vector = new Float32Array(FULL);
  const rows = Math.min(vectors.count, SEARCH_DEFAULTS.vector.quantizerSample);
  for (let i = 0; i < rows; i += 1) {
    if (i % RUN === 0) {
      signal?.throwIfAborted();
      await nextTurn();
    }
    vectors.readRun(Math.floor((i * vectors.count) / rows), 1, vector);
    for (let at = 0; at < dims; at += 1) {
      const spread = deviation[at]!;
      if (spread === 0) continue;
      const number = (vector[at]! - mean[at]!) / spread;
      for (const candidate of candidates) {
        const cell = Math.floor(number / candidate.width) + CELLS / 2;
        const level = candidate.ofCells[Math.max(0, Math.min(CELLS - 1, cell))]!;
        candidate.error += (number - level) ** 2;
      }
    }
  }
  return candidates.reduce((best, candidate) => (candidate.error < best.error ? candidate : best)).name;
}
