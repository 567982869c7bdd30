import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import { append, withFile } from "../../numbers/number-file.js";
import { runTasks } from "../../worker-tasks.js";
import { chooseReduction, reduceAll } from "../codes/reduce.js";
import { VECTOR_FILES } from "../vector-files.js";
import type { VectorSetManifest } from "../vector-set-manifest.js";
import type { Vectors } from "../vectors.js";
import type { GraphTask } from "./graph-task.js";
import { loadGraphLibrary } from "./hnsw.js";

const REDUCED_FILE = "reduced.f32";

/** Options of {@link buildGraphs}. */
export interface GraphOptions {
  /** Worker threads; 0 builds in this thread. Does not change the result. */
  readonly threads: number;
  /** Called with the rows reduced so far, then with the rows whose graph is built. */
  readonly onProgress?: (progress: { readonly phase: "reduce" | "graph"; readonly rows: number }) => void;
  readonly signal?: AbortSignal;
}

/**
 * Builds HNSW graphs (Malkov and Yashunin 2018) over a set's reduced vectors, in the folder of the set, one per
 * shard of rows. Returns undefined if hnswlib-node is not available. The same vectors give the same bytes on
 * any number of threads.
 * @param used number of used dimensions
 */
export async function buildGraphs(
  dir: string,
  vectors: Vectors,
  used: number,
  { signal, onProgress, threads }: GraphOptions,
): Promise<VectorSetManifest["graphs"]> {
  if (!(await loadGraphLibrary()).available) return undefined;
  const reduced = join(dir, REDUCED_FILE);
  const { count } = vectors;
  try {
    const reduction = await chooseReduction(vectors, used);
    const { dims, basis } = reduction;
    if (basis !== undefined) await writeFile(join(dir, VECTOR_FILES.basis), new Uint8Array(basis.buffer));
    let done = 0;
    await withFile(reduced, "w", async (descriptor) => {
      for await (const { rows, values } of reduceAll(vectors, reduction, signal)) {
        append(descriptor, values);
        done += rows;
        onProgress?.({ phase: "reduce", rows: done });
      }
    });
    const shards = Math.ceil(count / SEARCH_DEFAULTS.vector.graphRows);
    const bounds = Array.from({ length: shards + 1 }, (_, i) => Math.floor((i * count) / shards));
    const files = Array.from({ length: shards }, (_, i) => ({
      file: `graph-${i}.hnsw`,
      first: bounds[i]!,
      count: bounds[i + 1]! - bounds[i]!,
    }));
    const tasks = files.map(
      ({ file, first, count }): GraphTask => ({ reduced, dims, first, count, out: join(dir, file) }),
    );
    let built = 0;
    await runTasks("buildGraphFile", tasks, {
      threads,
      onDone: (task) => {
        built += task.count;
        onProgress?.({ phase: "graph", rows: built });
      },
      signal,
    });
    return { dims, basis: basis === undefined ? "leading" : "principal", files };
  } finally {
    await rm(reduced, { force: true });
  }
}
