import { SEARCH_DEFAULTS } from "../defaults.js";
import type { RecallAtDepth, RecallAtSelectivity, SetRecall } from "./set-recall.js";

/** How a set is searched: how many candidates are re-ranked, by the share of its rows that may answer. */
export class SearchPlan {
  /** Depths at the selectivities that were measured, least selective first; infinite where only exact search suffices. */
  private readonly depths: readonly { readonly selectivity: number; readonly depth: number }[];

  /** `recall`: what the certificate says of the set; the default depth for all where absent. */
  constructor(recall?: SetRecall) {
    this.depths = (recall?.recall ?? []).map((measured) => ({
      selectivity: measured.selectivity,
      depth: depthOf(measured),
    }));
  }

  /**
   * Candidates to re-rank where a share of the rows may answer: what the measured selectivity needs that it equals, or the
   * larger of what those on both sides of it need. Infinite: score every row.
   */
  depth(share: number): number {
    const same = this.depths.find(({ selectivity }) => selectivity === share);
    if (same !== undefined) return same.depth;
    const above = this.depths.findLast(({ selectivity }) => selectivity > share);
    const below = this.depths.find(({ selectivity }) => selectivity < share);
    return Math.max(SEARCH_DEFAULTS.vector.rerankDepth, above?.depth ?? 0, below?.depth ?? 0);
  }
}

/** Whether a search at that depth finds enough. */
export function suffices({ recall10, recall100 }: RecallAtDepth): boolean {
  return Math.min(recall10, recall100) >= SEARCH_DEFAULTS.certificate.leastRecall;
}

/** The least depth that was found to suffice; infinite where none was. */
function depthOf({ measured }: RecallAtSelectivity): number {
  const last = measured.at(-1);
  if (last === undefined) return SEARCH_DEFAULTS.vector.rerankDepth;
  return suffices(last) ? last.depth : Number.POSITIVE_INFINITY;
}
