import type { Quantizer } from "./quantizer.js";

/** Fewest and most rows of a block, and blocks that a set has at least before they are larger than the fewest. */
const BLOCK_ROWS = { least: 4096, most: 32_768 };
const BLOCKS = 4;

/**
 * Rows of a block of a set: a power of two. The longer a column is without a gap, the faster it is read, up to some pages of memory;
 * the last block is filled up.
 */
export function blockRowsOf(count: number): number {
  let rows = BLOCK_ROWS.least;
  while (rows < BLOCK_ROWS.most && rows * 2 * BLOCKS <= count) rows *= 2;
  return rows;
}

/** Largest sum of two table entries, 8 bits, and of all, 16 bits. */
const LARGEST_PAIR = 255;
const LARGEST_SUM = 65_535;

/** Rows that are coded at a time: what one load of a column takes. */
export const CODED_ROWS = 16;

/** Where sixteen rows of a block, counted from one that is a multiple of 16, have their codes of the block's first column: 4 bits a row. */
export function placeOf(row: number): { readonly at: number; readonly shift: 0 | 4 } {
  return { at: (row >> 5) * CODED_ROWS, shift: (row & CODED_ROWS) === 0 ? 0 : 4 };
}

/** Columns that a query sums, in pairs, and their tables: what each code adds to the inner product. */
export interface ColumnTables {
  /** Dimensions, an even number of them. */
  readonly columns: Uint32Array;
  /** 16 bytes per column. */
  readonly tables: Uint8Array;
}

/**
 * Chooses the `breadth` dimensions (an even number) in which a query says most about a set, those of largest weights, and makes
 * their tables: 8-bit numbers above the column's least. Sums of entries have the order of the inner products with the quantized
 * vectors over these dimensions, up to rounding.
 * @param weights the query times the deviation of each dimension
 */
export function columnTables(weights: Float64Array, breadth: number, { levels }: Quantizer): ColumnTables {
  const sizes = weights.map(Math.abs);
  const heavy = heaviest(sizes, breadth);
  const spread = levels.at(-1)! - levels[0]!;
  const columns = new Uint32Array(breadth);
  let widest = 0;
  let sum = 0;
  // A heavy column is paired with a light one, so that entries are as fine as two can be.
  for (let pair = 0; pair < breadth / 2; pair += 1) {
    const [first, second] = [heavy[pair]!, heavy[breadth - 1 - pair]!];
    columns[pair * 2] = first;
    columns[pair * 2 + 1] = second;
    const both = (sizes[first]! + sizes[second]!) * spread;
    widest = Math.max(widest, both);
    sum += both;
  }
  // Each entry may be rounded up by a half.
  const unit = widest === 0 ? 0 : Math.min((LARGEST_PAIR - 1) / widest, (LARGEST_SUM - breadth) / sum);
  const tables = new Uint8Array(breadth * levels.length);
  for (let at = 0; at < breadth; at += 1) {
    const weight = weights[columns[at]!]! * unit;
    const least = weight * (weight < 0 ? levels.at(-1)! : levels[0]!);
    for (let code = 0; code < levels.length; code += 1)
      tables[at * levels.length + code] = Math.floor(weight * levels[code]! - least + 0.5);
  }
  return { columns, tables };
}

/** Buckets of {@link heaviest}: exponent and four bits of the fraction of a positive float32. */
const BUCKETS = 4096;
const BUCKET_SHIFT = 19;
/** Above the number of dimensions. */
const POSITIONS = 4096;

/**
 * Positions of the largest sizes in single precision, largest first; the lower position of equals. Only the buckets that they
 * fall into are sorted.
 */
function heaviest(sizes: Float64Array, count: number): Uint32Array {
  const bits = new Uint32Array(Float32Array.from(sizes).buffer);
  const inBucket = new Uint16Array(BUCKETS);
  for (let i = 0; i < bits.length; i += 1) inBucket[bits[i]! >>> BUCKET_SHIFT]! += 1;
  let least = BUCKETS - 1;
  let candidates = inBucket[least]!;
  while (candidates < count && least > 0) candidates += inBucket[--least]!;
  // Bits of positive numbers have their order; a number below 2⁵³ has room for the position too.
  const keys = new Float64Array(candidates);
  let taken = 0;
  for (let i = 0; i < bits.length; i += 1)
    if (bits[i]! >>> BUCKET_SHIFT >= least) keys[taken++] = bits[i]! * POSITIONS + (POSITIONS - 1 - i);
  keys.sort();
  return Uint32Array.from(
    { length: count },
    (_, i) => POSITIONS - 1 - (keys[candidates - 1 - i]! % POSITIONS),
  );
}
