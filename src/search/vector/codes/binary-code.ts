import { QUANTIZERS, type Quantizer } from "./quantizer.js";

/** Rows of a block, summed together by one pass of the kernel. */
export const BINARY_CODE_ROWS = 32;

/** Most bits of a row's binary code. */
const MOST_BITS = 768;
/** Largest sum of two table entries, 8 bits; the sums over all groups then stay below 2¹⁶. */
const LARGEST = 255;

/** Shape of a binary code: the first `dims` dimensions (a multiple of 32), `bits` bits each. */
export interface BinaryCodeShape {
  readonly dims: number;
  readonly bits: 1 | 2 | 4;
}

/** The shape for vectors of `dims` used dimensions (a multiple of 32): fewer dimensions get more bits each. */
export function binaryCodeShape(dims: number): BinaryCodeShape {
  const bits = dims * 4 <= MOST_BITS ? 4 : dims * 2 <= MOST_BITS ? 2 : 1;
  return { dims: Math.min(dims, MOST_BITS / bits), bits };
}

/** Number of 4-bit groups in a binary code. */
export function groupsOf({ dims, bits }: BinaryCodeShape): number {
  return (dims * bits) / 4;
}

/** Bytes of a block of {@link BINARY_CODE_ROWS} binary codes. */
export function blockBytes(shape: BinaryCodeShape): number {
  return groupsOf(shape) * (BINARY_CODE_ROWS / 2);
}

/** Packs the codes of one row, one per dimension, into its place in a zeroed block. */
export function packBinaryCode(
  codes: Uint8Array,
  row: number,
  { bits }: BinaryCodeShape,
  block: Uint8Array,
): void {
  const perGroup = 4 / bits;
  const shift = row < BINARY_CODE_ROWS / 2 ? 0 : 4;
  let at = row % (BINARY_CODE_ROWS / 2);
  for (let i = 0; i < codes.length; i += perGroup) {
    let group = codes[i]!;
    for (let j = 1; j < perGroup; j += 1) group |= codes[i + j]! << (j * bits);
    block[at]! |= group << shift;
    at += BINARY_CODE_ROWS / 2;
  }
}

/**
 * Lookup tables of a query: what each value of a group adds to the inner product, as 8-bit numbers above the
 * group's minimum. Sums of entries have the order of the inner products with the quantized vectors, up to
 * rounding. Entries of groups 2 n and 2 n + 1 add up to 255 at most.
 * @param weights the query times the deviation of each dimension
 * @param into 16 bytes per group
 */
export function binaryCodeTables(weights: Float64Array, shape: BinaryCodeShape, into: Uint8Array): void {
  const groups = groupsOf(shape);
  const quantizer = QUANTIZERS[shape.bits];
  const gains = new Float64Array(groups * 16);
  let before = 0;
  let widest = 0;
  for (let group = 0; group < groups; group += 1) {
    const of = gains.subarray(group * 16, group * 16 + 16);
    fillGains(weights, group, quantizer, of);
    let least = of[0]!;
    let most = least;
    for (const gain of of) {
      if (gain < least) least = gain;
      if (gain > most) most = gain;
    }
    for (let i = 0; i < 16; i += 1) of[i]! -= least;
    if (group % 2 === 1) widest = Math.max(widest, before + most - least);
    before = most - least;
  }
  // Each of two entries may be rounded up by a half.
  const unit = widest === 0 ? 0 : (LARGEST - 1) / widest;
  for (let i = 0; i < gains.length; i += 1) into[i] = Math.round(gains[i]! * unit);
}

function fillGains(
  weights: Float64Array,
  group: number,
  { bits, levels }: Quantizer,
  into: Float64Array,
): void {
  const perGroup = 4 / bits;
  into[0] = 0;
  let filled = 1;
  for (let j = 0; j < perGroup; j += 1) {
    const weight = weights[group * perGroup + j]!;
    // Descending, because the entries of code 0 are read until the end.
    for (let code = levels.length - 1; code >= 0; code -= 1) {
      const gain = weight * levels[code]!;
      for (let i = 0; i < filled; i += 1) into[code * filled + i] = into[i]! + gain;
    }
    filled *= levels.length;
  }
}
