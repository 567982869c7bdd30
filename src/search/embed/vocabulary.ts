import { readWhole } from "../../files/read-whole.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { classOf, type Feature } from "./features.js";

/** Rounding unit of weights, so that the last bit of a logarithm changes nothing. */
const PRECISION = 2 ** 12;
const COLUMNS = 5;
const CLASS_WEIGHTS = Float64Array.from(SEARCH_DEFAULTS.embed.classWeights);

/**
 * The features with a vector, ascending. Columns of 32-bit numbers: feature, document count, inverse document
 * frequency, scale of the vector's bytes, and which vector of the table it is: features of the same documents share one.
 */
export class Vocabulary {
  constructor(
    readonly features: Uint32Array,
    readonly documents: Uint32Array = new Uint32Array(features.length),
    readonly idf: Float32Array = new Float32Array(features.length),
    readonly scales: Float32Array = new Float32Array(features.length),
    readonly vectors: Uint32Array = new Uint32Array(features.length),
  ) {}

  /**
   * Reads a file with the content of {@link bytes}.
   * @throws RangeError if it is incomplete.
   */
  static async read(path: string): Promise<Vocabulary> {
    const bytes = await readWhole(path);
    const size = bytes.length / (4 * COLUMNS);
    if (!Number.isInteger(size)) throw new RangeError(`the vocabulary is not whole: ${bytes.length} bytes`);
    const { buffer } = bytes;
    return new Vocabulary(
      new Uint32Array(buffer, 0, size),
      new Uint32Array(buffer, size * 4, size),
      new Float32Array(buffer, size * 8, size),
      new Float32Array(buffer, size * 12, size),
      new Uint32Array(buffer, size * 16, size),
    );
  }

  get size(): number {
    return this.features.length;
  }

  /** Number of vectors of the table. */
  get vectorCount(): number {
    const { vectors } = this;
    let count = 0;
    for (let i = 0; i < vectors.length; i += 1) if (vectors[i]! >= count) count = vectors[i]! + 1;
    return count;
  }

  bytes(): Uint8Array {
    const columns = [this.features, this.documents, this.idf, this.scales, this.vectors];
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

  /** Weight of a row's feature that occurs `count` times in a text; may be a fraction. */
  weight(row: number, count: number): number {
    return weightOf(classOf(this.features[row]!), this.idf[row]!, frequencyOf(count));
  }
}

/** Sublinear weight of a count, or of a fraction of one. */
export function frequencyOf(count: number): number {
  return count <= 1 ? count : 1 + Math.log(count);
}

/** Weight of a feature by class, inverse document frequency, and {@link frequencyOf} its count. */
export function weightOf(featureClass: number, idf: number, frequency: number): number {
  return Math.round(frequency * CLASS_WEIGHTS[featureClass]! * idf * PRECISION) / PRECISION;
}

/** Row in the vocabulary by feature index, or −1. Both lists are ascending. */
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
