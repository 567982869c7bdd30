import { rowsOf } from "../embed/vocabulary.js";
import { type FeatureLogPart, forEachChunk, readDocuments } from "./feature-log.js";

/** A part of a log of features, in which those of a vocabulary are to be counted. */
export interface CountTask {
  readonly part: FeatureLogPart;
  /** The features of the vocabulary, ascending. */
  readonly features: Uint32Array;
  /** By number of a language: the size of the collection that its documents are. */
  readonly collections: Float64Array;
}

/** By row of the vocabulary. */
export interface PartCounts {
  /** Documents that hold it. */
  readonly documents: Uint32Array;
  /** The sum of their languages' collections. */
  readonly collections: Float64Array;
}

/** Counts how many documents of a part hold each feature, and in how large collections. */
export async function countPart({ part, features, collections }: CountTask): Promise<PartCounts> {
  const counts = {
    documents: new Uint32Array(features.length),
    collections: new Float64Array(features.length),
  };
  await forEachChunk(part, (chunk) => {
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
  });
  return counts;
}
