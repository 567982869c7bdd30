import { SEARCH_DEFAULTS } from "../defaults.js";
import { joinedRecall } from "../vector/recall/joined-recall.js";
import type { SetRecall } from "../vector/recall/set-recall.js";
import { rowsToKeep } from "../vector/rows-to-keep.js";
import { SearchPlan } from "../vector/search-plan.js";
import type { SetFolder } from "../vector/set-files.js";
import type { SetToOpen } from "../vector/thread-messages.js";

const { joinedRows, sharedFrom } = SEARCH_DEFAULTS.vector;

/** The vector set of a segment, and its measured recall. */
export interface SetOfSegment extends SetFolder {
  readonly recall: SetRecall | undefined;
}

/** Sets of adjacent segments that are opened as one. */
export interface JoinedSets extends SetToOpen {
  /** The first of their rows in the index. */
  readonly first: number;
  /** Their rows. */
  readonly count: number;
}

/**
 * Joins the sets of adjacent segments, in the order of the segments, so that a search costs what one of all their rows does. A set that is
 * searched by its graph, or exactly because no step finds enough of it, stays by itself.
 */
export function joinSets(sets: readonly SetOfSegment[]): JoinedSets[] {
  const groups: SetOfSegment[][] = [];
  const rowsOf = (group: readonly SetOfSegment[]) => group.reduce((sum, set) => sum + set.manifest.count, 0);
  let open: SetOfSegment[] | undefined;
  for (const set of sets) {
    const joins = isJoined(set);
    if (joins && open !== undefined && rowsOf(open) + set.manifest.count <= joinedRows) {
      open.push(set);
      continue;
    }
    const group = [set];
    groups.push(group);
    open = joins ? group : undefined;
  }
  const widthOf = (group: readonly SetOfSegment[]) =>
    Math.max(0, ...group.map(({ manifest }) => manifest.width ?? SEARCH_DEFAULTS.dimensions));
  const kept = rowsToKeep(groups.map(rowsOf), widthOf(sets));
  let first = 0;
  return groups.map((group, at) => {
    const count = rowsOf(group);
    const joined: JoinedSets = {
      first,
      count,
      parts: group.map(({ dir, manifest }) => ({ dir, manifest })),
      recall: joinedRecall(
        group.map(({ manifest, recall }) => ({ rows: manifest.count, recall })),
        widthOf(group),
      ),
      kept: kept[at]!,
      shared: count >= sharedFrom,
    };
    first += count;
    return joined;
  });
}

/** Whether a set is scanned, or so small that all its rows are scored. */
function isJoined({ manifest, recall }: SetOfSegment): boolean {
  if (!manifest.codes) return true;
  const step = new SearchPlan(recall).step(1);
  return step?.by === "columns";
}
