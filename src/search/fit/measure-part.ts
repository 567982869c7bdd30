import { SEARCH_DEFAULTS } from "../defaults.js";
import { IndexVectors } from "../embed/index-vector.js";
import { withFile, writeNumbers } from "../numbers/number-file.js";
import { LARGEST_BYTE } from "./feature-shrinker.js";
import { BLOCK, GatherTable } from "./gather-table.js";
import { readWeightedLog, type WeightedDocument, type WeightedLog } from "./weighted-log.js";

const { dimensions } = SEARCH_DEFAULTS;

/** Task: a weighted log whose vectors are normalised, centred and written as signed bytes. */
export interface MeasureTask {
  readonly log: WeightedLog;
  readonly features: Uint32Array;
  readonly mean: Float64Array;
  /** By document, as {@link Lengths} has them. */
  readonly inverseLengths: Float64Array;
  /** Existing file for {@link dimensions} bytes per document: 64 of every document, then the next 64. */
  readonly out: string;
  /** Index of the log's first document, and number of all documents. */
  readonly first: number;
  readonly documents: number;
}

/**
 * Computes the documents' vectors at unit length, less their mean, and writes them as bytes, the largest
 * magnitude as 127.
 *
 * @returns by document, the scale to unit length; 0 for one without a vector
 */
export async function measurePart(task: MeasureTask): Promise<Float32Array> {
  const { log } = task;
  const table = await GatherTable.create({ dims: dimensions, rows: log.documents, lists: 0, entries: 0 });
  const scales = await measureInto(table, readWeightedLog(log), log.documents, task);
  await withFile(task.out, "r+", (descriptor) => {
    for (let first = 0; first < dimensions; first += BLOCK)
      writeNumbers(descriptor, first * task.documents + task.first * BLOCK, table.block(first));
  });
  return scales;
}

/**
 * Places the vectors of `count` documents, of unit length, less the mean, in the rows of a table.
 * @returns by document, the scale to unit length; 0 for one without a vector
 */
export async function measureInto(
  table: GatherTable,
  documents: Iterable<WeightedDocument>,
  count: number,
  { features, mean, inverseLengths }: Pick<MeasureTask, "features" | "mean" | "inverseLengths">,
): Promise<Float32Array> {
  const index = await IndexVectors.create(features.length);
  index.list(features);
  for (let k = 0; k < dimensions; k += 1) index.other[k] = -mean[k]!;
  const scales = new Float32Array(count);
  let document = -1;
  for (const { rows, weights } of documents) {
    document += 1;
    const inverse = inverseLengths[document]!;
    if (inverse === 0) continue;
    index.sum(rows, weights);
    index.blend(inverse);
    const { length, largest } = index.measure();
    if (largest === 0) continue;
    scales[document] = largest / (LARGEST_BYTE * length);
    table.vector.set(index.vector);
    table.place(document, LARGEST_BYTE / largest);
  }
  return scales;
}
