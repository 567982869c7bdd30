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
 * @param weights frequency of each alternative of a term, where it is known for the languages of the query; default: that in the vocabulary
 */
export function queryFeatures(
  terms: readonly QueryTerm[],
  vocabulary: Pick<FeatureLookup, "find">,
  weights?: ReadonlyMap<QueryTerm, readonly number[]>,
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
  for (const term of terms) {
    const { alternatives, kind, surface } = term;
    if (kind === "variant" || kind === "joint") continue;
    if (kind === "affix") {
      if (isInside(alternatives[0]!)) addKnown(affixFeature(alternatives[0]!));
      continue;
    }
    const counted = weights?.get(term);
    const isLikely = counted?.some((weight) => weight > 0) === true;
    let features = new Uint32Array(alternatives.length);
    let used = 0;
    const found: KnownFeature[] = [];
    const parts: number[] = [];
    let whole = 0;
    for (let i = 0; i < alternatives.length; i += 1) {
      // In the languages of the query it is another word.
      if (isLikely && counted![i] === 0) continue;
      const feature = termFeature(alternatives[i]!);
      features[used++] = feature;
      const known = vocabulary.find(feature);
      if (known === undefined) continue;
      const part = isLikely ? counted![i]! : known.documents;
      found.push(known);
      parts.push(part);
      whole += part;
    }
    for (let i = 0; i < found.length; i += 1) add(found[i]!, parts[i]! / whole);
    addKnown(prefixFeature(surface));
    if (kind !== "word" && kind !== "pair") continue;
    features = features.subarray(0, used);
    for (let i = 0; i < previous.length; i += 1) {
      for (let k = 0; k < features.length; k += 1) addKnown(neighbourFeature(previous[i]!, features[k]!));
    }
    previous = features;
  }
  return [...counts.values()].sort((a, b) => a.known.row - b.known.row);
}
