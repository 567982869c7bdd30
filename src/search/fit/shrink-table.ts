import { setImmediate as turn } from "node:timers/promises";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { FeatureTableWriter } from "../embed/feature-table.js";
import type { Vocabulary } from "../embed/vocabulary.js";
import { append, readNumbers, withFile } from "../numbers/number-file.js";

const { dimensions } = SEARCH_DEFAULTS;
/** Features read at a time. */
const BATCH = 2048;

/**
 * Writes the feature vectors of a fit as the model keeps them: 1 or 2 bits per dimension, equal ones once. Their scales, and which is
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
  const bytes = new Int8Array(Math.min(BATCH, vocabulary.size) * dimensions);
  const table = new FeatureTableWriter(vocabulary.documents);
  for (let first = 0; first < vocabulary.size; first += BATCH) {
    signal?.throwIfAborted();
    const count = Math.min(BATCH, vocabulary.size - first);
    readNumbers(source, first * dimensions, bytes.subarray(0, count * dimensions));
    for (let row = first; row < first + count; row += 1) {
      const at = (row - first) * dimensions;
      keep(table, vocabulary, row, bytes.subarray(at, at + dimensions));
    }
    append(target, table.take());
    await turn();
  }
  append(target, table.end());
}

function keep(table: FeatureTableWriter, vocabulary: Vocabulary, row: number, bytes: Int8Array): void {
  const { vector, scale } = table.add(bytes, vocabulary.scales[row]!, vocabulary.documents[row]!);
  vocabulary.vectors[row] = vector;
  vocabulary.scales[row] = scale;
}
