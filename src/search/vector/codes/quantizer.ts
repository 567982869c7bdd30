/** Codes of 4 bits. */
const CODES = 16;
/** Cells of equal width that codes are runs of: what a look-up by shuffles takes. Cell 32 starts at 0. */
export const CELLS = 64;
/** The part of a turn by which the shifts of two consecutive dimensions differ: they spread evenly. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * A scalar quantizer to 4 bits of numbers with mean 0 and deviation 1. Each code stands for an interval, a run of cells; numbers
 * beyond the cells are in the outermost ones.
 */
export interface Quantizer {
  /** Width of a cell, in deviations. */
  readonly width: number;
  /** Cells of each code, in ascending order of both. */
  readonly cells: readonly number[];
  /** What each code stands for, ascending. */
  readonly levels: readonly number[];
  /** What the upper two bits of a code stand for by themselves, ascending: four codes each. */
  readonly coarse: readonly number[];
  /**
   * Over how many deviations the bounds of the intervals are spread, by dimension. Texts of one kind have much the same numbers in a
   * dimension; where a bound falls among them must not be the same in all, or the errors add up (dithering, Roberts 1962).
   */
  readonly dither: number;
}

/** Distance between uniform levels, in deviations. */
const STEP = 0.335;
/** From 0 on: means of the numbers of four uniform codes of a normal distribution. */
const UNIFORM_COARSE = [0.577, 1.804];
/**
 * From 0 on: the cells of the codes of the wide quantizer, and the means of their numbers, by code and by four codes. The outer four stand for
 * less than their mean, 2.4: many numbers that are only known to be large must not outweigh few that are.
 */
const WIDE_CELLS = [1, 1, 1, 2, 5, 7, 9, 6];
const WIDE_LEVELS = [0.12, 0.36, 0.61, 0.96, 1.76, 3.15, 5.05, 7.9];
const WIDE_COARSE = [0.31, 2.2];

/** The quantizers that a set's codes may be made with, by name. */
export const QUANTIZERS = {
  /** Levels as far apart as is optimal for a normal distribution (Max 1960). */
  uniform: {
    width: STEP / (CELLS / CODES),
    cells: new Array<number>(CODES).fill(CELLS / CODES),
    levels: Array.from({ length: CODES }, (_, code) => (code - (CODES - 1) / 2) * STEP),
    coarse: bothSides(UNIFORM_COARSE),
    dither: 0,
  },
  /**
   * For many numbers near 0 and few that are large, as the default embedder's vectors have them, above all those of short texts:
   * uniform levels cut the large ones off, which are those that make rows near a query. Intervals widen away from 0.
   */
  wide: {
    width: 0.25,
    cells: [...WIDE_CELLS.toReversed(), ...WIDE_CELLS],
    levels: bothSides(WIDE_LEVELS),
    coarse: bothSides(WIDE_COARSE),
    dither: 0.4,
  },
} as const satisfies Record<string, Quantizer>;

/** Levels below 0 as those above. */
function bothSides(levels: readonly number[]): number[] {
  return [...levels.toReversed().map((level) => -level), ...levels];
}

/** Name of a quantizer. */
export type QuantizerName = keyof typeof QUANTIZERS;

/** The code of each cell. */
export function cellCodes({ cells }: Quantizer): Uint8Array {
  return Uint8Array.from(cells.flatMap((count, code) => new Array<number>(count).fill(code)));
}

/** What makes cells of numbers, by dimension. */
export interface CellFactors {
  readonly factors: Float32Array;
  /** What is added to the product. */
  readonly added: Float32Array;
}

/**
 * What makes cells of numbers: the whole part below of a number times its dimension's factor plus what is added is the cell, between
 * 0 and 63. In single precision. A dimension without variance, or with less than its numbers can be divided by, takes a middle cell.
 */
export function cellFactors(
  {
    mean,
    deviation,
  }: {
    readonly mean: Float32Array;
    readonly deviation: Float32Array;
  },
  { width, dither }: Quantizer,
): CellFactors {
  const factors = new Float32Array(mean.length);
  const added = new Float32Array(mean.length);
  for (let i = 0; i < mean.length; i += 1) {
    const spread = deviation[i]! * width;
    const shift = (((i * GOLDEN) % 1) - 0.5) * (dither / width);
    const [factor, middle] = [Math.fround(1 / spread), Math.fround(mean[i]! / spread)];
    const varies = Number.isFinite(factor) && Number.isFinite(middle);
    factors[i] = varies ? factor : 0;
    added[i] = CELLS / 2 + shift - (varies ? mean[i]! / spread : 0);
  }
  return { factors, added };
}
