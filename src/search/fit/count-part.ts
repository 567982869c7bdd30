import { rowsOf } from "../embed/vocabulary.js";
import type { FeatureChunk } from "./chunk-features.js";
import { type FeatureLogPart, forEachChunk, readDocuments } from "./feature-log.js";

/** Task: a part of a feature log in which to count a vocabulary's features. */
export interface CountTask {
  readonly part: FeatureLogPart;
  /** The features of the vocabulary, ascending. */
  readonly features: Uint32Array;
  /** Collection size by language number. */
  readonly collections: Float64Array;
}

/** Counts by row of the vocabulary. */
export interface PartCounts {
  /** Number of documents that contain the feature. */
  readonly documents: Uint32Array;
  /** Sum of the collection sizes of their languages. */
  readonly collections: Float64Array;
}

/** Counts the documents of a part that contain each feature, and sums their collection sizes. */
export async function countPart({ part, features, collections }: CountTask): Promise<PartCounts> {
  const counts = noCounts(features.length);
  await forEachChunk(part, (chunk) => countChunk(chunk, features, collections, counts));
  return counts;
}

/** Counts of zero for so many features. */
export function noCounts(features: number): PartCounts {
  return { documents: new Uint32Array(features), collections: new Float64Array(features) };
}

/** Adds the counts of a chunk. */
export function countChunk(
  chunk: FeatureChunk,
  features: Uint32Array,
  collections: Float64Array,
  counts: PartCounts,
): void {
  const sums = new Float64Array(chunk.features.length);
  for (const { language, places } of readDocuments(chunk)) {
    const collection = collections[language]!;
    for (let i = 0; i < places.length; i += 1) sums[places[i]!]! += collection;
  }
  rowsOf(chunk.features, features).forEach((row, place) => {
    if (row < 0) return;
    counts.documents[row]! += chunk.found[place]!;
    counts.collections[row]! += sums[place]!;
  });
}
