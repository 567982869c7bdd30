import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ThreadOptions } from "../../threads/run-tasks.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { runTasks } from "../worker-tasks.js";
import { chooseQuantizer } from "./codes/choose-quantizer.js";
import type { RowsTask } from "./codes/sum-rows.js";
import { chooseGraph, type GraphWish } from "./graph/choose-graph.js";
import { setStatistics } from "./set-statistics.js";
import { VECTOR_FILES } from "./vector-files.js";
import type { VectorSetManifest } from "./vector-set-manifest.js";
import { openVectors, type VectorNumbers } from "./vectors.js";

/**
 * Rows per task of summing or quantizing. The last bits of the sums depend on it.
 */
const TASK_ROWS = 16_384;

/** Whether a set of so many vectors is built in the calling thread, but for its graphs. */
export function isBuiltHere(count: number): boolean {
  return count <= TASK_ROWS;
}

/** Options of {@link buildVectorSet}. */
export interface VectorSetBuildOptions extends GraphWish {
  /** How the vectors are stored. */
  readonly numbers: VectorNumbers;
  /** Numbers of a vector that are stored; default: 1536. */
  readonly width?: number | undefined;
  /** Worker threads; 0 runs everything in this thread. Does not change the result. */
  readonly threads?: number;
  /** Least number of rows for codes. */
  readonly codesFrom?: number;
  /** Called with the number of rows finished so far in each phase. */
  readonly onProgress?: (progress: { readonly phase: "quantize" | "graph"; readonly rows: number }) => void;
  readonly signal?: AbortSignal;
}

/**
 * Builds the search structures of a vector set, in the folder that holds its vectors: signed bytes, where these are not what it
 * holds; the statistics that 4-bit codes of all dimensions are made with, when a set that is not small is opened; an HNSW graph where
 * {@link chooseGraph} says so. The same vectors give the same bytes on any number of threads.
 * @throws File system errors; the caller then removes the folder.
 */
export async function buildVectorSet(
  dir: string,
  options: VectorSetBuildOptions,
): Promise<VectorSetManifest> {
  const { numbers, width, codesFrom = SEARCH_DEFAULTS.vector.codesFrom } = options;
  const { signal, onProgress, threads = SEARCH_DEFAULTS.threads } = options;
  const source = { dir, numbers, width };
  const vectors = openVectors(source);
  try {
    const { count } = vectors;
    const tasks: RowsTask[] = [];
    for (let first = 0; first < count; first += TASK_ROWS)
      tasks.push({ source, first, rows: Math.min(TASK_ROWS, count - first) });
    const run: ThreadOptions = { threads: isBuiltHere(count) ? 0 : threads, signal };
    const statistics = await setStatistics(tasks, run);
    const { dims, mean, deviation } = statistics;
    const codes = count >= codesFrom;
    await writeFile(join(dir, VECTOR_FILES.mean), new Uint8Array(mean.buffer));
    await writeFile(join(dir, VECTOR_FILES.deviation), new Uint8Array(deviation.buffer));
    if (numbers !== "int8") {
      await writeFile(join(dir, VECTOR_FILES.byteVectors), "");
      let done = 0;
      await runTasks("byteRows", tasks, {
        ...run,
        onDone: ({ rows }) => {
          done += rows;
          onProgress?.({ phase: "quantize", rows: done });
        },
      });
    }
    const quantizer = codes ? await chooseQuantizer(vectors, statistics, signal) : undefined;
    const { index, graphFrom } = options;
    const graph =
      quantizer !== undefined &&
      (await chooseGraph(dir, count, statistics, quantizer, {
        index,
        graphFrom,
        width,
        threads,
        signal,
        onProgress,
      }));
    const manifest: VectorSetManifest = {
      formatVersion: 4,
      count,
      numbers,
      width,
      dims,
      codes,
      quantizer,
      graph,
    };
    await writeFile(join(dir, VECTOR_FILES.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
    return manifest;
  } finally {
    vectors.close();
  }
}
