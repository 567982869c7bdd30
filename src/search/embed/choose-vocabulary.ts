import { inverseDocumentFrequency, languageCollection } from "../inverse-document-frequency.js";
import type { FeatureCounts } from "./feature-counts.js";
import type { FeatureLog } from "./feature-log.js";
import { Vocabulary } from "./vocabulary.js";

/**
 * The vocabulary of a corpus: its most frequent features, weighed by how rare each is in the languages that it occurs in.
 *
 * @param languages documents of each language, by the number that the logs give it
 */
export function chooseVocabulary(
  logs: readonly FeatureLog[],
  counts: FeatureCounts,
  languages: readonly number[],
): Vocabulary {
  const documents = languages.reduce((sum, count) => sum + count, 0);
  const features = counts.select();
  const vocabulary = new Vocabulary(features);
  const rows = vocabulary.rows();
  const collections = languages.map((count) => languageCollection(count, documents));
  const sums = new Float64Array(features.length);
  for (const log of logs) {
    for (const { language, features: found } of log) {
      for (const feature of found) {
        const row = rows.get(feature);
        if (row === undefined) continue;
        sums[row]! += collections[language]!;
        vocabulary.documents[row]! += 1;
      }
    }
  }
  vocabulary.documents.forEach((count, row) => {
    vocabulary.idf[row] = inverseDocumentFrequency(count, sums[row]! / count);
  });
  return vocabulary;
}
