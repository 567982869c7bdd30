import { SEARCH_DEFAULTS } from "../defaults.js";

const { dimensions } = SEARCH_DEFAULTS;
/** Bits of a gap's remainder. */
const REMAINDER = 2;
const REMAINDERS = (1 << REMAINDER) - 1;
/** Bytes of a list. */
export const LIST_BYTES = dimensions / 8;
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
  let bit = 0;
  const next = () => {
    const one = bit < end ? (list[bit >> 3]! >> (bit & 7)) & 1 : 1;
    bit += 1;
    return one;
  };
  numbers.fill(0);
  for (let at = 0; ; at += 1) {
    let gap = 0;
    while (next() === 1) {
      if (bit >= end) return;
      gap += 1 << REMAINDER;
    }
    for (let k = 0; k < REMAINDER; k += 1) gap += next() << k;
    at += gap;
    numbers[at] = next() * 2 - 1;
  }
}
