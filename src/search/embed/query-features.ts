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
  // Lists of one kind, and loops: V8 compiles this again for every other kind of array.
  let previous = new Uint32Array(0);
  for (const { alternatives, kind, surface } of terms) {
    if (kind === "affix") {
      if (isInside(alternatives[0]!)) addKnown(affixFeature(alternatives[0]!));
      continue;
    }
    const features = new Uint32Array(alternatives.length);
    const found: KnownFeature[] = [];
    let documents = 0;
    for (let i = 0; i < features.length; i += 1) {
      features[i] = termFeature(alternatives[i]!);
      const known = vocabulary.find(features[i]!);
      if (known === undefined) continue;
      found.push(known);
      documents += known.documents;
    }
    for (let i = 0; i < found.length; i += 1) add(found[i]!, found[i]!.documents / documents);
    addKnown(prefixFeature(surface));
    if (kind !== "word" && kind !== "pair") continue;
    for (let i = 0; i < previous.length; i += 1) {
      for (let k = 0; k < features.length; k += 1) addKnown(neighbourFeature(previous[i]!, features[k]!));
    }
    previous = features;
  }
  return [...counts.values()].sort((a, b) => a.known.row - b.known.row);
}
