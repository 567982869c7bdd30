import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { IndexVectors } from "./index-vector.js";
import { EmbedKernels } from "./kernels.js";
import { type Occurrences, OccurrencesReader } from "./occurrences.js";
import { readWeightedLogs, type WeightedLog } from "./weighted-log.js";

const ROWS = 4096;

/** Some dimensions of all features, to be fitted in one thread. Files hold little-endian numbers, as {@link fitReflective} writes them. */
export interface SlabTask {
  readonly logs: readonly WeightedLog[];
  readonly documents: number;
  readonly files: {
    readonly features: string;
    readonly mean: string;
    readonly inverseLengths: string;
    readonly byteScales: string;
  };
  readonly occurrences: Occurrences;
  readonly first: number;
  /** A multiple of 16. */
  readonly dims: number;
  /** Where the rows go: 32-bit floats, `dims` a row. */
  readonly out: string;
}

/**
 * Sums, for every feature, the vectors of the documents that hold it (of length 1, less their mean), by weight: the
 * reflection of reflective random indexing, for some of the dimensions.
 */
export async function fitSlab(task: SlabTask): Promise<void> {
  const { documents, dims } = task;
  const kernels = await EmbedKernels.create(dims, documents);
  await placeDocuments(task, kernels);
  const occurrences = new OccurrencesReader(task.occurrences);
  try {
    const out = createWriteStream(task.out);
    const size = task.occurrences.starts.length - 1;
    for (let first = 0; first < size; first += ROWS) {
      const rows = Math.min(ROWS, size - first);
      const block = new Float32Array(rows * dims);
      let row = 0;
      occurrences.forEach(first, first + rows, (documents, weights) => {
        kernels.vector.fill(0);
        kernels.gather(documents, weights);
        block.set(kernels.vector, row * dims);
        row += 1;
      });
      if (!out.write(new Uint8Array(block.buffer))) await once(out, "drain");
    }
    out.end();
    await finished(out);
  } finally {
    occurrences.close();
  }
}

/** Makes the documents' vectors the kernels' table, as signed bytes. */
async function placeDocuments({ logs, files, first, dims }: SlabTask, kernels: EmbedKernels): Promise<void> {
  const index = new IndexVectors(new Uint32Array(await ownBuffer(files.features))).slab(first, dims);
  const mean = new Float64Array(await ownBuffer(files.mean)).subarray(first, first + dims);
  const inverseLengths = new Float64Array(await ownBuffer(files.inverseLengths));
  const byteScales = new Float64Array(await ownBuffer(files.byteScales));
  const { vector } = kernels;
  const sum = new Float32Array(dims);
  let document = 0;
  for (const { rows, weights } of readWeightedLogs(logs)) {
    const inverse = inverseLengths[document]!;
    if (inverse > 0) {
      sum.fill(0);
      for (let i = 0; i < rows.length; i += 1) index.add(rows[i]!, weights[i]!, sum);
      for (let k = 0; k < dims; k += 1) vector[k] = sum[k]! * inverse - mean[k]!;
      kernels.narrow(byteScales[document]!, document);
    }
    document += 1;
  }
}

async function ownBuffer(path: string): Promise<ArrayBuffer> {
  return Uint8Array.from(await readFile(path)).buffer;
}
