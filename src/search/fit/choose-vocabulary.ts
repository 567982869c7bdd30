import type { ThreadOptions } from "../../threads/run-tasks.js";
import { Vocabulary } from "../embed/vocabulary.js";
import {
  inverseDocumentFrequency,
  languageCollection,
} from "../keyword/ranking/inverse-document-frequency.js";
import { runTasks } from "../worker-tasks.js";
import { type CountTask, noCounts, type PartCounts } from "./count-part.js";
import type { FeatureLogPart } from "./feature-log.js";

/** Rounding unit of collection sizes: their sums are then equal in any order. */
const PRECISION = 2 ** 10;

/**
 * Builds the vocabulary of a corpus from chosen features, weighted by their rarity in the languages they occur
 * in.
 *
 * @param features ascending
 * @param parts the documents
 * @param languages number of documents of each language, by language number
 */
export async function chooseVocabulary(
  features: Uint32Array,
  parts: readonly FeatureLogPart[],
  languages: readonly number[],
  options: ThreadOptions,
): Promise<Vocabulary> {
  const collections = collectionSizes(languages);
  const total = noCounts(features.length);
  await runTasks(
    "countPart",
    parts.map((part): CountTask => ({ part, features, collections })),
    {
      ...options,
      onDone: (_, part) => {
        part.documents.forEach((found, row) => {
          total.documents[row]! += found;
          total.collections[row]! += part.collections[row]!;
        });
      },
    },
  );
  return vocabularyOf(features, total);
}

/** The size of the collection that each language is, by language number. */
export function collectionSizes(languages: readonly number[]): Float64Array {
  const documents = languages.reduce((sum, count) => sum + count, 0);
  return Float64Array.from(
    languages,
    (count) => Math.round(languageCollection(count, documents) * PRECISION) / PRECISION,
  );
}

/** The vocabulary of features that were counted in all documents. */
export function vocabularyOf(features: Uint32Array, { documents, collections }: PartCounts): Vocabulary {
  const vocabulary = new Vocabulary(features, documents);
  documents.forEach((found, row) => {
    vocabulary.idf[row] = inverseDocumentFrequency(found, collections[row]! / found);
  });
  return vocabulary;
}
