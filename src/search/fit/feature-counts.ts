import { SEARCH_DEFAULTS } from "../defaults.js";
import { classOf, FEATURE_CLASS, type Feature } from "../embed/features.js";
import type { FeatureChunk } from "./chunk-features.js";
import { FirstOccurrences, OCCURRENCE } from "./first-occurrences.js";

/** Features, ascending, with their document counts. */
interface Run {
  readonly features: Uint32Array;
  readonly documents: Uint32Array;
}

/** Counts the documents of each feature, in sorted runs that are merged when of similar length. */
export class FeatureCounts {
  private readonly runs: Run[] = [];
  private readonly filter = new FirstOccurrences();

  /**
   * Adds the document counts of a chunk. Neighbour features count from their second document on, since most
   * occur in one only.
   */
  add({ features, found }: FeatureChunk): void {
    const run = { features: new Uint32Array(features.length), documents: new Uint32Array(features.length) };
    let size = 0;
    for (let i = 0; i < features.length; i += 1) {
      const feature = features[i]!;
      const documents = this.count(feature, found[i]!);
      run.features[size] = feature;
      run.documents[size] = documents;
      if (documents > 0) size += 1;
    }
    this.runs.push(firstOf(run, size));
    while (this.runs.length > 1 && this.runs.at(-2)!.features.length < this.runs.at(-1)!.features.length * 2)
      this.mergeLast();
  }

  /**
   * Selects the vocabulary, ascending: the features of most documents (weighted by class), smaller features on
   * ties.
   */
  select(limit: number = SEARCH_DEFAULTS.embed.vocabulary): Uint32Array {
    while (this.runs.length > 1) this.mergeLast();
    const { features, documents } = this.runs[0] ?? NONE;
    const histogram = new Map<number, number>();
    features.forEach((feature, i) => {
      const priority = priorityOf(feature, documents[i]!);
      histogram.set(priority, (histogram.get(priority) ?? 0) + 1);
    });
    let left = Math.min(limit, features.length);
    let cutoff = Number.POSITIVE_INFINITY;
    let atCutoff = 0;
    const chosen = new Uint32Array(left);
    for (const [priority, count] of [...histogram].sort((a, b) => b[0] - a[0])) {
      if (left === 0) break;
      cutoff = priority;
      atCutoff = Math.min(count, left);
      left -= atCutoff;
    }
    let size = 0;
    features.forEach((feature, i) => {
      const priority = priorityOf(feature, documents[i]!);
      if (priority < cutoff || (priority === cutoff && atCutoff-- <= 0)) return;
      chosen[size++] = feature;
    });
    return chosen;
  }

  /** The count to add for a feature: 0 if the filter sees it for the first time. */
  private count(feature: Feature, documents: number): number {
    if (classOf(feature) !== FEATURE_CLASS.neighbours) return documents;
    const known = this.filter.get(feature);
    if (known === OCCURRENCE.counted) return documents;
    const counts = known === OCCURRENCE.seen ? documents + 1 : documents > 1 ? documents : 0;
    this.filter.note(feature, counts === 0 ? OCCURRENCE.seen : OCCURRENCE.counted);
    return counts;
  }

  private mergeLast(): void {
    const [second, first] = [this.runs.pop()!, this.runs.pop()!];
    this.runs.push(merge(first, second));
  }
}

const NONE: Run = { features: new Uint32Array(0), documents: new Uint32Array(0) };

function merge(a: Run, b: Run): Run {
  const most = a.features.length + b.features.length;
  const merged = { features: new Uint32Array(most), documents: new Uint32Array(most) };
  let [i, j, size] = [0, 0, 0];
  while (i < a.features.length || j < b.features.length) {
    const fromA = i < a.features.length ? a.features[i]! : Number.POSITIVE_INFINITY;
    const fromB = j < b.features.length ? b.features[j]! : Number.POSITIVE_INFINITY;
    const feature = Math.min(fromA, fromB);
    merged.features[size] = feature;
    let documents = 0;
    if (fromA === feature) documents += a.documents[i++]!;
    if (fromB === feature) documents += b.documents[j++]!;
    merged.documents[size++] = documents;
  }
  return firstOf(merged, size);
}

/** Copies the first entries of a run. */
function firstOf({ features, documents }: Run, size: number): Run {
  return { features: features.slice(0, size), documents: documents.slice(0, size) };
}

function priorityOf(feature: Feature, documents: number): number {
  return documents * SEARCH_DEFAULTS.embed.classPriorities[classOf(feature)]!;
}
