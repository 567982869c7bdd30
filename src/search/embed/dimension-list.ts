import { SEARCH_DEFAULTS } from "../defaults.js";

const { dimensions } = SEARCH_DEFAULTS;
/** Bits of a gap's remainder. */
const REMAINDER = 2;
const REMAINDERS = (1 << REMAINDER) - 1;
/** Bytes of a list. */
export const LIST_BYTES = dimensions / 8;
/** Bytes that are looked at together: of any bit in the first, at least 17 from it on. */
const WINDOW_BYTES = 3;
/** As many of these bits as leave room for the end of a quotient, a remainder and a sign. */
const QUOTIENT_BITS = 8 * WINDOW_BYTES - 7 - REMAINDER - 2;
const QUOTIENT = (1 << QUOTIENT_BITS) - 1;
/** What a list is filled up with. */
export const FILL = 255;
/** Most dimensions of a list: with ones for the quotients of their gaps, 1536 / 4 at most, they fill it. */
export const LISTED = (dimensions - (dimensions >> REMAINDER)) / (REMAINDER + 2);

/**
 * Lists the dimensions with numbers of a magnitude or more, {@link LISTED} at most: for each the gap before it, by a Golomb-Rice code
 * (Rice and Plaunt 1971), and its sign; filled up with ones. Returns how many there are.
 */
export function writeList(numbers: Int8Array, least: number, into: Uint8Array): number {
  into.fill(FILL);
  let bit = 0;
  let last = -1;
  let count = 0;
  for (let i = 0; i < dimensions; i += 1) {
    const number = numbers[i]!;
    if (number < least && number > -least) continue;
    const gap = i - last - 1;
    last = i;
    count += 1;
    // Ones are there: a zero that ends the quotient, then the zeros of the remainder and the sign.
    bit += gap >> REMAINDER;
    const zeros = 1 | ((~gap & REMAINDERS) << 1) | ((number >>> 31) << (REMAINDER + 1));
    const at = bit >> 3;
    const shifted = zeros << (bit & 7);
    into[at]! &= ~shifted;
    if (shifted > 255) into[at + 1]! &= ~(shifted >> 8);
    bit += REMAINDER + 2;
  }
  return count;
}

/** Reads a list of {@link writeList}, without the ones that fill it up, into 1536 numbers: −1, 0 and 1. */
export function readList(list: Uint8Array, numbers: Int8Array): void {
  const end = Math.min(list.length, LIST_BYTES) * 8;
  const filled = new Uint8Array(LIST_BYTES + WINDOW_BYTES).fill(FILL);
  filled.set(list.subarray(0, LIST_BYTES));
  numbers.fill(0);
  let at = -1;
  let gap = 0;
  for (let bit = 0; bit < end; ) {
    const byte = bit >> 3;
    const window = (filled[byte]! | (filled[byte + 1]! << 8) | (filled[byte + 2]! << 16)) >>> (bit & 7);
    const zeros = ~window & QUOTIENT;
    if (zeros === 0) {
      gap += QUOTIENT_BITS << REMAINDER;
      bit += QUOTIENT_BITS;
      continue;
    }
    const ones = 31 - Math.clz32(zeros & -zeros);
    const rest = window >>> (ones + 1);
    at += gap + (ones << REMAINDER) + (rest & REMAINDERS) + 1;
    numbers[at] = ((rest >> REMAINDER) & 1) * 2 - 1;
    gap = 0;
    bit += ones + REMAINDER + 2;
  }
}
