import type { HierarchicalNSW } from "hnswlib-node";
import { SEARCH_DEFAULTS } from "../../defaults.js";

/** A graph over the vectors of one run of rows; labels are row numbers within the set. */
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
 * Builds a graph over rows `first` to `first + count - 1`, in order and with a fixed seed, so that the same
 * rows give the same graph.
 * @param read fills `into` with the reduced vectors of `rows` rows, starting at a row
 */
export function buildGraph(
  library: GraphLibrary & { available: true },
  dims: number,
  first: number,
  count: number,
  read: (from: number, rows: number, into: Float32Array) => void,
  onRows?: (rows: number) => void,
): Graph {
  const { graphM, graphEfConstruction, graphSeed } = SEARCH_DEFAULTS.vector;
  const graph = new library.Graph("ip", dims);
  graph.initIndex(count, graphM, graphEfConstruction, graphSeed);
  const batch = 1024;
  const vectors = new Float32Array(batch * dims);
  for (let done = 0; done < count; done += batch) {
    const rows = Math.min(batch, count - done);
    read(first + done, rows, vectors);
    for (let i = 0; i < rows; i += 1) {
      graph.addPoint(Array.from(vectors.subarray(i * dims, (i + 1) * dims)), first + done + i);
    }
    onRows?.(done + rows);
  }
  return graph;
}
