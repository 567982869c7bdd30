import { join } from "node:path";
import { SEARCH_DEFAULTS } from "./defaults.js";
import { readIndexManifest } from "./index-manifest.js";
import { leastRows } from "./vector/graph/choose-graph.js";
import type { IndexMethod } from "./vector/index-method.js";
import { readVectorSetManifest } from "./vector/vector-set-manifest.js";

/** Which vector sets of an index have HNSW graphs, and which are too small. Each segment has a set for each embedder. */
export interface GraphReport {
  /** How the index was asked to search vectors. */
  readonly index: IndexMethod;
  /** Vector sets of all segments. */
  readonly sets: number;
  /** Sets that have a graph. */
  readonly graphs: number;
  /** Sets without a graph because they have fewer records than `from`: all their vectors are scored, or their codes scanned. */
  readonly small: number;
  /** Least records of a set for a graph; absent where none is to get one. */
  readonly from: number | undefined;
}

/**
 * Says which vector sets of the index in a folder have graphs.
 * @throws SearchError `index_unreadable`, `vectors_unreadable`
 */
export async function reportGraphs(dir: string): Promise<GraphReport> {
  const { graphs: wish, segments, vectorSets } = await readIndexManifest(dir);
  const least = wish && leastRows(wish);
  const from = least && Math.max(least, SEARCH_DEFAULTS.vector.codesFrom);
  const folders = segments.flatMap(({ name }) => vectorSets.map((set) => join(dir, name, set.name)));
  const sets = await Promise.all(folders.map(readVectorSetManifest));
  const without = sets.filter(({ graph }) => graph !== true);
  return {
    index: wish?.index ?? "auto",
    sets: sets.length,
    graphs: sets.length - without.length,
    small: from === undefined ? 0 : without.filter(({ count }) => count < from).length,
    from,
  };
}
