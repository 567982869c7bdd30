import { readFile } from "node:fs/promises";
import { FeatureTableWriter } from "../embed/feature-table-writer.js";
import type { Vocabulary } from "../embed/vocabulary.js";
import { append, withFile } from "../numbers/number-file.js";
import type { FittedPart } from "./fit-in-slabs.js";

/**
 * Writes the vectors of fitted features as the model keeps them: the different ones of all parts, once. Their scales, and which
 * feature has which, go into the vocabulary.
 *
 * @throws the signal's reason
 */
export async function joinFeatures(
  parts: readonly FittedPart[],
  vocabulary: Vocabulary,
  out: string,
  signal?: AbortSignal,
): Promise<void> {
  const table = new FeatureTableWriter({
    vectors: parts.reduce((sum, { lengths }) => sum + lengths.length, 0),
    bytes: parts.reduce((sum, { lengths }) => lengths.reduce((all, length) => all + length, sum), 0),
  });
  let first = 0;
  for (const { path, vectors, scales, lengths } of parts) {
    signal?.throwIfAborted();
    const stored = await readFile(path);
    let at = 0;
    const numbers = new Uint32Array(lengths.length);
    lengths.forEach((length, own) => {
      numbers[own] = table.add(stored.subarray(at, at + length));
      at += length;
    });
    vocabulary.vectors.set(
      vectors.map((own) => numbers[own]!),
      first,
    );
    vocabulary.scales.set(scales, first);
    first += vectors.length;
  }
  await withFile(out, "w", (target) => {
    append(target, table.vectors);
    append(target, table.end());
  });
}
