import { SEARCH_DEFAULTS } from "../defaults.js";
import type { RecallAtDepth, RecallAtSelectivity, SetRecall } from "./set-recall.js";

/** Decides how many candidates are reranked, from the share of rows that pass the filter. */
export class SearchPlan {
  /**
   * Depths at the measured selectivities, least selective first; infinite where only exact search reaches the
   * required recall.
   */
  private readonly depths: readonly { readonly selectivity: number; readonly depth: number }[];

  /** Creates a plan from the recall in the certificate, or with the default depth without it. */
  constructor(recall?: SetRecall) {
    this.depths = (recall?.recall ?? []).map((measured) => ({
      selectivity: measured.selectivity,
      depth: depthOf(measured),
    }));
  }

  /**
   * Candidates to rerank for a share of rows: the depth measured at that selectivity, or the larger depth of
   * the two neighbouring selectivities. Infinity means: score every row exactly.
   */
  depth(share: number): number {
    const same = this.depths.find(({ selectivity }) => selectivity === share);
    if (same !== undefined) return same.depth;
    const above = this.depths.findLast(({ selectivity }) => selectivity > share);
    const below = this.depths.find(({ selectivity }) => selectivity < share);
    return Math.max(SEARCH_DEFAULTS.vector.rerankDepth, above?.depth ?? 0, below?.depth ?? 0);
  }
}

/** Whether the recall at a depth reaches the required minimum. */
export function suffices({ recall10, recall100 }: RecallAtDepth): boolean {
  return Math.min(recall10, recall100) >= SEARCH_DEFAULTS.certificate.leastRecall;
}

/** The smallest sufficient depth that was measured; infinite without one. */
function depthOf({ measured }: RecallAtSelectivity): number {
  const last = measured.at(-1);
  if (last === undefined) return SEARCH_DEFAULTS.vector.rerankDepth;
  return suffices(last) ? last.depth : Number.POSITIVE_INFINITY;
}
