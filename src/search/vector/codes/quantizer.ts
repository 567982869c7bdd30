/**
 * A scalar quantizer of numbers with mean 0 and deviation 1 to 4 bits. Levels are uniform: 16 of them, as far apart as is optimal for
 * a normal distribution (Max 1960).
 */
export interface Quantizer {
  /** By code: the value it represents, ascending. */
  readonly levels: readonly number[];
}

/** Distance between levels, in deviations. */
const STEP = 0.335;
const CODES = 16;

/** The quantizer of column codes. */
export const QUANTIZER: Quantizer = {
  levels: Array.from({ length: CODES }, (_, code) => (code - (CODES - 1) / 2) * STEP),
};

/**
 * What makes codes of numbers, by dimension: a factor, and what is added to the product; the whole part below is the code, between
 * 0 and 15. In single precision. A dimension without variance takes the middle code.
 */
export function codeFactors({
  mean,
  deviation,
}: {
  readonly mean: Float32Array;
  readonly deviation: Float32Array;
}): Float32Array {
  const factors = new Float32Array(mean.length * 2);
  for (let i = 0; i < mean.length; i += 1) {
    const spread = deviation[i]! * STEP;
    factors[i * 2] = spread === 0 ? 0 : 1 / spread;
    factors[i * 2 + 1] = CODES / 2 - (spread === 0 ? 0 : mean[i]! / spread);
  }
  return factors;
}
