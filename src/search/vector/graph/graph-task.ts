import { SearchError } from "../../../contract/errors.js";
import { readNumbers, withFile } from "../../numbers/number-file.js";
import { buildGraph, GRAPH_REMEDY, loadGraphLibrary } from "./hnsw.js";

/** One graph to build from a file of reduced vectors; what a worker thread is handed. */
export interface GraphTask {
  readonly reduced: string;
  readonly dims: number;
  readonly first: number;
  readonly count: number;
  readonly out: string;
}

/** Builds one graph and writes it to a file. The entry point of the worker threads, so it takes and gives plain values. */
export async function buildGraphFile({ reduced, dims, first, count, out }: GraphTask): Promise<void> {
  const library = await loadGraphLibrary();
  if (!library.available)
    throw new SearchError("graph_unavailable", `hnswlib-node cannot be loaded: ${library.reason}`, {
      value: "hnswlib-node",
      remedy: GRAPH_REMEDY,
    });
  await withFile(reduced, "r", async (descriptor) => {
    const graph = buildGraph(library, dims, first, count, (from, rows, into) =>
      readNumbers(descriptor, from * dims * 4, into.subarray(0, rows * dims)),
    );
    await graph.writeIndex(out);
  });
}
