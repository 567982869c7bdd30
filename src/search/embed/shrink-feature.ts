import { SEARCH_DEFAULTS } from "../defaults.js";
import { FILL, LIST_BYTES, LISTED, readList, writeList } from "./dimension-list.js";

const { dimensions } = SEARCH_DEFAULTS;

/** How many signed bytes there are, and what makes the least of them 0. */
const BYTES = 256;
const LEAST = 128;

/** What codes of 2 bits stand for, and from which magnitude on, in root mean squares, a number takes an outer level. */
interface Levels {
  readonly values: readonly number[];
  readonly outer: number;
}

/**
 * Levels for numbers that are spread normally (Max 1960, in whole numbers), and for a few large ones among small, of three
 * sizes.
 */
const LEVELS: readonly Levels[] = [
  { values: [-7, -2, 2, 7], outer: 0.9816 },
  { values: [-1, 0, 0, 1], outer: 0.6 },
  { values: [-1, 0, 0, 1], outer: 1.2 },
  { values: [-1, 0, 0, 1], outer: 2.4 },
];

/** First byte of a stored vector: the number of its levels, or one of these. */
const SIGNS = LEVELS.length;
const LIST = SIGNS + 1;

/** Most bytes of a stored feature vector: how it is stored, and 2 bits per dimension. */
export const FEATURE_BYTES = 1 + dimensions / 4;
/** Bytes of one that is its signs, and most of one that is a list of dimensions. */
export const COARSE_BYTES = 1 + LIST_BYTES;

/** A feature vector as {@link shrinkFeature} stores it. */
export interface ShrunkFeature {
  /** Bytes that it takes. */
  readonly length: number;
  /** What the numbers that {@link readFeature} reads are multiplied by, for a vector as long; 0 for zeros. */
  readonly scale: number;
}

/**
 * Quantizes a feature vector of signed bytes, to what keeps its direction best: fine to 2 bits per dimension, by one of several
 * sets of levels; coarse to the signs of all dimensions, or to a list of those with the largest numbers and their signs, without what fills it up.
 *
 * @param scale what the bytes are multiplied by
 * @param into at least {@link FEATURE_BYTES}
 */
export function shrinkFeature(
  bytes: Int8Array,
  { scale, fine }: { readonly scale: number; readonly fine: boolean },
  into: Uint8Array,
): ShrunkFeature {
  const counts = new Uint16Array(BYTES);
  for (let i = 0; i < dimensions; i += 1) counts[bytes[i]! + LEAST]! += 1;
  let squares = 0;
  for (let at = 0; at < BYTES; at += 1) squares += counts[at]! * (at - LEAST) ** 2;
  into.fill(0);
  if (squares === 0) {
    into[0] = LIST;
    return { length: 1, scale: 0 };
  }
  const { length, own } = fine ? finely(bytes, counts, squares, into) : coarsely(bytes, counts, into);
  return { length, scale: Math.fround((scale * Math.sqrt(squares)) / Math.sqrt(own)) };
}

/** What was written, and the sum of its numbers' squares. */
interface Written {
  readonly length: number;
  readonly own: number;
}

function finely(bytes: Int8Array, counts: Uint16Array, squares: number, into: Uint8Array): Written {
  const size = Math.sqrt(squares / dimensions);
  let best = { levels: 0, kept: -1, squares: 1 };
  LEVELS.forEach((levels, number) => {
    let product = 0;
    let own = 0;
    for (let at = 0; at < BYTES; at += 1) {
      const count = counts[at]!;
      if (count === 0) continue;
      const value = levels.values[codeOf(at - LEAST, size, levels)]!;
      product += count * value * (at - LEAST);
      own += count * value * value;
    }
    const kept = own === 0 ? 0 : (product * product) / own;
    if (kept > best.kept) best = { levels: number, kept, squares: own };
  });
  const levels = LEVELS[best.levels]!;
  const codes = Uint8Array.from(counts, (_, at) => codeOf(at - LEAST, size, levels));
  into[0] = best.levels;
  for (let i = 0; i < dimensions; i += 1) into[1 + (i >> 2)]! |= codes[bytes[i]! + LEAST]! << ((i & 3) * 2);
  return { length: FEATURE_BYTES, own: best.squares };
}

/** The code of a byte in a vector of that root mean square. */
function codeOf(value: number, size: number, { outer }: Levels): number {
  const far = Math.abs(value) > outer * size;
  return value < 0 ? (far ? 0 : 1) : far ? 3 : 2;
}

function coarsely(bytes: Int8Array, counts: Uint16Array, into: Uint8Array): Written {
  const listed = listedFrom(counts);
  if (listed !== undefined) {
    into[0] = LIST;
    const own = writeList(bytes, listed, into.subarray(1, COARSE_BYTES));
    let length = COARSE_BYTES;
    while (length > 1 && into[length - 1] === FILL) length -= 1;
    return { length, own };
  }
  into[0] = SIGNS;
  for (let i = 0; i < dimensions; i += 1) if (bytes[i]! >= 0) into[1 + (i >> 3)]! |= 1 << (i & 7);
  return { length: COARSE_BYTES, own: dimensions };
}

/** The least magnitude of the numbers whose list keeps a direction best; undefined where signs keep it better. */
function listedFrom(counts: Uint16Array): number | undefined {
  let sum = 0;
  for (let at = 0; at < BYTES; at += 1) sum += counts[at]! * Math.abs(at - LEAST);
  let best: number | undefined;
  let kept = (sum * sum) / dimensions;
  let product = 0;
  let count = 0;
  for (let size = LEAST; size > 0; size -= 1) {
    const more = counts[LEAST - size]! + (counts[LEAST + size] ?? 0);
    product += more * size;
    count += more;
    if (count > LISTED) break;
    if (count === 0 || (product * product) / count <= kept) continue;
    kept = (product * product) / count;
    best = size;
  }
  return best;
}

/**
 * Reads a vector that {@link shrinkFeature} stored into 1536 numbers.
 * @throws RangeError if it is none.
 */
export function readFeature(stored: Uint8Array, into: Int8Array): void {
  const [how] = stored;
  if (how === LIST) readList(stored.subarray(1), into);
  else if (how === SIGNS)
    for (let i = 0; i < dimensions; i += 1) into[i] = ((stored[1 + (i >> 3)]! >> (i & 7)) & 1) * 2 - 1;
  else {
    const values = LEVELS[how!]?.values;
    if (values === undefined) throw new RangeError(`a feature vector is stored in an unknown way: ${how}`);
    for (let i = 0; i < dimensions; i += 1) into[i] = values[(stored[1 + (i >> 2)]! >> ((i & 3) * 2)) & 3]!;
  }
}
