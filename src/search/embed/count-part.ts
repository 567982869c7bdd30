import { writeNumberFile } from "../number-file.js";
import { type FeatureLogPart, readFeatures } from "./feature-log.js";
import { tableOfRows } from "./vocabulary.js";
import type { WeightedLog } from "./weighted-log.js";

/** A row and how often it occurs are sorted as one number. */
const COUNT_LIMIT = 2 ** 20;

/** A part of a log of features, whose features are to be looked up in a vocabulary. */
export interface CountTask {
  readonly part: FeatureLogPart;
  /** The features of the vocabulary, ascending. */
  readonly features: Uint32Array;
  /** By number of a language: the size of the collection that its documents are; absent where rows are not to be counted. */
  readonly collections?: Float64Array;
  /** Where the rows go. */
  readonly out: string;
}

/** The rows of a part's documents, not weighed yet. */
export interface CountedPart {
  readonly log: WeightedLog;
  /** By row: documents that hold it, and the sum of their languages' collections; empty where they were not asked for. */
  readonly documents: Uint32Array;
  readonly collections: Float64Array;
}

/** Looks the features of documents up: those of the vocabulary as rows, ascending, with how often each occurs. */
export async function countPart({ part, features, collections, out }: CountTask): Promise<CountedPart> {
  const rowOf = tableOfRows(features);
  const counted = collections === undefined ? 0 : features.length;
  const documents = new Uint32Array(counted);
  const sums = new Float64Array(counted);
  const words = new Uint32Array(part.length);
  let used = 0;
  let sorted = new Float64Array(1024);
  for (const document of readFeatures(part)) {
    if (document.features.length > sorted.length) sorted = new Float64Array(document.features.length * 2);
    let found = 0;
    for (let i = 0; i < document.features.length; i += 1) {
      const row = rowOf.get(document.features[i]!);
      if (row === undefined) continue;
      sorted[found++] = row * COUNT_LIMIT + Math.min(document.counts[i]!, COUNT_LIMIT - 1);
      if (collections === undefined) continue;
      documents[row]! += 1;
      sums[row]! += collections[document.language]!;
    }
    const entries = sorted.subarray(0, found).sort();
    words[used++] = found;
    for (let i = 0; i < found; i += 1) {
      const row = Math.floor(entries[i]! / COUNT_LIMIT);
      words[used + i] = row;
      words[used + found + i] = entries[i]! - row * COUNT_LIMIT;
    }
    used += found * 2;
  }
  writeNumberFile(out, words.subarray(0, used));
  return {
    log: { path: out, length: used, documents: part.documents },
    documents,
    collections: sums,
  };
}
