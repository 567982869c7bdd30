import { setImmediate as turn } from "node:timers/promises";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { EqualVectors } from "../embed/equal-vectors.js";
import { FEATURE_BYTES, shrinkFeature } from "../embed/feature-table.js";
import type { Vocabulary } from "../embed/vocabulary.js";
import { append, readNumbers, withFile } from "../numbers/number-file.js";

const { dimensions } = SEARCH_DEFAULTS;
/** Features read at a time. */
const BATCH = 2048;

/**
 * Writes the feature vectors of a fit as the model keeps them: 2 bits per dimension, equal ones once. Their scales, and which is
 * which, go into the vocabulary.
 *
 * @param from file of 1536 signed bytes per feature
 * @throws the signal's reason
 */
export async function shrinkTable(
  from: string,
  vocabulary: Vocabulary,
  out: string,
  signal?: AbortSignal,
): Promise<void> {
  await withFile(from, "r", (source) =>
    withFile(out, "w", (target) => shrink(source, vocabulary, target, signal)),
  );
}

async function shrink(
  source: number,
  vocabulary: Vocabulary,
  target: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const bytes = new Int8Array(BATCH * dimensions);
  const shrunk = new Uint8Array(BATCH * FEATURE_BYTES);
  const different = new EqualVectors();
  for (let first = 0; first < vocabulary.size; first += BATCH) {
    signal?.throwIfAborted();
    const count = Math.min(BATCH, vocabulary.size - first);
    readNumbers(source, first * dimensions, bytes.subarray(0, count * dimensions));
    let fresh = 0;
    for (let i = 0; i < count; i += 1) {
      const vector = bytes.subarray(i * dimensions, (i + 1) * dimensions);
      const place = shrunk.subarray(fresh * FEATURE_BYTES, (fresh + 1) * FEATURE_BYTES);
      vocabulary.scales[first + i] = shrinkFeature(vector, vocabulary.scales[first + i]!, place);
      const before = different.count;
      vocabulary.vectors[first + i] = different.numberOf(place);
      if (different.count > before) fresh += 1;
    }
    append(target, shrunk.subarray(0, fresh * FEATURE_BYTES));
    await turn();
  }
}
