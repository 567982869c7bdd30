import { SEARCH_DEFAULTS } from "../defaults.js";
import type { Vocabulary } from "../embed/vocabulary.js";

/** Rows of as many features as a vocabulary has, and documents of 2³² at most, are one number of at most 53 bits. */
const ROWS = SEARCH_DEFAULTS.embed.vocabulary;
const MOST = 2 ** 32;
const UNPLACED = 0xffff_ffff;

/** Where the vectors of a model are in a table. */
export interface ModelPlaces {
  /** By vector: its row of the table. */
  readonly vectors: Uint32Array;
  /** By feature: the row of its vector. */
  readonly features: Uint32Array;
}

/** Places vectors by descending document frequency of their features, so that frequent ones are close in memory. */
export function placesByUse({ documents, vectors, vectorCount, size }: Vocabulary): ModelPlaces {
  const order = new Float64Array(size);
  for (let row = 0; row < size; row += 1) order[row] = (MOST - documents[row]!) * ROWS + row;
  order.sort();
  const places = new Uint32Array(vectorCount).fill(UNPLACED);
  let next = 0;
  for (const key of order) {
    const vector = vectors[key % ROWS]!;
    if (places[vector] === UNPLACED) places[vector] = next++;
  }
  return { vectors: places, features: vectors.map((vector) => places[vector]!) };
}
