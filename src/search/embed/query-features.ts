import type { QueryTerm } from "../analysis/query-terms.js";
import { isInside } from "../analysis/terms.js";
import { affixFeature, type Feature, neighbourFeature, prefixFeature, termFeature } from "./features.js";
import type { Vocabulary } from "./vocabulary.js";

/**
 * Returns the features of a query in the vocabulary, as rows with counts. A word with different forms per
 * language is divided among them by frequency.
 */
export function queryFeatures(terms: readonly QueryTerm[], vocabulary: Vocabulary): Map<number, number> {
  const counts = new Map<number, number>();
  const add = (row: number, count: number) => counts.set(row, (counts.get(row) ?? 0) + count);
  const addKnown = (feature: Feature | undefined) => {
    const row = feature === undefined ? -1 : vocabulary.rowOf(feature);
    if (row >= 0) add(row, 1);
  };
  let previous: readonly Feature[] = [];
  for (const { alternatives, kind, surface } of terms) {
    if (kind === "affix") {
      if (isInside(alternatives[0]!)) addKnown(affixFeature(alternatives[0]!));
      continue;
    }
    const features = alternatives.map(termFeature);
    const rows = features.map((feature) => vocabulary.rowOf(feature)).filter((row) => row >= 0);
    const documents = rows.reduce((sum, row) => sum + vocabulary.documents[row]!, 0);
    for (const row of rows) add(row, vocabulary.documents[row]! / documents);
    addKnown(prefixFeature(surface));
    if (kind !== "word" && kind !== "pair") continue;
    for (const first of previous) for (const second of features) addKnown(neighbourFeature(first, second));
    previous = features;
  }
  return counts;
}
