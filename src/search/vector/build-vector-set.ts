import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ThreadOptions } from "../../threads/run-tasks.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { runTasks } from "../worker-tasks.js";
import { binaryCodeShape } from "./codes/binary-code.js";
import type { CodeTask } from "./codes/code-rows.js";
import type { RowsTask } from "./codes/sum-rows.js";
import { buildGraphs } from "./graph/build-graphs.js";
import { setStatistics } from "./set-statistics.js";
import { VectorFile } from "./vector-file.js";
import { VECTOR_FILES } from "./vector-files.js";
import type { VectorSetManifest } from "./vector-set-manifest.js";

/**
 * Rows per task of summing or coding: a multiple of a block of binary codes. The last bits of the sums depend
 * on it.
 */
const TASK_ROWS = 16_384;

/** Options of {@link buildVectorSet}. */
export interface VectorSetOptions {
  /** Worker threads; 0 runs everything in this thread. Does not change the result. */
  readonly threads?: number;
  /** Least number of rows for binary codes, and for graphs. The defaults are the break-even points. */
  readonly binaryCodesFrom?: number;
  readonly graphFrom?: number;
  /** Called with the number of rows finished so far in each phase. */
  readonly onProgress?: (progress: {
    readonly phase: "reduce" | "quantize" | "graph";
    readonly rows: number;
  }) => void;
  readonly signal?: AbortSignal;
}

/**
 * Builds the search structures of a vector set, in the folder that holds its vectors as `vectors.f32`: 4-bit
 * codes of all dimensions; binary codes for a large set; HNSW graphs where requested and hnswlib-node is
 * available. The same vectors give the same bytes on any number of threads.
 * @throws File system errors; the caller then removes the folder.
 */
export async function buildVectorSet(
  dir: string,
  options: VectorSetOptions = {},
): Promise<VectorSetManifest> {
  const {
    graphFrom = SEARCH_DEFAULTS.vector.graphFrom,
    binaryCodesFrom = SEARCH_DEFAULTS.vector.binaryCodesFrom,
  } = options;
  const { signal, onProgress, threads = SEARCH_DEFAULTS.threads } = options;
  const path = join(dir, VECTOR_FILES.vectors);
  const vectors = VectorFile.open(path);
  try {
    const { count } = vectors;
    const tasks = rowTasks(path, count);
    const run: ThreadOptions = {
      threads: tasks.length > 1 ? threads : 0,
      signal,
    };
    const statistics = await setStatistics(tasks, run);
    const { dims, mean, deviation } = statistics;
    const codes = (count * dims) / 2 <= SEARCH_DEFAULTS.vector.codesMemory;
    const binaryShape = count >= binaryCodesFrom ? binaryCodeShape(dims) : undefined;
    await writeFile(join(dir, VECTOR_FILES.mean), new Uint8Array(mean.buffer));
    await writeFile(join(dir, VECTOR_FILES.deviation), new Uint8Array(deviation.buffer));
    if (codes || binaryShape !== undefined) {
      for (const name of [VECTOR_FILES.codes, VECTOR_FILES.binaryCodes]) await writeFile(join(dir, name), "");
      let coded = 0;
      await runTasks(
        "codeRows",
        tasks.map((task): CodeTask => ({ ...task, dir, statistics, codes, binaryShape })),
        {
          ...run,
          onDone: ({ rows }) => {
            coded += rows;
            onProgress?.({ phase: "quantize", rows: coded });
          },
        },
      );
    }
    const graphs =
      count < graphFrom
        ? undefined
        : await buildGraphs(dir, vectors, dims, {
            threads,
            signal,
            onProgress,
          });
    const manifest: VectorSetManifest = {
      formatVersion: 2,
      count,
      dims,
      sketch: binaryShape,
      codes,
      graphs,
    };
    await writeFile(join(dir, VECTOR_FILES.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
    return manifest;
  } finally {
    vectors.close();
  }
}

function rowTasks(path: string, count: number): RowsTask[] {
  const tasks: RowsTask[] = [];
  for (let first = 0; first < count; first += TASK_ROWS)
    tasks.push({ path, first, rows: Math.min(TASK_ROWS, count - first) });
  return tasks;
}
