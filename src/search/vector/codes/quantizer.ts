/**
 * A scalar quantizer of numbers with mean 0 and deviation 1: a value takes the code of the first threshold
 * above it, or the last code. The levels of 1 and 2 bits are optimal for a normal distribution (Max 1960);
 * those of 4 bits are uniform, so that codes add up without a table.
 */
export interface Quantizer {
  readonly bits: 1 | 2 | 4;
  /** By code: the value it represents. */
  readonly levels: readonly number[];
  readonly thresholds: readonly number[];
}

/** Distance between levels of 4 bits, in deviations. */
const STEP = 0.335;

/** Quantizers by number of bits. */
export const QUANTIZERS: Readonly<Record<1 | 2 | 4, Quantizer>> = {
  1: { bits: 1, levels: [-0.798, 0.798], thresholds: [0] },
  2: { bits: 2, levels: [-1.51, -0.4528, 0.4528, 1.51], thresholds: [-0.9816, 0, 0.9816] },
  4: {
    bits: 4,
    levels: Array.from({ length: 16 }, (_, code) => (code - 7.5) * STEP),
    thresholds: Array.from({ length: 15 }, (_, code) => (code - 7) * STEP),
  },
};

/**
 * Quantizes the first numbers of a vector to `into`, one code per dimension. A dimension without variance takes
 * the middle code.
 */
export function quantize(
  values: Float32Array,
  { mean, deviation }: { readonly mean: Float32Array; readonly deviation: Float32Array },
  { bits, thresholds }: Quantizer,
  into: Uint8Array,
): void {
  const middle = 2 ** (bits - 1);
  if (bits === 4) {
    for (let i = 0; i < into.length; i += 1) {
      const spread = deviation[i]! * STEP;
      const code = spread === 0 ? middle : Math.floor((values[i]! - mean[i]!) / spread + middle);
      into[i] = Math.max(0, Math.min(15, code));
    }
    return;
  }
  const outer = thresholds.at(-1)!;
  for (let i = 0; i < into.length; i += 1) {
    const value = values[i]! - mean[i]!;
    let code = value >= 0 ? middle : middle - 1;
    if (bits === 2) {
      const edge = outer * deviation[i]!;
      if (value >= edge) code = 3;
      else if (value < -edge) code = 0;
    }
    into[i] = code;
  }
}
