import { SEARCH_DEFAULTS } from "../defaults.js";
import { EqualVectors } from "./equal-vectors.js";
import { BLOCK } from "./feature-table.js";

const { fineFeatures } = SEARCH_DEFAULTS.embed;

/**
 * From how many documents on a feature's vector is kept finely.
 * @param documents of each feature
 */
export function fineFrom(documents: Uint32Array): number {
  const sorted = documents.slice().sort();
  // Ties with the first that is one too many are coarse.
  return (sorted[sorted.length - 1 - fineFeatures] ?? -1) + 1;
}

/** Collects the different vectors of features, as `FeatureShrinker` stores them, in the order in which they come. */
export class FeatureTableWriter {
  private readonly different = new EqualVectors();
  private readonly sizes: number[] = [];
  private readonly fresh: Uint8Array[] = [];

  /** Bytes of each different vector. */
  get lengths(): Uint16Array {
    return Uint16Array.from(this.sizes);
  }

  /** Adds a vector, unless it is known, and returns its number. */
  add(stored: Uint8Array): number {
    const known = this.different.count;
    const vector = this.different.numberOf(stored);
    if (this.different.count > known) {
      this.fresh.push(stored.slice());
      this.sizes.push(stored.length);
    }
    return vector;
  }

  /** The vectors added since the last call, as they stand in the file. */
  take(): Uint8Array {
    return Buffer.concat(this.fresh.splice(0));
  }

  /** What the file ends with: where each {@link BLOCK} vectors start, 32-bit integers, then the length of each vector, 16 bits. */
  end(): Uint8Array {
    const starts: number[] = [];
    let at = 0;
    this.sizes.forEach((length, vector) => {
      if (vector % BLOCK === 0) starts.push(at);
      at += length;
    });
    const parts = [Uint32Array.from(starts).buffer, this.lengths.buffer];
    return Buffer.concat(parts.map((part) => new Uint8Array(part)));
  }
}
