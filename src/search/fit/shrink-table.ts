import { readFile } from "node:fs/promises";
import { FeatureTableWriter, fineFrom } from "../embed/feature-table-writer.js";
import type { Vocabulary } from "../embed/vocabulary.js";
import { append, withFile } from "../numbers/number-file.js";
import { runTasks } from "../worker-tasks.js";
import type { FitOptions } from "./fit-corpus.js";
import type { ShrinkTask, ShrunkRows } from "./shrink-rows.js";

/** Features of a task. */
const FEATURES = 1 << 14;

/** How {@link shrinkTable} runs. */
interface ShrinkOptions extends Pick<FitOptions, "threads" | "signal"> {
  /** A path for what is removed in the end. */
  readonly temporaryFile: (name: string) => string;
}

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
  { threads, signal, temporaryFile }: ShrinkOptions,
): Promise<void> {
  const { documents, scales, size } = vocabulary;
  const fine = fineFrom(documents);
  const tasks: ShrinkTask[] = [];
  for (let first = 0; first < size; first += FEATURES) {
    const end = first + FEATURES;
    tasks.push({
      from,
      first,
      documents: documents.slice(first, end),
      scales: scales.slice(first, end),
      fineFrom: fine,
      out: temporaryFile(`shrunk-${first}.tmp`),
    });
  }
  const shrunk = await runTasks("shrinkRows", tasks, { threads, signal });
  await withFile(out, "w", async (target) => {
    const table = new FeatureTableWriter();
    for (const [i, { out: path, first }] of tasks.entries()) {
      signal?.throwIfAborted();
      scales.set(shrunk[i]!.scales, first);
      vocabulary.vectors.set(merge(table, await readFile(path), shrunk[i]!), first);
      append(target, table.take());
    }
    append(target, table.end());
  });
}

/** Adds the vectors of a task to the table. Returns by feature the number there. */
function merge(table: FeatureTableWriter, stored: Uint8Array, { vectors, lengths }: ShrunkRows): Uint32Array {
  const numbers = new Uint32Array(lengths.length);
  let at = 0;
  lengths.forEach((length, own) => {
    numbers[own] = table.add(stored.subarray(at, at + length));
    at += length;
  });
  return vectors.map((own) => numbers[own]!);
}
