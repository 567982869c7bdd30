import { SearchError } from "../../../contract/errors.js";
import { readNumbers, withFile } from "../../numbers/number-file.js";
import { buildGraph, GRAPH_REMEDY, loadGraphLibrary } from "./hnsw.js";

/** Task of a worker thread: one graph to build from a file of reduced vectors. */
export interface GraphTask {
  readonly reduced: string;
  readonly dims: number;
  readonly first: number;
  readonly count: number;
  readonly out: string;
}

/**
 * Builds one graph and writes it to a file. Runs in worker threads, so it takes plain values.
 * @throws SearchError `graph_unavailable` if hnswlib-node cannot be loaded.
 */
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
