import { truncate, writeFile } from "node:fs/promises";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { Vocabulary } from "../embed/vocabulary.js";
import { runTasks } from "../worker-tasks.js";
import type { FitCorpus, FitOptions } from "./fit-corpus.js";
import type { FeaturesTask } from "./fit-features.js";

const { dimensions } = SEARCH_DEFAULTS;

/**
 * Fits features in batches; each thread holds all document vectors. Writes the feature vectors to a file and
 * their scales to the vocabulary.
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
  const scales = await runTasks("fitFeatures", tasks, {
    threads,
    signal,
    onDone: ({ occurrences: { starts } }) => {
      fitted += starts.length - 1;
      onProgress?.(Math.floor((dimensions * fitted) / vocabulary.size));
    },
  });
  for (const [i, task] of tasks.entries()) vocabulary.scales.set(scales[i]!, task.first);
}
