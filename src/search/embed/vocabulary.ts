import { readFile } from "node:fs/promises";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { FeatureTable } from "./feature-table.js";
import { classOf, type Feature } from "./features.js";

/** Fractions that weights are rounded to, so that the last bit of a logarithm decides nothing. */
const PRECISION = 2 ** 12;
const COLUMNS = 4;

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
    const own = Uint8Array.from(bytes).buffer;
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

  /** Weight of the feature of a row that occurs `count` times in a text. */
  weight(row: number, count: number): number {
    const frequency = count <= 1 ? count : 1 + Math.log(count);
    const kind = SEARCH_DEFAULTS.embed.classWeights[classOf(this.features[row]!)]!;
    return Math.round(frequency * kind * this.idf[row]! * PRECISION) / PRECISION;
  }
}

/** The row of every feature of a vocabulary, for looking many up. */
export function tableOfRows(features: Uint32Array): FeatureTable {
  const rows = new FeatureTable(features.length);
  features.forEach((feature, row) => {
    rows.set(feature, row);
  });
  return rows;
}
