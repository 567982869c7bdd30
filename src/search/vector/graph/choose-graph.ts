import { z } from "zod";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { QuantizerName } from "../codes/quantizer.js";
import { INDEX_METHODS, type IndexMethod } from "../index-method.js";
import { scanOutlasts } from "../search-plan.js";
import type { SetStatistics } from "../set-statistics.js";
import type { GraphOptions } from "./build-graph.js";

/** Which sets get graphs. */
export interface GraphWish {
  /** Default: `auto`, or `hnsw` where `graphFrom` is given. */
  readonly index?: IndexMethod;
  /** Least rows of a set for a graph. */
  readonly graphFrom?: number;
}

/**
 * A wish with its defaults, as an index keeps it. `graphFrom` is absent where no set gets a graph, and where those get one that a scan
 * takes longer for.
 */
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
  // Indexes of before keep the number of the default.
  if (method === "auto" && (graphFrom ?? graphTrial.from) === graphTrial.from) return { index: "auto" };
  return { index: method, graphFrom: graphFrom ?? codesFrom };
}

/** Least rows of a set that may get a graph; undefined where none may. */
export function leastRows(wish: GraphWish): number | undefined {
  const { index, graphFrom } = settledWish(wish);
  return graphFrom ?? (index === "auto" ? SEARCH_DEFAULTS.vector.graphTrial.from : undefined);
}

/** Whether a set of so many rows may get a graph. */
export function mayGetGraph(count: number, wish: GraphWish): boolean {
  return count >= (leastRows(wish) ?? Number.POSITIVE_INFINITY);
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
  const wish = settledWish(options);
  if (wish.index === "auto") {
    if (wish.graphFrom === undefined && !scanOutlasts(count, statistics.dims)) return false;
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
