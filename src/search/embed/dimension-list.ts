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
 * Reads a list of dimensions with numbers of a magnitude or more, without the ones that fill it up, into 1536 numbers: −1, 0 and 1.
 * For each there is the gap before it, by a Golomb-Rice code (Rice and Plaunt 1971), and its sign, 1 if it is not negative.
 */
export function readList(list: Uint8Array, numbers: Int8Array): void {
  const bytes = Math.min(list.length, LIST_BYTES);
  numbers.fill(0);
  let at = -1;
  let gap = 0;
  for (let bit = 0; bit < bytes * 8; ) {
    const byte = bit >> 3;
    const second = byte + 1 < bytes ? list[byte + 1]! : FILL;
    const third = byte + 2 < bytes ? list[byte + 2]! : FILL;
    const window = (list[byte]! | (second << 8) | (third << 16)) >>> (bit & 7);
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
