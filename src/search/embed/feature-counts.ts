import { SEARCH_DEFAULTS } from "../defaults.js";
import type { FeatureChunk } from "./chunk-features.js";
import { FeatureTable } from "./feature-table.js";
import { classOf, FEATURE_CLASS, type Feature } from "./features.js";

/** Bits of the filter that first sights go to. */
const FILTER_BITS = 1 << 28;

/** Counts in how many documents each feature occurs. */
export class FeatureCounts {
  private readonly documents = new FeatureTable();
  private readonly seenOnce = new Uint32Array(FILTER_BITS / 32);

  /**
   * Counts the documents of a chunk that hold each feature. Neighbours count from the second document that holds them on: most
   * are seen in one only, and there are many.
   */
  add({ features, found }: FeatureChunk): void {
    for (let i = 0; i < features.length; i += 1) {
      const feature = features[i]!;
      const documents = found[i]!;
      const known = this.documents.get(feature);
      if (known !== undefined) this.documents.set(feature, known + documents);
      else if (classOf(feature) !== FEATURE_CLASS.neighbours) this.documents.set(feature, documents);
      else if (this.#seenBefore(feature)) this.documents.set(feature, documents + 1);
      else if (documents > 1) this.documents.set(feature, documents);
    }
  }

  /**
   * The features that get a vector, ascending: at most as many as the vocabulary may hold, those of most documents (weighed
   * by class), smaller ones first among equals.
   */
  select(limit: number = SEARCH_DEFAULTS.embed.vocabulary): Uint32Array {
    const histogram = new Map<number, number>();
    this.documents.forEach((feature, count) => {
      const priority = priorityOf(feature, count);
      histogram.set(priority, (histogram.get(priority) ?? 0) + 1);
    });
    let left = Math.min(limit, this.documents.size);
    let cutoff = Number.POSITIVE_INFINITY;
    let atCutoff = 0;
    for (const [priority, count] of [...histogram].sort((a, b) => b[0] - a[0])) {
      if (left === 0) break;
      cutoff = priority;
      atCutoff = Math.min(count, left);
      left -= atCutoff;
    }
    const chosen: number[] = [];
    const ties: number[] = [];
    this.documents.forEach((feature, count) => {
      const priority = priorityOf(feature, count);
      if (priority > cutoff) chosen.push(feature);
      else if (priority === cutoff) ties.push(feature);
    });
    ties.sort((a, b) => a - b);
    for (const feature of ties.slice(0, atCutoff)) chosen.push(feature);
    return Uint32Array.from(chosen).sort();
  }

  #seenBefore(feature: Feature): boolean {
    const bit = (feature >>> 2) & (FILTER_BITS - 1);
    const word = this.seenOnce[bit >>> 5]!;
    const mask = 1 << (bit & 31);
    if ((word & mask) !== 0) return true;
    this.seenOnce[bit >>> 5] = word | mask;
    return false;
  }
}

function priorityOf(feature: Feature, documents: number): number {
  return documents * SEARCH_DEFAULTS.embed.classPriorities[classOf(feature)]!;
}
