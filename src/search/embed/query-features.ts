import type { QueryTerm } from "../analysis/query-terms.js";
import { isInside } from "../analysis/terms.js";
import { affixFeature, type Feature, neighbourFeature, prefixFeature, termFeature } from "./features.js";
import type { FeatureLookup, KnownFeature } from "./vocabulary.js";

/** How often a text has a feature; may be a fraction. */
export interface CountedFeature {
  readonly known: KnownFeature;
  count: number;
}

/**
 * Returns the features of a query in the vocabulary with their counts, ascending. A word with different forms per
 * language is divided among them by frequency.
 */
export function queryFeatures(
  terms: readonly QueryTerm[],
  vocabulary: Pick<FeatureLookup, "find">,
): CountedFeature[] {
  const counts = new Map<number, CountedFeature>();
  const add = (known: KnownFeature, count: number) => {
    const counted = counts.get(known.row);
    if (counted === undefined) counts.set(known.row, { known, count });
    else counted.count += count;
  };
  const addKnown = (feature: Feature | undefined) => {
    const known = feature === undefined ? undefined : vocabulary.find(feature);
    if (known !== undefined) add(known, 1);
  };
  let previous: readonly Feature[] = [];
  for (const { alternatives, kind, surface } of terms) {
    if (kind === "affix") {
      if (isInside(alternatives[0]!)) addKnown(affixFeature(alternatives[0]!));
      continue;
    }
    const features = alternatives.map(termFeature);
    const found = features.map((feature) => vocabulary.find(feature)).filter((known) => known !== undefined);
    const documents = found.reduce((sum, known) => sum + known.documents, 0);
    for (const known of found) add(known, known.documents / documents);
    addKnown(prefixFeature(surface));
    if (kind !== "word" && kind !== "pair") continue;
    for (const first of previous) for (const second of features) addKnown(neighbourFeature(first, second));
    previous = features;
  }
  return [...counts.values()].sort((a, b) => a.known.row - b.known.row);
}
