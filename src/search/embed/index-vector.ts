import { SEARCH_DEFAULTS } from "../defaults.js";
import { type Feature, rehash } from "./features.js";

const { dimensions } = SEARCH_DEFAULTS;
const { positions } = SEARCH_DEFAULTS.embed;

/** Magnitude of each entry of an index vector, whose length is 1. */
export const INDEX_ENTRY = Math.fround(1 / Math.sqrt(positions));

const SIGN = 0x8000;
const PLACE = 0x7fff;

/**
 * The index vectors of random indexing (Kanerva, Kristofersson, Holst 2000) of a list of features: each a few signed
 * entries at places that the feature's hash says.
 */
export class IndexVectors {
  /** Features in the list. */
  readonly size: number;
  private readonly entries: Uint16Array;

  constructor(features: Uint32Array) {
    this.size = features.length;
    this.entries = new Uint16Array(features.length * positions);
    features.forEach((feature, row) => {
      for (let i = 0; i < positions; i += 1) this.entries[row * positions + i] = entryOf(feature, i);
    });
  }

  /** Adds the index vector of the feature of a row, times a weight, with entries of ±1. */
  add(row: number, weight: number, into: Float32Array): void {
    const { entries } = this;
    const end = (row + 1) * positions;
    for (let at = row * positions; at < end; at += 1) {
      const entry = entries[at]!;
      into[entry & PLACE]! += weight * signOf(entry);
    }
  }

  /** Makes `into` the sum of rows' index vectors, each times its weight, with entries of ±1. */
  sum(rows: Uint32Array, weights: Float32Array, into: Float32Array): void {
    into.fill(0);
    for (let i = 0; i < rows.length; i += 1) this.add(rows[i]!, weights[i]!, into);
  }
}

/** 1 or −1, without a branch: no processor guesses a random sign right. */
function signOf(entry: number): number {
  return 1 - ((entry >>> 15) << 1);
}

function entryOf(feature: Feature, number: number): number {
  const hash = rehash(feature, number);
  return (hash % dimensions) | (hash >= 0x8000_0000 ? SIGN : 0);
}
