import { SEARCH_DEFAULTS } from "../defaults.js";
import { classOf, type Feature } from "./features.js";

/** Rounding unit of weights, so that the last bit of a logarithm changes nothing. */
const PRECISION = 2 ** 12;
const CLASS_WEIGHTS = Float64Array.from(SEARCH_DEFAULTS.embed.classWeights);

/** What a vocabulary knows of a feature. */
export interface KnownFeature {
  /** Its place in the vocabulary. */
  readonly row: number;
  readonly feature: Feature;
  /** Number of documents that have it. */
  readonly documents: number;
  /** Inverse document frequency. */
  readonly idf: number;
  /** Scale of its vector's bytes. */
  readonly scale: number;
  /** Which vector of the table it has. */
  readonly vector: number;
}

/** Looks features up. */
export interface FeatureLookup {
  /** Number of features. */
  readonly size: number;
  /** Number of vectors of the table. */
  readonly vectorCount: number;
  /** What is known of a feature; undefined for an unknown one. */
  find(feature: Feature): KnownFeature | undefined;
}

/**
 * The features with a vector, ascending. Columns: feature, document count, inverse document frequency, scale of the vector's bytes,
 * and which vector of the table it is: features of the same documents share one.
 */
export class Vocabulary implements FeatureLookup {
  constructor(
    readonly features: Uint32Array,
    readonly documents: Uint32Array = new Uint32Array(features.length),
    readonly idf: Float32Array = new Float32Array(features.length),
    readonly scales: Float32Array = new Float32Array(features.length),
    readonly vectors: Uint32Array = new Uint32Array(features.length),
  ) {}

  /** The vocabulary of some features, ascending. */
  static of(known: readonly KnownFeature[]): Vocabulary {
    const some = new Vocabulary(new Uint32Array(known.length));
    for (let i = 0; i < known.length; i += 1) {
      const { feature, documents, idf, scale, vector } = known[i]!;
      some.features[i] = feature;
      some.documents[i] = documents;
      some.idf[i] = idf;
      some.scales[i] = scale;
      some.vectors[i] = vector;
    }
    return some;
  }

  get size(): number {
    return this.features.length;
  }

  get vectorCount(): number {
    const { vectors } = this;
    let count = 0;
    for (let i = 0; i < vectors.length; i += 1) if (vectors[i]! >= count) count = vectors[i]! + 1;
    return count;
  }

  find(feature: Feature): KnownFeature | undefined {
    const { features } = this;
    let low = 0;
    let high = features.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (features[middle]! < feature) low = middle + 1;
      else high = middle;
    }
    if (features[low] !== feature) return undefined;
    return {
      row: low,
      feature,
      documents: this.documents[low]!,
      idf: this.idf[low]!,
      scale: this.scales[low]!,
      vector: this.vectors[low]!,
    };
  }
}

/** Sublinear weight of a count, or of a fraction of one. */
export function frequencyOf(count: number): number {
  return count <= 1 ? count : 1 + Math.log(count);
}

/** Weight of a feature that occurs `count` times in a text; may be a fraction. */
export function weightInText({ feature, idf }: KnownFeature, count: number): number {
  return weightOf(classOf(feature), idf, frequencyOf(count));
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
