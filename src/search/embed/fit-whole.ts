import { truncate, writeFile } from "node:fs/promises";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { runTasks } from "../run-tasks.js";
import type { FitOptions } from "./fit.js";
import { type FeaturesTask, fitFeatures } from "./fit-features.js";
import type { Occurrences } from "./occurrences.js";
import type { Vocabulary } from "./vocabulary.js";

const { dimensions } = SEARCH_DEFAULTS;

/** What features are fitted to. */
export interface FitCorpus {
  /** The documents' vectors, as {@link MeasureTask} describes the file. */
  readonly vectors: string;
  readonly documents: number;
  /** Of all features, in their order. */
  readonly occurrences: readonly Occurrences[];
}

/**
 * Fits features some at a time, each thread with all documents' vectors in memory. Writes the features' vectors to a file; their
 * scales go into the vocabulary.
 */
export async function fitWhole(
  { vectors, documents, occurrences }: FitCorpus,
  vocabulary: Vocabulary,
  out: string,
  { threads, signal, onProgress }: FitOptions,
): Promise<void> {
  await writeFile(out, "");
  await truncate(out, vocabulary.size * dimensions);
  const tasks: FeaturesTask[] = [];
  let first = 0;
  for (const part of occurrences) {
    tasks.push({ vectors, documents, occurrences: part, out, first });
    first += part.starts.length - 1;
  }
  let fitted = 0;
  const scales = await runTasks(new URL("./fit-features.js", import.meta.url), fitFeatures, tasks, {
    threads,
    ...(signal === undefined ? {} : { signal }),
    onDone: ({ occurrences: { starts } }) => {
      fitted += starts.length - 1;
      onProgress?.(Math.floor((dimensions * fitted) / vocabulary.size));
    },
  });
  for (const [i, task] of tasks.entries()) vocabulary.scales.set(scales[i]!, task.first);
}
