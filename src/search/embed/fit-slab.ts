import { readFile, writeFile } from "node:fs/promises";
import { IndexVectors } from "./index-vector.js";
import { EmbedKernels } from "./kernels.js";
import { readWeightedLogs, type WeightedLog } from "./weighted-log.js";

/** Some dimensions of all features, to be fitted in one thread. Files hold little-endian numbers. */
export interface SlabTask {
  readonly logs: readonly WeightedLog[];
  /** 32-bit integers: the features, by row. */
  readonly features: string;
  /** 32-bit floats: what each document's vector is multiplied by, the inverse of its length twice over. */
  readonly coefficients: string;
  /** 64-bit floats: what each row has gained, in all, of documents of length 1. */
  readonly totals: string;
  /** 64-bit floats: the mean of the documents of length 1. */
  readonly mean: string;
  readonly first: number;
  readonly dims: number;
  /** Where the rows go: 32-bit floats, `dims` a row. */
  readonly out: string;
}

/**
 * Sums, over all documents, each document's vector (of length 1, less the mean) into the features that it holds, by weight:
 * the reflection of reflective random indexing, for some of the dimensions.
 */
export async function fitSlab(task: SlabTask): Promise<void> {
  const { logs, first, dims } = task;
  const features = new Uint32Array(await ownBuffer(task.features));
  const coefficients = new Float32Array(await ownBuffer(task.coefficients));
  const totals = new Float64Array(await ownBuffer(task.totals));
  const mean = new Float64Array(await ownBuffer(task.mean));
  const index = new IndexVectors(features).slab(first, dims);
  const kernels = await EmbedKernels.create(dims, features.length * dims * 4);
  const { vector } = kernels;
  let document = 0;
  for (const { rows, weights } of readWeightedLogs(logs)) {
    const coefficient = coefficients[document++]!;
    if (coefficient === 0) continue;
    vector.fill(0);
    for (let i = 0; i < rows.length; i += 1) index.add(rows[i]!, weights[i]! * coefficient, vector);
    kernels.spread(rows, weights);
  }
  const table = kernels.floats(features.length);
  totals.forEach((total, row) => {
    for (let i = 0; i < dims; i += 1) table[row * dims + i]! -= total * mean[first + i]!;
  });
  await writeFile(task.out, new Uint8Array(table.buffer, table.byteOffset, table.byteLength));
}

async function ownBuffer(path: string): Promise<ArrayBuffer> {
  return Uint8Array.from(await readFile(path)).buffer;
}
