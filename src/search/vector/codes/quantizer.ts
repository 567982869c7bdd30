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
 * Quantizes the first numbers of a vector to `into`, one code per dimension. A dimension without variance takes
 * the middle code.
 */
export function quantize(
  values: Float32Array,
  { mean, deviation }: { readonly mean: Float32Array; readonly deviation: Float32Array },
  into: Uint8Array,
): void {
  for (let i = 0; i < into.length; i += 1) {
    const spread = deviation[i]! * STEP;
    const code = spread === 0 ? CODES / 2 : Math.floor((values[i]! - mean[i]!) / spread + CODES / 2);
    into[i] = Math.max(0, Math.min(CODES - 1, code));
  }
}
