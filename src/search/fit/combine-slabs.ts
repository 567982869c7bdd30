import { closeSync, openSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { readNumbers } from "../numbers/number-file.js";
import type { SlabTask } from "./fit-slab.js";
import { BATCH_FEATURES, ByteSink } from "./sum-sinks.js";

const { dimensions } = SEARCH_DEFAULTS;

/**
 * Combines the sums of features from the fitted slabs of dimensions, and writes them as the features' vectors into an
 * existing file.
 *
 * @returns by feature, the scale of its bytes
 * @throws the signal's reason
 */
export async function combineSlabs(
  slabs: readonly Pick<SlabTask, "first" | "dims" | "output">[],
  features: number,
  out: string,
  signal?: AbortSignal,
): Promise<Float32Array> {
  const sums = new Float32Array(BATCH_FEATURES * dimensions);
  const sink = await ByteSink.open(out, 0, features);
  const sources: { first: number; dims: number; values: Float32Array; descriptor: number }[] = [];
  try {
    for (const { first, dims, output } of slabs) {
      const values = new Float32Array(BATCH_FEATURES * dims);
      sources.push({ first, dims, values, descriptor: openSync(output.path, "r") });
    }
    for (let done = 0; done < features; done += BATCH_FEATURES) {
      await turn();
      signal?.throwIfAborted();
      const rows = Math.min(BATCH_FEATURES, features - done);
      for (const { descriptor, first, dims, values } of sources) {
        readNumbers(descriptor, done * dims * 4, values.subarray(0, rows * dims));
        for (let row = 0; row < rows; row += 1)
          sums.set(values.subarray(row * dims, (row + 1) * dims), row * dimensions + first);
      }
      sink.write(sums.subarray(0, rows * dimensions));
    }
    return sink.scales;
  } finally {
    for (const { descriptor } of sources) closeSync(descriptor);
    sink.close();
  }
}
