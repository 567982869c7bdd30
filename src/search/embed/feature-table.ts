import { OpenFile } from "../../files/open-file.js";
import type { ReadableBytes } from "../../files/readable-bytes.js";
import { SEARCH_DEFAULTS } from "../defaults.js";

const { dimensions } = SEARCH_DEFAULTS;

const PACKED = dimensions / 4;
/** How many signed bytes there are, and what makes the least of them 0. */
const BYTES = 256;
const LEAST = 128;
/** Bytes of a stored feature vector: the number of its levels, then 2 bits per dimension. */
export const FEATURE_BYTES = 1 + PACKED;

/** What codes stand for, and from which magnitude on, in root mean squares, a number takes an outer level. */
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

/**
 * Quantizes a feature vector of signed bytes to 2 bits per dimension, by the levels that keep its direction best.
 *
 * @param scale what the bytes are multiplied by
 * @returns what the numbers that {@link FeatureTable} reads are multiplied by, for a vector as long; 0 for zeros
 */
export function shrinkFeature(bytes: Int8Array, scale: number, into: Uint8Array): number {
  const counts = new Uint16Array(BYTES);
  for (let i = 0; i < dimensions; i += 1) counts[bytes[i]! + LEAST]! += 1;
  let squares = 0;
  for (let at = 0; at < BYTES; at += 1) squares += counts[at]! * (at - LEAST) ** 2;
  into.fill(0);
  if (squares === 0) return 0;
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
  for (let i = 0; i < PACKED; i += 1) {
    const at = i * 4;
    into[1 + i] =
      codes[bytes[at]! + LEAST]! |
      (codes[bytes[at + 1]! + LEAST]! << 2) |
      (codes[bytes[at + 2]! + LEAST]! << 4) |
      (codes[bytes[at + 3]! + LEAST]! << 6);
  }
  return Math.fround((scale * Math.sqrt(squares)) / Math.sqrt(best.squares));
}

/** The code of a byte in a vector of that root mean square. */
function codeOf(value: number, size: number, { outer }: Levels): number {
  const far = Math.abs(value) > outer * size;
  return value < 0 ? (far ? 0 : 1) : far ? 3 : 2;
}

/** The different feature vectors of a fitted embedder, in a file; the vocabulary says which feature has which. */
export class FeatureTable {
  private readonly stored = new Uint8Array(FEATURE_BYTES);

  constructor(private readonly file: ReadableBytes) {}

  /**
   * Opens the file.
   * @throws RangeError if it has not so many vectors.
   */
  static open(path: string, vectors: number): FeatureTable {
    const file = OpenFile.open(path);
    if (file.size === vectors * FEATURE_BYTES) return new FeatureTable(file);
    const { size } = file;
    file.close();
    throw new RangeError(`the feature vectors are not whole: ${size} bytes`);
  }

  /** Reads `count` vectors from `first` on, 1536 signed bytes each. */
  read(first: number, count: number, into: Int8Array): void {
    const stored = count === 1 ? this.stored : new Uint8Array(count * FEATURE_BYTES);
    this.file.read(stored, first * FEATURE_BYTES);
    for (let row = 0; row < count; row += 1) {
      const from = row * FEATURE_BYTES;
      const { values } = LEVELS[stored[from]!]!;
      for (let i = 0; i < dimensions; i += 1) {
        const code = (stored[from + 1 + (i >> 2)]! >> ((i & 3) * 2)) & 3;
        into[row * dimensions + i] = values[code]!;
      }
    }
  }

  close(): void {
    this.file.close();
  }
}
