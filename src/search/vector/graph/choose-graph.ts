import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { QuantizerName } from "../codes/quantizer.js";
import type { IndexMethod } from "../index-method.js";
import type { SetStatistics } from "../set-statistics.js";
import type { GraphOptions } from "./build-graph.js";

/** Which sets get graphs. */
export interface GraphWish {
  /** Default: `auto`, or `hnsw` where `graphFrom` is given. */
  readonly index?: IndexMethod;
  /** Least rows of a set for a graph. */
  readonly graphFrom?: number;
}

/** Whether a set of so many rows may get a graph. */
export function mayGetGraph(count: number, { index, graphFrom }: GraphWish): boolean {
  const { codesFrom, graphTrial } = SEARCH_DEFAULTS.vector;
  const method = methodOf({ index, graphFrom });
  return method !== "scan" && count >= (graphFrom ?? (method === "auto" ? graphTrial.from : codesFrom));
}

/**
 * Builds the graph of a set where it is wished for, or may serve it better than a scan.
 * @returns whether there is one
 */
export async function chooseGraph(
  dir: string,
  count: number,
  statistics: SetStatistics,
  quantizer: QuantizerName,
  options: GraphWish & GraphOptions,
): Promise<boolean> {
  if (!mayGetGraph(count, options)) return false;
  if (methodOf(options) === "auto") {
    const { graphMayServe } = await import("./try-graph.js");
    if (!(await graphMayServe(dir, statistics, quantizer, options))) return false;
  }
  const { buildGraph } = await import("./build-graph.js");
  await buildGraph(dir, statistics, quantizer, options);
  return true;
}

/** How sets are to be searched. */
function methodOf({ index, graphFrom }: GraphWish): IndexMethod {
  return index ?? (graphFrom === undefined ? "auto" : "hnsw");
}
