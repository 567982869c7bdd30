import { SEARCH_DEFAULTS } from "../defaults.js";
import { FILL, LIST_BYTES, LISTED, readList, writeList } from "./dimension-list.js";

const { dimensions } = SEARCH_DEFAULTS;

/** Largest magnitude of a signed byte. */
const LARGEST = 128;
/** Magnitudes that there are. */
const SIZES = LARGEST + 1;

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

/** A feature vector as {@link FeatureShrinker} stores it. */
export interface ShrunkFeature {
  /** Bytes that it takes. */
  readonly length: number;
  /** What the numbers that {@link readFeature} reads are multiplied by, for a vector as long; 0 for zeros. */
  readonly scale: number;
}

/** What was written, and the sum of its numbers' squares. */
interface Written {
  readonly length: number;
  readonly own: number;
}

/** Quantizes feature vectors, one after another. */
export class FeatureShrinker {
  /** Numbers of the vector by magnitude. */
  private readonly counts = new Uint32Array(SIZES);
  private readonly quarters = new Uint32Array(4 * SIZES);
  /** The code of each number, by its byte. */
  private readonly codes = new Uint8Array(2 * LARGEST);

  /**
   * Quantizes a feature vector of signed bytes, to what keeps its direction best: fine to 2 bits per dimension, by one of several
   * sets of levels; coarse to the signs of all dimensions, or to a list of those with the largest numbers and their signs, without what fills it up.
   *
   * @param scale what the bytes are multiplied by
   * @param into at least {@link FEATURE_BYTES}
   */
  shrink(
    bytes: Int8Array,
    { scale, fine }: { readonly scale: number; readonly fine: boolean },
    into: Uint8Array,
  ): ShrunkFeature {
    this.count(bytes);
    const { counts } = this;
    let squares = 0;
    let sum = 0;
    for (let size = 1; size <= LARGEST; size += 1) {
      const total = counts[size]! * size;
      sum += total;
      squares += total * size;
    }
    if (squares === 0) {
      into[0] = LIST;
      return { length: 1, scale: 0 };
    }
    const { length, own } = fine ? this.finely(bytes, squares, sum, into) : this.coarsely(bytes, sum, into);
    return { length, scale: Math.fround((scale * Math.sqrt(squares)) / Math.sqrt(own)) };
  }

  /** Counts numbers by magnitude, every fourth apart from the others: counts of small ones need not wait for one another. */
  private count(bytes: Int8Array): void {
    const { quarters, counts } = this;
    quarters.fill(0);
    for (let i = 0; i < dimensions; i += 4) {
      quarters[Math.abs(bytes[i]!)]! += 1;
      quarters[SIZES + Math.abs(bytes[i + 1]!)]! += 1;
      quarters[2 * SIZES + Math.abs(bytes[i + 2]!)]! += 1;
      quarters[3 * SIZES + Math.abs(bytes[i + 3]!)]! += 1;
    }
    for (let size = 0; size < SIZES; size += 1)
      counts[size] =
        quarters[size]! + quarters[SIZES + size]! + quarters[2 * SIZES + size]! + quarters[3 * SIZES + size]!;
  }

  private finely(bytes: Int8Array, squares: number, sum: number, into: Uint8Array): Written {
    const size = Math.sqrt(squares / dimensions);
    let best = { levels: 0, kept: -1, own: 1, from: 0 };
    for (let levels = 0; levels < LEVELS.length; levels += 1) {
      const { values, outer } = LEVELS[levels]!;
      const [near, far] = [values[2]!, values[3]!];
      const from = Math.floor(outer * size) + 1;
      const [count, total] = this.above(from);
      const product = far * total + near * (sum - total);
      const own = far * far * count + near * near * (dimensions - count);
      const kept = own === 0 ? 0 : (product * product) / own;
      if (kept > best.kept) best = { levels, kept, own, from };
    }
    const { codes } = this;
    for (let byte = 0; byte < LARGEST; byte += 1) codes[byte] = byte >= best.from ? 3 : 2;
    for (let at = 1; at <= LARGEST; at += 1) codes[2 * LARGEST - at] = at >= best.from ? 0 : 1;
    into[0] = best.levels;
    for (let i = 0, at = 1; i < dimensions; i += 4, at += 1)
      into[at] =
        codes[bytes[i]! & 255]! |
        (codes[bytes[i + 1]! & 255]! << 2) |
        (codes[bytes[i + 2]! & 255]! << 4) |
        (codes[bytes[i + 3]! & 255]! << 6);
    return { length: FEATURE_BYTES, own: best.own };
  }

  /** Count and sum of the magnitudes from one on. */
  private above(from: number): readonly [count: number, sum: number] {
    let count = 0;
    let sum = 0;
    for (let size = from; size <= LARGEST; size += 1) {
      const more = this.counts[size]!;
      count += more;
      sum += more * size;
    }
    return [count, sum];
  }

  private coarsely(bytes: Int8Array, sum: number, into: Uint8Array): Written {
    const listed = this.listedFrom(sum);
    if (listed !== undefined) {
      into[0] = LIST;
      const own = writeList(bytes, listed, into.subarray(1, COARSE_BYTES));
      let length = COARSE_BYTES;
      while (length > 1 && into[length - 1] === FILL) length -= 1;
      return { length, own };
    }
    into[0] = SIGNS;
    for (let i = 0, at = 1; i < dimensions; i += 8, at += 1) {
      let signs = 0;
      for (let k = 0; k < 8; k += 1) signs |= ((bytes[i + k]! >> 7) + 1) << k;
      into[at] = signs;
    }
    return { length: COARSE_BYTES, own: dimensions };
  }

  /** The least magnitude of the numbers whose list keeps a direction best; undefined where signs keep it better. */
  private listedFrom(sum: number): number | undefined {
    let best: number | undefined;
    let kept = (sum * sum) / dimensions;
    let product = 0;
    let count = 0;
    for (let size = LARGEST; size > 0; size -= 1) {
      const more = this.counts[size]!;
      product += more * size;
      count += more;
      if (count > LISTED) break;
      if (count === 0 || (product * product) / count <= kept) continue;
      kept = (product * product) / count;
      best = size;
    }
    return best;
  }
}

/**
 * Reads a vector that {@link FeatureShrinker} stored into 1536 numbers.
 * @throws RangeError if it is none.
 */
export function readFeature(stored: Uint8Array, into: Int8Array): void {
  const [how] = stored;
  if (how === LIST) readList(stored.subarray(1), into);
  else if (how === SIGNS)
    for (let i = 0, at = 1; i < dimensions; i += 8, at += 1)
      for (let k = 0, signs = stored[at]!; k < 8; k += 1) into[i + k] = ((signs >> k) & 1) * 2 - 1;
  else {
    const values = LEVELS[how!]?.values;
    if (values === undefined) throw new RangeError(`a feature vector is stored in an unknown way: ${how}`);
    for (let i = 0, at = 1; i < dimensions; i += 4, at += 1) {
      const codes = stored[at]!;
      into[i] = values[codes & 3]!;
      into[i + 1] = values[(codes >> 2) & 3]!;
      into[i + 2] = values[(codes >> 4) & 3]!;
      into[i + 3] = values[codes >> 6]!;
    }
  }
}
