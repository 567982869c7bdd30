import { SearchError } from "../../../contract/errors.js";
import { readIntegers, readNumbers, withFile } from "../../numbers/number-file.js";
import { buildGraph, GRAPH_REMEDY, loadGraphLibrary } from "./hnsw.js";

/** Task of a worker thread: one graph to build from files of reduced vectors and of their rows. */
export interface GraphTask {
  readonly reduced: string;
  readonly rows: string;
  readonly dims: number;
  readonly first: number;
  readonly count: number;
  readonly out: string;
}

/**
 * Builds one graph and writes it to a file. Runs in worker threads, so it takes plain values.
 * @throws SearchError `graph_unavailable` if hnswlib-node cannot be loaded.
 */
export async function buildGraphFile({ reduced, rows, dims, first, count, out }: GraphTask): Promise<void> {
  const library = await loadGraphLibrary();
  if (!library.available)
    throw new SearchError("graph_unavailable", `hnswlib-node cannot be loaded: ${library.reason}`, {
      value: "hnswlib-node",
      remedy: GRAPH_REMEDY,
    });
  await withFile(reduced, "r", async (descriptor) => {
    const labels = readIntegers(rows, first * 4, count);
    const graph = buildGraph(library, dims, labels, (from, nodes, into) =>
      readNumbers(descriptor, (first + from) * dims * 4, into.subarray(0, nodes * dims)),
    );
    await graph.writeIndex(out);
  });
}
