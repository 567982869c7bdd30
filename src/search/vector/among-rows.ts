import { countBits, rowsOfBits } from "../../contract/lake/row-set.js";

/** Rows of a vector set as bits: row r is bit r mod 32 of word r div 32. */
export interface RowBits {
  readonly bits: Uint32Array;
  /** Number of rows. */
  readonly count: number;
}

/** Rows of a vector set that are searched: few as their numbers, ascending; many as bits, which then take less room. */
export type AmongRows = Uint32Array | RowBits;

/** Rows to a word of bits: a list of fewer takes less room than bits. */
const SPARSE = 32;

/** How many rows are searched. */
export function countOf(among: AmongRows): number {
  return among instanceof Uint32Array ? among.length : among.count;
}

/** The numbers of the rows, ascending. */
export function listOf(among: AmongRows): Uint32Array {
  return among instanceof Uint32Array ? among : rowsOfBits(among.bits, among.count);
}

/**
 * The rows of a segment among those of an index, counted from the segment's first.
 * @param bits of all rows of the index
 * @param first row of the segment
 * @param count rows of the segment
 * @returns undefined where all of them are
 */
export function rowsWithin(bits: Uint32Array, first: number, count: number): AmongRows | undefined {
  const own = new Uint32Array(Math.ceil(count / 32));
  const [from, shift] = [first >>> 5, first & 31];
  for (let word = 0; word < own.length; word += 1) {
    let value = bits[from + word]! >>> shift;
    if (shift !== 0) value |= (bits[from + word + 1] ?? 0) << (32 - shift);
    if (word === own.length - 1 && count % 32 !== 0) value &= (1 << (count % 32)) - 1;
    own[word] = value;
  }
  const found = countBits(own);
  if (found === count) return undefined;
  const among = { bits: own, count: found };
  return found * SPARSE < count ? listOf(among) : among;
}
