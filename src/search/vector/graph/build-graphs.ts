import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import { append, withFile, writeNumberFile } from "../../numbers/number-file.js";
import { runTasks } from "../../worker-tasks.js";
import { type Reduction, reduceAll } from "../codes/reduce.js";
import { VECTOR_FILES } from "../vector-files.js";
import type { VectorSetManifest } from "../vector-set-manifest.js";
import type { Vectors } from "../vectors.js";
import { GraphNodes } from "./graph-nodes.js";
import type { GraphTask } from "./graph-task.js";

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
 * shard of rows, for which hnswlib-node has to be available. The same vectors give the same bytes on any number of threads.
 */
export async function buildGraphs(
  dir: string,
  vectors: Vectors,
  reduction: Reduction,
  { signal, onProgress, threads }: GraphOptions,
): Promise<VectorSetManifest["graphs"]> {
  const reduced = join(dir, REDUCED_FILE);
  const rowsFile = join(dir, VECTOR_FILES.graphRows);
  const { dims, basis } = reduction;
  const nodes = new GraphNodes();
  try {
    if (basis !== undefined) await writeFile(join(dir, VECTOR_FILES.basis), new Uint8Array(basis.buffer));
    let done = 0;
    await withFile(reduced, "w", async (descriptor) => {
      for await (const { rows, values } of reduceAll(vectors, reduction, signal)) {
        for (let i = 0; i < rows; i += 1) {
          const vector = values.subarray(i * dims, (i + 1) * dims);
          if (nodes.offer(done + i, vector)) append(descriptor, vector);
        }
        done += rows;
        onProgress?.({ phase: "reduce", rows: done });
      }
    });
    writeNumberFile(rowsFile, nodes.rows);
    writeNumberFile(join(dir, VECTOR_FILES.graphTwins), nodes.twins);
    const count = nodes.rows.length;
    const shards = Math.ceil(count / SEARCH_DEFAULTS.vector.graphRows);
    const bounds = Array.from({ length: shards + 1 }, (_, i) => Math.floor((i * count) / shards));
    const files = Array.from({ length: shards }, (_, i) => ({
      file: `graph-${i}.hnsw`,
      first: bounds[i]!,
      count: bounds[i + 1]! - bounds[i]!,
    }));
    const tasks = files.map(
      ({ file, first, count }): GraphTask => ({
        reduced,
        rows: rowsFile,
        dims,
        first,
        count,
        out: join(dir, file),
      }),
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
