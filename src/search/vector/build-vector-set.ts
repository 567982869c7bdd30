import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { buildGraphs } from "./build-graphs.js";
import { packCodes } from "./code-scan.js";
import { append, withFile } from "./float-file.js";
import { QUANTIZERS, quantize } from "./quantizer.js";
import { type SetStatistics, setStatistics } from "./set-statistics.js";
import { blockBytes, packSketch, SKETCH_ROWS, type SketchShape, sketchShape } from "./sketch.js";
import { VectorFile } from "./vector-file.js";
import { VECTOR_FILES } from "./vector-files.js";
import type { VectorSetManifest } from "./vector-set-manifest.js";

const BLOCK = 8 * SKETCH_ROWS;
const FULL = SEARCH_DEFAULTS.dimensions;

/** Options of {@link buildVectorSet}. */
export interface VectorSetOptions {
  /** Worker threads that build graphs; 0 builds them in this thread. Does not change what is built. */
  readonly threads?: number;
  /** Rows from which sketches are made, and from which graphs are built; the defaults are where they pay. */
  readonly sketchFrom?: number;
  readonly graphFrom?: number;
  /** Told of the rows that each pass has done, and of the graphs. */
  readonly onProgress?: (progress: {
    readonly phase: "reduce" | "quantize" | "graph";
    readonly rows: number;
  }) => void;
  readonly signal?: AbortSignal;
}

/**
 * Builds what searches a set of vectors, in the folder that holds them as `vectors.f32`: 4-bit codes of all dimensions; for a
 * large set sketches, by which a scan chooses whose codes are looked at; and HNSW graphs where these are asked for and
 * hnswlib-node is there. The same vectors give the same bytes on any number of threads.
 * Throws what the file system throws; the caller removes the folder then.
 */
export async function buildVectorSet(
  dir: string,
  options: VectorSetOptions = {},
): Promise<VectorSetManifest> {
  const { graphFrom, sketchFrom } = { ...SEARCH_DEFAULTS.vector, ...options };
  const { signal, onProgress, threads = 2 } = options;
  const vectors = VectorFile.open(join(dir, VECTOR_FILES.vectors));
  try {
    const { count } = vectors;
    const statistics = await setStatistics(vectors, signal === undefined ? {} : { signal });
    const { dims, mean, deviation } = statistics;
    const codes = (count * dims) / 2 <= SEARCH_DEFAULTS.vector.codesMemory;
    const sketch = count >= sketchFrom ? sketchShape(dims) : undefined;
    await writeFile(join(dir, VECTOR_FILES.mean), new Uint8Array(mean.buffer));
    await writeFile(join(dir, VECTOR_FILES.deviation), new Uint8Array(deviation.buffer));
    if (codes || sketch !== undefined) await writeCodes(dir, vectors, statistics, { codes, sketch }, options);
    const graphs =
      count < graphFrom
        ? undefined
        : await buildGraphs(dir, vectors, dims, {
            threads,
            ...(signal === undefined ? {} : { signal }),
            ...(onProgress === undefined ? {} : { onProgress }),
          });
    const manifest: VectorSetManifest = {
      formatVersion: 2,
      count,
      dims,
      ...(sketch === undefined ? {} : { sketch }),
      codes,
      ...(graphs === undefined ? {} : { graphs }),
    };
    await writeFile(join(dir, VECTOR_FILES.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
    return manifest;
  } finally {
    vectors.close();
  }
}

async function writeCodes(
  dir: string,
  vectors: VectorFile,
  statistics: SetStatistics,
  { codes, sketch }: { readonly codes: boolean; readonly sketch: SketchShape | undefined },
  { signal, onProgress }: VectorSetOptions,
): Promise<void> {
  const { count } = vectors;
  const input = new Float32Array(BLOCK * FULL);
  await withFile(join(dir, VECTOR_FILES.codes), "w", (codesFile) =>
    withFile(join(dir, VECTOR_FILES.sketches), "w", async (sketchesFile) => {
      for (let first = 0; first < count; first += BLOCK) {
        signal?.throwIfAborted();
        const rows = Math.min(BLOCK, count - first);
        vectors.readRun(first, rows, input);
        if (codes) append(codesFile, codesOf(input, rows, statistics));
        if (sketch !== undefined) append(sketchesFile, sketchesOf(input, rows, statistics, sketch));
        onProgress?.({ phase: "quantize", rows: first + rows });
        await turn();
      }
    }),
  );
}

function codesOf(input: Float32Array, rows: number, statistics: SetStatistics): Uint8Array {
  const { dims } = statistics;
  const row = new Uint8Array(dims);
  const packed = new Uint8Array((rows * dims) / 2);
  for (let i = 0; i < rows; i += 1) {
    quantize(input.subarray(i * FULL, i * FULL + dims), statistics, QUANTIZERS[4], row);
    packCodes(row, packed.subarray((i * dims) / 2, ((i + 1) * dims) / 2));
  }
  return packed;
}

function sketchesOf(
  input: Float32Array,
  rows: number,
  statistics: SetStatistics,
  shape: SketchShape,
): Uint8Array {
  const row = new Uint8Array(shape.dims);
  const size = blockBytes(shape);
  const packed = new Uint8Array(Math.ceil(rows / SKETCH_ROWS) * size);
  for (let i = 0; i < rows; i += 1) {
    quantize(input.subarray(i * FULL, i * FULL + shape.dims), statistics, QUANTIZERS[shape.bits], row);
    const block = Math.floor(i / SKETCH_ROWS) * size;
    packSketch(row, i % SKETCH_ROWS, shape, packed.subarray(block, block + size));
  }
  return packed;
}
