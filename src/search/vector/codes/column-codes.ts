import type { Quantizer } from "./quantizer.js";

/** Rows that four units are summed over before the next: their sums stay in the cache meanwhile. */
export const TILE_ROWS = 32_768;
const CACHE_LINE = 64;

/** Bytes of a plane of a set of so many rows, with 2 bits a row: an odd number of lines of the cache, so that no two planes compete for the same ones. */
export function planeBytesOf(rows: number): number {
  const lines = Math.ceil(Math.ceil(rows / CODED_ROWS) * (BYTES_OF_ROWS / CACHE_LINE));
  return (lines | 1) * CACHE_LINE;
}

/** Largest sum of the entries of a group of units, 8 bits, and of all, 16 bits. */
const LARGEST_GROUP = 255;
const LARGEST_SUM = 65_535;
/** Units whose entries are added up in 8 bits. */
const GROUP = 4;
/** Entries of a unit: by two planes of 2 bits. */
const ENTRIES = 16;

/** Rows that are coded at a time: their 2 bits stand together in a plane. */
export const CODED_ROWS = 64;
const BYTES_OF_ROWS = CODED_ROWS / 4;

/** How many bytes behind the start of each plane the rows from one on, a multiple of 64, have their 2 bits. */
export function offsetInPlane(row: number): number {
  return (row / CODED_ROWS) * BYTES_OF_ROWS;
}

/** How much of a query a scan looks at. */
export interface ScanWidth {
  /** Dimensions: the heaviest ones. */
  readonly breadth: number;
  /** How many of them, the heaviest again, by all 4 bits of their codes; the others by the upper two. */
  readonly fine: number;
}

/** What a query sums: units of two planes each, and their tables: what each pair of their bits adds to the inner product. */
export interface ColumnTables {
  /** Two planes of each unit: twice the dimension for the upper bits of its codes, one more for the lower. Whole groups of units. */
  readonly planes: Uint32Array;
  /** 16 bytes per unit: the first plane's bits and four times those of the second say which. */
  readonly tables: Uint8Array;
}

/**
 * Chooses the dimensions in which a query says most about a set, those of largest weights, and makes their tables: 8-bit numbers
 * above the unit's least. Sums of entries have the order of the inner products with the quantized vectors over these dimensions, up
 * to rounding.
 * @param weights the query times the deviation of each dimension
 * @param width `breadth` less `fine` is even
 */
export function columnTables(
  weights: Float64Array,
  { breadth, fine }: ScanWidth,
  { levels, coarse }: Quantizer,
): ColumnTables {
  const heavy = heaviest(weights, breadth);
  const units = fine + (breadth - fine) / 2;
  // A heavy dimension is paired with a light one, so that entries are as fine as two can be.
  const second = (unit: number) => heavy[breadth - 1 - (unit - fine)]!;
  const [fineSpread, coarseSpread] = [levels.at(-1)! - levels[0]!, coarse.at(-1)! - coarse[0]!];
  const spreads = new Float64Array(units);
  for (let unit = 0; unit < units; unit += 1) {
    const size = Math.abs(weights[heavy[unit]!]!);
    spreads[unit] =
      unit < fine ? size * fineSpread : (size + Math.abs(weights[second(unit)]!)) * coarseSpread;
  }
  const places = inGroups(units);
  const unit = unitOf(spreads, places);
  const room = roomFor(units);
  const planes = new Uint32Array(room * 2);
  const tables = new Uint8Array(room * ENTRIES);
  const [low, high] = [new Float64Array(levels.length), new Float64Array(coarse.length)];
  for (let i = 0; i < units; i += 1) {
    const dimension = heavy[i]!;
    const at = places[i]!;
    if (i < fine) {
      planes[at * 2] = dimension * 2 + 1;
      planes[at * 2 + 1] = dimension * 2;
      addends(weights[dimension]! * unit, levels, low);
      for (let code = 0; code < ENTRIES; code += 1)
        tables[at * ENTRIES + code] = Math.floor(low[code]! + 0.5);
      continue;
    }
    planes[at * 2] = dimension * 2;
    planes[at * 2 + 1] = second(i) * 2;
    addends(weights[dimension]! * unit, coarse, low);
    addends(weights[second(i)]! * unit, coarse, high);
    for (let code = 0; code < ENTRIES; code += 1)
      tables[at * ENTRIES + code] = Math.floor(low[code & 3]! + high[code >> 2]! + 0.5);
  }
  return { planes, tables };
}

/** So many units, and what fills up the last group: such add nothing. */
export function roomFor(units: number): number {
  return Math.ceil(units / GROUP) * GROUP;
}

/** What each level adds to a sum, above the least. */
function addends(weight: number, levels: readonly number[], into: Float64Array): void {
  const least = weight * (weight < 0 ? levels.at(-1)! : levels[0]!);
  for (let i = 0; i < levels.length; i += 1) into[i] = weight * levels[i]! - least;
}

/** The number of a table's entry that stands for 1, by how much the largest entry of each unit is above its least, and their places. */
function unitOf(spreads: Float64Array, places: Uint32Array): number {
  const groups = new Float64Array(Math.ceil(spreads.length / GROUP));
  let sum = 0;
  for (let i = 0; i < spreads.length; i += 1) {
    groups[Math.floor(places[i]! / GROUP)]! += spreads[i]!;
    sum += spreads[i]!;
  }
  const widest = groups.reduce((most, spread) => Math.max(most, spread), 0);
  // Each entry may be rounded up by a half.
  const [group, all] = [LARGEST_GROUP - GROUP / 2, LARGEST_SUM - spreads.length / 2];
  return widest === 0 ? 0 : Math.min(group / widest, all / sum);
}

/** Places of units, the widest first, so that no group of four has much more than others: to and fro. The last group has what is left. */
function inGroups(units: number): Uint32Array {
  const groups = Math.ceil(units / GROUP);
  const ofLast = units - (groups - 1) * GROUP;
  const places = new Uint32Array(units);
  let unit = 0;
  for (let row = 0; row < GROUP; row += 1) {
    const open = row < ofLast ? groups : groups - 1;
    for (let i = 0; i < open; i += 1) places[unit++] = (row % 2 === 0 ? i : open - 1 - i) * GROUP + row;
  }
  return places;
}

/** Buckets of {@link heaviest}: exponent and four bits of the fraction of a positive float32. */
const BUCKETS = 4096;
const BUCKET_SHIFT = 19;
/** Above the number of dimensions. */
const POSITIONS = 4096;

/**
 * Positions of the weights of largest size in single precision, largest first; the lower position of equals. Only the buckets that
 * they fall into are sorted.
 */
function heaviest(weights: Float64Array, count: number): Uint32Array {
  const sizes = new Float32Array(weights.length);
  for (let i = 0; i < sizes.length; i += 1) sizes[i] = Math.abs(weights[i]!);
  const bits = new Uint32Array(sizes.buffer);
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
  const positions = new Uint32Array(count);
  for (let i = 0; i < count; i += 1) positions[i] = POSITIONS - 1 - (keys[candidates - 1 - i]! % POSITIONS);
  return positions;
}
