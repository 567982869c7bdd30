import { closeSync, openSync } from "node:fs";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { readNumbers } from "../numbers/number-file.js";
import { FeatureSink, type FeatureTarget, type FittedFeatures } from "./feature-sink.js";
import { BATCH_FEATURES } from "./sum-sink.js";

const { dimensions } = SEARCH_DEFAULTS;

/** Task: consecutive features whose sums in the slabs of dimensions are combined. */
export interface CombineTask {
  /** Files of the sums of all features, and which dimensions they are of. */
  readonly slabs: readonly { readonly first: number; readonly dims: number; readonly path: string }[];
  /** The first of the features. */
  readonly first: number;
  readonly target: FeatureTarget;
}

/** Combines the sums of features from slabs of dimensions, and fits the features. */
export async function combineSlabs({ slabs, first, target }: CombineTask): Promise<FittedFeatures> {
  const features = target.documents.length;
  const sums = new Float32Array(Math.min(BATCH_FEATURES, features) * dimensions);
  const sink = await FeatureSink.create(target);
  const sources: { first: number; dims: number; values: Float32Array; descriptor: number }[] = [];
  try {
    for (const { path, dims, first } of slabs) {
      const values = new Float32Array(Math.min(BATCH_FEATURES, features) * dims);
      sources.push({ first, dims, values, descriptor: openSync(path, "r") });
    }
    for (let done = 0; done < features; done += BATCH_FEATURES) {
      const rows = Math.min(BATCH_FEATURES, features - done);
      for (const { descriptor, first: from, dims, values } of sources) {
        readNumbers(descriptor, (first + done) * dims * 4, values.subarray(0, rows * dims));
        for (let row = 0; row < rows; row += 1)
          sums.set(values.subarray(row * dims, (row + 1) * dims), row * dimensions + from);
      }
      sink.write(sums.subarray(0, rows * dimensions));
    }
    return sink.save(target.path);
  } finally {
    for (const { descriptor } of sources) closeSync(descriptor);
  }
}
