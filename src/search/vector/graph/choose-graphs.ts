import { SEARCH_DEFAULTS } from "../../defaults.js";
import { chooseReduction } from "../codes/reduce.js";
import type { IndexMethod } from "../index-method.js";
import type { VectorSetManifest } from "../vector-set-manifest.js";
import type { Vectors } from "../vectors.js";
import { buildGraphs, type GraphOptions } from "./build-graphs.js";
import { loadGraphLibrary } from "./hnsw.js";
import { graphMayServe } from "./try-graph.js";

/** Which sets get graphs. */
export interface GraphWish {
  /** Default: `auto`, or `hnsw` where `graphFrom` is given. */
  readonly index?: IndexMethod;
  /** Least rows of a set for graphs. */
  readonly graphFrom?: number;
}

/** How sets are to be searched. */
export function methodOf({ index, graphFrom }: GraphWish): IndexMethod {
  return index ?? (graphFrom === undefined ? "auto" : "hnsw");
}

/**
 * Builds the graphs of a set where these are wished for, or may serve it better than a scan. Returns undefined where they are not,
 * or hnswlib-node is not available.
 * @param used number of used dimensions
 */
export async function chooseGraphs(
  dir: string,
  vectors: Vectors,
  used: number,
  options: GraphWish & GraphOptions,
): Promise<VectorSetManifest["graphs"]> {
  const { codesFrom, graphTrial } = SEARCH_DEFAULTS.vector;
  const method = methodOf(options);
  const { graphFrom = method === "auto" ? graphTrial.from : codesFrom, signal } = options;
  if (method === "scan" || vectors.count < graphFrom) return undefined;
  const library = await loadGraphLibrary();
  if (!library.available) return undefined;
  const reduction = await chooseReduction(vectors, used);
  if (method === "auto" && !(await graphMayServe(library, dir, vectors, reduction, signal))) return undefined;
  return buildGraphs(dir, vectors, reduction, options);
}
