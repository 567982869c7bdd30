import { z } from "zod";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { QuantizerName } from "../codes/quantizer.js";
import { INDEX_METHODS, type IndexMethod } from "../index-method.js";
import type { SetStatistics } from "../set-statistics.js";
import type { GraphOptions } from "./build-graph.js";

/** Which sets get graphs. */
export interface GraphWish {
  /** Default: `auto`, or `hnsw` where `graphFrom` is given. */
  readonly index?: IndexMethod;
  /** Least rows of a set for a graph. */
  readonly graphFrom?: number;
}

/** A wish with its defaults, as an index keeps it; `graphFrom` is absent where no set gets a graph. */
export const SettledWish = z.strictObject({
  index: z.enum(INDEX_METHODS),
  graphFrom: z.number().int().min(0).optional(),
});
export type SettledWish = Readonly<z.infer<typeof SettledWish>>;

/** Settles what a wish leaves open. */
export function settledWish({ index, graphFrom }: GraphWish): SettledWish {
  const { codesFrom, graphTrial } = SEARCH_DEFAULTS.vector;
  const method = methodOf({ index, graphFrom });
  if (method === "scan" || graphFrom === Number.POSITIVE_INFINITY) return { index: "scan" };
  return { index: method, graphFrom: graphFrom ?? (method === "auto" ? graphTrial.from : codesFrom) };
}

/** Whether a set of so many rows may get a graph. */
export function mayGetGraph(count: number, wish: GraphWish): boolean {
  return count >= (settledWish(wish).graphFrom ?? Number.POSITIVE_INFINITY);
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
