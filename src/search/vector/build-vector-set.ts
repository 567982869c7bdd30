import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Tinypool } from "tinypool";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { append, readFloats, withFile } from "./float-file.js";
import { buildGraphFile, type GraphTask } from "./graph-task.js";
import { loadGraphLibrary } from "./hnsw.js";
import { quantize, scalesOf } from "./quantize.js";
import { chooseReduction, reduceAll } from "./reduce.js";
import { VectorFile } from "./vector-file.js";
import { VECTOR_FILES, type VectorSetManifest } from "./vector-set-manifest.js";

const REDUCED_FILE = "reduced.f32";
const BLOCK = 1024;
const FULL = SEARCH_DEFAULTS.dimensions;

/** Options of {@link buildVectorSet}. */
export interface VectorSetOptions {
  /** Worker threads that build graphs; 0 builds them in this thread. Does not change what is built. */
  readonly threads?: number;
  /** Rows from which graphs are built, and from which dimensions are reduced; the defaults are where they pay. */
  readonly graphFrom?: number;
  readonly projectFrom?: number;
  /** Told of the rows that each of the two passes has done, and of the graphs. */
  readonly onProgress?: (progress: {
    readonly phase: "reduce" | "quantize" | "graph";
    readonly rows: number;
  }) => void;
  readonly signal?: AbortSignal;
}

/**
 * Builds what searches a set of vectors, in the folder that holds them as `vectors.f32`: reduced 8-bit codes, and for large
 * sets HNSW graphs where hnswlib-node is there. The same vectors give the same bytes on any number of threads.
 * Throws what the file system throws; the caller removes the folder then.
 */
export async function buildVectorSet(
  dir: string,
  options: VectorSetOptions = {},
): Promise<VectorSetManifest> {
  const { signal, onProgress } = options;
  const { graphFrom, projectFrom } = { ...SEARCH_DEFAULTS.vector, ...options };
  const vectors = VectorFile.open(join(dir, VECTOR_FILES.vectors));
  const { count } = vectors;
  const reducedPath = join(dir, REDUCED_FILE);
  try {
    const reduction = await chooseReduction(vectors, projectFrom, signal);
    const { dims, basis } = reduction;
    const largest = new Float32Array(dims);
    const fine = basis !== undefined && count * FULL <= SEARCH_DEFAULTS.vector.fineMemory;
    const largestFine = new Float32Array(fine ? FULL : 0);
    let done = 0;
    await withFile(reducedPath, "w", async (descriptor) => {
      for await (const { rows, input, values } of reduceAll(vectors, reduction, signal)) {
        raise(largest, values);
        if (fine) raise(largestFine, input);
        append(descriptor, values);
        done += rows;
        onProgress?.({ phase: "reduce", rows: done });
      }
    });
    const scales = scalesOf(largest);
    if (basis !== undefined) await writeFile(join(dir, VECTOR_FILES.basis), bytesOf(basis));
    await writeFile(join(dir, VECTOR_FILES.scales), bytesOf(scales));
    await writeCodes(reducedPath, join(dir, VECTOR_FILES.codes), { count, dims, scales }, options);
    if (fine) {
      const scales = scalesOf(largestFine);
      await writeFile(join(dir, VECTOR_FILES.fineScales), bytesOf(scales));
      const [from, to] = [join(dir, VECTOR_FILES.vectors), join(dir, VECTOR_FILES.fineCodes)];
      await writeCodes(from, to, { count, dims: FULL, scales }, options);
    }
    const graphs = count < graphFrom ? [] : await buildGraphs(dir, reducedPath, { count, dims }, options);
    const manifest: VectorSetManifest = {
      formatVersion: 1,
      count,
      dims,
      basis: basis === undefined ? "leading" : "principal",
      fine,
      graphs,
    };
    await writeFile(join(dir, VECTOR_FILES.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
    return manifest;
  } finally {
    vectors.close();
    await rm(reducedPath, { force: true });
  }
}

/** Raises each dimension's largest magnitude to what it is in the rows. */
function raise(largest: Float32Array, rows: Float32Array): void {
  const dims = largest.length;
  for (let row = 0; row < rows.length; row += dims) {
    for (let i = 0; i < dims; i += 1) {
      const magnitude = Math.abs(rows[row + i]!);
      if (magnitude > largest[i]!) largest[i] = magnitude;
    }
  }
}

async function writeCodes(
  from: string,
  to: string,
  { count, dims, scales }: { count: number; dims: number; scales: Float32Array },
  { signal, onProgress }: VectorSetOptions,
): Promise<void> {
  const values = new Float32Array(BLOCK * dims);
  const codes = new Int8Array(BLOCK * dims);
  await withFile(from, "r", (source) =>
    withFile(to, "w", async (target) => {
      for (let first = 0; first < count; first += BLOCK) {
        signal?.throwIfAborted();
        const length = Math.min(BLOCK, count - first) * dims;
        readFloats(source, first * dims, values.subarray(0, length));
        quantize(values.subarray(0, length), dims, scales, codes);
        append(target, codes.subarray(0, length));
        onProgress?.({ phase: "quantize", rows: Math.min(count, first + BLOCK) });
        await turn();
      }
    }),
  );
}

async function buildGraphs(
  dir: string,
  reduced: string,
  { count, dims }: { count: number; dims: number },
  { signal, onProgress, threads = 2 }: VectorSetOptions,
): Promise<VectorSetManifest["graphs"]> {
  if (!(await loadGraphLibrary()).available) return [];
  const shards = Math.ceil(count / SEARCH_DEFAULTS.vector.graphRows);
  const bounds = Array.from({ length: shards + 1 }, (_, i) => Math.floor((i * count) / shards));
  const graphs = Array.from({ length: shards }, (_, i) => ({
    file: `graph-${i}.hnsw`,
    first: bounds[i]!,
    count: bounds[i + 1]! - bounds[i]!,
  }));
  const tasks = graphs.map(
    (g): GraphTask => ({ reduced, dims, first: g.first, count: g.count, out: join(dir, g.file) }),
  );
  let rows = 0;
  const finished = (task: GraphTask) => {
    rows += task.count;
    onProgress?.({ phase: "graph", rows });
  };
  if (threads === 0) {
    for (const task of tasks) {
      signal?.throwIfAborted();
      await buildGraphFile(task);
      finished(task);
    }
    return graphs;
  }
  const pool = new Tinypool({
    filename: fileURLToPath(new URL("./graph-task.js", import.meta.url)),
    runtime: "worker_threads",
    minThreads: 0,
    maxThreads: threads,
  });
  try {
    await Promise.all(
      tasks.map(async (task) => {
        await pool.run(task, { name: "buildGraphFile", ...(signal === undefined ? {} : { signal }) });
        finished(task);
      }),
    );
  } finally {
    await pool.destroy();
  }
  return graphs;
}

function bytesOf(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
