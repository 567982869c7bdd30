import { classOf } from "../embed/features.js";
import { frequencyOf, rowsOf, type Vocabulary, weightOf } from "../embed/vocabulary.js";
import type { LoggedFeatures } from "./feature-log.js";

/** Two integers a place: what it is a row of, times 4, plus 4 and the feature's class; its idf, as a float. 0 where it is of none. */
const WIDTH = 2;
/** Cache of frequency weights, since logarithms are slow. */
const FREQUENCIES = Float64Array.from({ length: 64 }, (_, count) => frequencyOf(count));

/** The features of a document that are in a vocabulary. */
export interface FoundFeatures {
  /** Indexes in the chunk's features. */
  readonly places: Uint32Array;
  /** Rows of the vocabulary, ascending. */
  readonly rows: Uint32Array;
  readonly weights: Float32Array;
}

/** Maps the features of a chunk to rows of a vocabulary. */
export class KnownFeatures {
  /** By feature index; its values are adjacent for the cache. */
  private readonly known: Uint32Array;
  private readonly idf: Float32Array;
  private found = room(1024);

  /** `features`: of the chunk, ascending. */
  constructor(features: Uint32Array, vocabulary: Pick<Vocabulary, "features" | "idf">) {
    this.known = new Uint32Array(features.length * WIDTH);
    this.idf = new Float32Array(this.known.buffer);
    rowsOf(features, vocabulary.features).forEach((row, place) => {
      if (row < 0) return;
      this.known[place * WIDTH] = (row + 1) * 4 + classOf(features[place]!);
      this.idf[place * WIDTH + 1] = vocabulary.idf[row]!;
    });
  }

  /** Finds the features of a document with their weights. The next call reuses the arrays. */
  find({ places, counts }: LoggedFeatures): FoundFeatures {
    if (this.found.rows.length < places.length) this.found = room(places.length * 2);
    const { known, idf } = this;
    const { places: at, rows, weights } = this.found;
    let size = 0;
    for (let i = 0; i < places.length; i += 1) {
      const place = places[i]!;
      const row = known[place * WIDTH]!;
      at[size] = place;
      rows[size] = (row >>> 2) - 1;
      const count = counts[i]!;
      const frequency = count < FREQUENCIES.length ? FREQUENCIES[count]! : frequencyOf(count);
      weights[size] = weightOf(row & 3, idf[place * WIDTH + 1]!, frequency);
      // Written in either case: the branch is unpredictable.
      size += row === 0 ? 0 : 1;
    }
    return { places: at.subarray(0, size), rows: rows.subarray(0, size), weights: weights.subarray(0, size) };
  }
}

function room(size: number): FoundFeatures {
  return { places: new Uint32Array(size), rows: new Uint32Array(size), weights: new Float32Array(size) };
}
