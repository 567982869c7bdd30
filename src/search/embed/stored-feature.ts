import { SEARCH_DEFAULTS } from "../defaults.js";
import { LIST_BYTES, readList } from "./dimension-list.js";

const { dimensions } = SEARCH_DEFAULTS;

/** What codes of 2 bits stand for, and from which magnitude on, in root mean squares, a number takes an outer level. */
interface Levels {
  readonly values: readonly number[];
  readonly outer: number;
}

/**
 * Levels for numbers that are spread normally (Max 1960, in whole numbers), and for a few large ones among small, of three
 * sizes.
 */
export const LEVELS: readonly Levels[] = [
  { values: [-7, -2, 2, 7], outer: 0.9816 },
  { values: [-1, 0, 0, 1], outer: 0.6 },
  { values: [-1, 0, 0, 1], outer: 1.2 },
  { values: [-1, 0, 0, 1], outer: 2.4 },
];

/** First byte of a stored vector: the number of its levels, or one of these: the signs of all dimensions, or a list of some. */
export const SIGNS = LEVELS.length;
export const LIST = SIGNS + 1;

/** Most bytes of a stored feature vector: how it is stored, and 2 bits per dimension. */
export const FEATURE_BYTES = 1 + dimensions / 4;
/** Bytes of one that is its signs, and most of one that is a list of dimensions. */
export const COARSE_BYTES = 1 + LIST_BYTES;

/** By byte of signs: its 8 numbers, and by levels and byte of codes: its 4, as the 32-bit integers of as many bytes. */
const SIGN_WORDS = wordsOf((byte, at) => ((byte >> at) & 1) * 2 - 1, 8);
const CODE_WORDS = LEVELS.map(({ values }) => wordsOf((byte, at) => values[(byte >> (2 * at)) & 3]!, 4));

function wordsOf(numberOf: (byte: number, at: number) => number, numbers: number): Int32Array {
  const all = Int8Array.from({ length: 256 * numbers }, (_, i) =>
    numberOf(Math.floor(i / numbers), i % numbers),
  );
  return new Int32Array(all.buffer);
}

/**
 * Reads a vector that `FeatureShrinker` stored into 1536 numbers, which begin at a multiple of 4 bytes.
 * @throws RangeError if it is none.
 */
export function readFeature(stored: Uint8Array, into: Int8Array): void {
  const [how] = stored;
  if (how === LIST) {
    readList(stored.subarray(1), into);
    return;
  }
  const words = new Int32Array(into.buffer, into.byteOffset, dimensions / 4);
  if (how === SIGNS) {
    for (let at = 1, i = 0; i < words.length; i += 2, at += 1) {
      const signs = stored[at]! * 2;
      words[i] = SIGN_WORDS[signs]!;
      words[i + 1] = SIGN_WORDS[signs + 1]!;
    }
    return;
  }
  const levels = CODE_WORDS[how!];
  if (levels === undefined) throw new RangeError(`a feature vector is stored in an unknown way: ${how}`);
  for (let i = 0; i < words.length; i += 1) words[i] = levels[stored[i + 1]!]!;
}
