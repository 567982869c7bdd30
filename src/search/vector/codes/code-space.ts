import type { SetStatistics } from "../set-statistics.js";
import { cellCodes, cellFactors, QUANTIZERS, type QuantizerName } from "./quantizer.js";

/** The largest level as a signed byte. */
const LARGEST_LEVEL = 127;
const INT16 = 32_767;
/** Largest sum of a level times a weight over all dimensions: below 2³¹, with room for rounding. */
const LARGEST_SUM = 2 ** 31 - 2 ** 20;

/** A query as whole numbers: its inner product with a coded row is about `base` + `unit` × Σ level × weight. */
export interface CodeWeights {
  readonly weights: Int16Array;
  readonly unit: number;
  readonly base: number;
}

/**
 * What 4-bit codes of all of a set's dimensions say: a number is its dimension's mean, and the code's level times the dimension's
 * deviation. Levels are signed bytes, weights of queries 16-bit integers, so that scores are sums of integers.
 */
export class CodeSpace {
  readonly dims: number;
  /** What each code stands for, 16 signed bytes; times {@link step}, in deviations. */
  readonly levels: Int8Array;
  /** The code of each of 64 cells, and what makes cells of numbers, by dimension. */
  readonly cells: Uint8Array;
  readonly factors: Float32Array;
  readonly added: Float32Array;
  /** Deviations of a level of 1. */
  private readonly step: number;

  constructor(
    private readonly statistics: Pick<SetStatistics, "mean" | "deviation">,
    quantizer: QuantizerName,
  ) {
    const { levels } = QUANTIZERS[quantizer];
    const largest = levels.at(-1)!;
    this.dims = statistics.mean.length;
    this.step = largest / LARGEST_LEVEL;
    this.levels = Int8Array.from(levels, (level) => Math.round(level / this.step));
    this.cells = cellCodes(QUANTIZERS[quantizer]);
    const { factors, added } = cellFactors(statistics, QUANTIZERS[quantizer]);
    this.factors = factors;
    this.added = added;
  }

  /** Makes weights of a query (at least `dims` numbers), as fine as 16 bits are. */
  weigh(query: Float32Array): CodeWeights {
    const { mean, deviation } = this.statistics;
    const exact = new Float64Array(this.dims);
    let largest = 0;
    let sum = 0;
    let base = 0;
    for (let i = 0; i < exact.length; i += 1) {
      const weight = query[i]! * deviation[i]! * this.step;
      exact[i] = weight;
      largest = Math.max(largest, Math.abs(weight));
      sum += Math.abs(weight);
      base += query[i]! * mean[i]!;
    }
    const factor = largest === 0 ? 1 : Math.min(INT16 / largest, LARGEST_SUM / (LARGEST_LEVEL * sum));
    return {
      weights: Int16Array.from(exact, (weight) => Math.round(weight * factor)),
      unit: 1 / factor,
      base,
    };
  }

  /**
   * What makes weights of a coded row, by dimension: `bases` + level × `slopes`. The same unit serves all rows.
   */
  get ofRows(): { readonly bases: Float32Array; readonly slopes: Float32Array; readonly unit: number } {
    const { mean, deviation } = this.statistics;
    const { step } = this;
    let largest = 0;
    let sum = 0;
    for (let i = 0; i < this.dims; i += 1) {
      const spread = deviation[i]! * step;
      const bound = (Math.abs(mean[i]!) + spread * LARGEST_LEVEL) * spread;
      largest = Math.max(largest, bound);
      sum += bound;
    }
    const factor = largest === 0 ? 1 : Math.min(INT16 / largest, LARGEST_SUM / (LARGEST_LEVEL * sum));
    return {
      bases: mean.map((value, i) => value * deviation[i]! * step * factor),
      slopes: deviation.map((value) => (value * step) ** 2 * factor),
      unit: 1 / factor,
    };
  }
}
