import type { HierarchicalNSW } from "hnswlib-node";
import { SEARCH_DEFAULTS } from "../../defaults.js";

/** A graph over the vectors of some rows; labels are row numbers within the set. */
export type Graph = HierarchicalNSW;

/** The graph class of hnswlib-node, or why it is not available. */
export type GraphLibrary =
  | { readonly available: true; readonly Graph: new (space: "ip", dims: number) => Graph }
  | { readonly available: false; readonly reason: string };

/**
 * Loads hnswlib-node, an optional dependency that is compiled on installation. Without it sets are scanned:
 * recall is the same or better, large lakes are slower.
 */
export async function loadGraphLibrary(): Promise<GraphLibrary> {
  try {
    const { default: library } = await import("hnswlib-node");
    return { available: true, Graph: library.HierarchicalNSW };
  } catch (error) {
    return {
      available: false,
      reason: error instanceof Error ? error.message.split("\n")[0]! : String(error),
    };
  }
}

/** Remedy for a library that {@link loadGraphLibrary} cannot load. */
export const GRAPH_REMEDY = "install a C++ compiler, make and python3, then run `npm install` again";

/**
 * Builds a graph over nodes, in order and with a fixed seed, so that the same nodes give the same graph.
 * @param labels row of each node
 * @param read fills `into` with the reduced vectors of `count` nodes from the `from`-th on
 */
export function buildGraph(
  library: GraphLibrary & { available: true },
  dims: number,
  labels: Uint32Array,
  read: (from: number, count: number, into: Float32Array) => void,
): Graph {
  const { graphM, graphEfConstruction, graphSeed } = SEARCH_DEFAULTS.vector;
  const graph = new library.Graph("ip", dims);
  graph.initIndex(labels.length, graphM, graphEfConstruction, graphSeed);
  const batch = 1024;
  const vectors = new Float32Array(batch * dims);
  for (let done = 0; done < labels.length; done += batch) {
    const count = Math.min(batch, labels.length - done);
    read(done, count, vectors);
    for (let i = 0; i < count; i += 1) {
      graph.addPoint(Array.from(vectors.subarray(i * dims, (i + 1) * dims)), labels[done + i]!);
    }
  }
  return graph;
}
