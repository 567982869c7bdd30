import { readFile } from "node:fs/promises";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { classOf, type Feature } from "./features.js";

/** Fractions that weights are rounded to, so that the last bit of a logarithm decides nothing. */
const PRECISION = 2 ** 12;
const COLUMNS = 4;
const CLASS_WEIGHTS = Float64Array.from(SEARCH_DEFAULTS.embed.classWeights);

/**
 * The features that have a vector, in ascending order, with what weighs them: a column each of 32-bit numbers for the
 * feature, the documents that it was found in, its inverse document frequency, and the scale of its vector's bytes.
 */
export class Vocabulary {
  constructor(
    readonly features: Uint32Array,
    readonly documents: Uint32Array = new Uint32Array(features.length),
    readonly idf: Float32Array = new Float32Array(features.length),
    readonly scales: Float32Array = new Float32Array(features.length),
  ) {}

  /** Reads the file that {@link bytes} is the content of. Throws `RangeError` where it is not whole. */
  static async read(path: string): Promise<Vocabulary> {
    const bytes = await readFile(path);
    const size = bytes.length / (4 * COLUMNS);
    if (!Number.isInteger(size)) throw new RangeError(`the vocabulary is not whole: ${bytes.length} bytes`);
    const own = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    return new Vocabulary(
      new Uint32Array(own, 0, size),
      new Uint32Array(own, size * 4, size),
      new Float32Array(own, size * 8, size),
      new Float32Array(own, size * 12, size),
    );
  }

  get size(): number {
    return this.features.length;
  }

  bytes(): Uint8Array {
    const columns = [this.features, this.documents, this.idf, this.scales];
    return Buffer.concat(columns.map((c) => new Uint8Array(c.buffer, c.byteOffset, c.byteLength)));
  }

  /** The row of a feature, or −1. */
  rowOf(feature: Feature): number {
    let low = 0;
    let high = this.features.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const value = this.features[middle]!;
      if (value === feature) return middle;
      if (value < feature) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** Weight of the feature of a row that occurs `count` times in a text, or a share of once. */
  weight(row: number, count: number): number {
    return weightOf(classOf(this.features[row]!), this.idf[row]!, frequencyOf(count));
  }
}

/** What occurring `count` times counts, or a share of once. */
export function frequencyOf(count: number): number {
  return count <= 1 ? count : 1 + Math.log(count);
}

/** Weight of a feature of a class and of an inverse document frequency, of a frequency as {@link frequencyOf} has it. */
export function weightOf(featureClass: number, idf: number, frequency: number): number {
  return Math.round(frequency * CLASS_WEIGHTS[featureClass]! * idf * PRECISION) / PRECISION;
}

/** By place among features: the row in a vocabulary, or −1. Both are ascending. */
export function rowsOf(features: Uint32Array, vocabulary: Uint32Array): Int32Array {
  const rows = new Int32Array(features.length);
  let row = 0;
  for (let i = 0; i < features.length; i += 1) {
    const feature = features[i]!;
    while (row < vocabulary.length && vocabulary[row]! < feature) row += 1;
    rows[i] = row < vocabulary.length && vocabulary[row] === feature ? row : -1;
  }
  return rows;
}
