import { SEARCH_DEFAULTS } from "../defaults.js";
import { FeatureTableWriter } from "../embed/feature-table-writer.js";
import { FEATURE_BYTES, FeatureShrinker } from "../embed/shrink-feature.js";
import { append, readNumbers, withFile } from "../numbers/number-file.js";

const { dimensions } = SEARCH_DEFAULTS;
/** Features read at a time. */
const BATCH = 2048;

/** Task: consecutive features, whose vectors one thread shrinks. */
export interface ShrinkTask {
  /** File of 1536 signed bytes per feature, and the first feature. */
  readonly from: string;
  readonly first: number;
  /** Documents of each feature, and what its bytes are multiplied by. */
  readonly documents: Uint32Array;
  readonly scales: Float32Array;
  /** From how many documents on a vector is kept finely. */
  readonly fineFrom: number;
  /** Gets the different vectors, one after another. */
  readonly out: string;
}

/** What a task found: by feature the number of its vector in the task's file and its scale, and the bytes of each vector. */
export interface ShrunkRows {
  readonly vectors: Uint32Array;
  readonly scales: Float32Array;
  readonly lengths: Uint16Array;
}

/** Shrinks the vectors of consecutive features; equal ones are written once. */
export async function shrinkRows(task: ShrinkTask): Promise<ShrunkRows> {
  const { documents, first } = task;
  const total = documents.length;
  const vectors = new Uint32Array(total);
  const scales = new Float32Array(total);
  const table = new FeatureTableWriter();
  const shrinker = new FeatureShrinker();
  const place = new Uint8Array(FEATURE_BYTES);
  const bytes = new Int8Array(Math.min(BATCH, total) * dimensions);
  await withFile(task.from, "r", (source) =>
    withFile(task.out, "w", (target) => {
      for (let at = 0; at < total; at += BATCH) {
        const count = Math.min(BATCH, total - at);
        readNumbers(source, (first + at) * dimensions, bytes.subarray(0, count * dimensions));
        for (let row = 0; row < count; row += 1) {
          const feature = at + row;
          const shape = { scale: task.scales[feature]!, fine: documents[feature]! >= task.fineFrom };
          const own = bytes.subarray(row * dimensions, (row + 1) * dimensions);
          const { length, scale } = shrinker.shrink(own, shape, place);
          vectors[feature] = table.add(place.subarray(0, length));
          scales[feature] = scale;
        }
        append(target, table.take());
      }
    }),
  );
  return { vectors, scales, lengths: table.lengths };
}
