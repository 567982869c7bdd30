import { truncate, writeFile } from "node:fs/promises";
import type { ThreadOptions } from "../../threads/run-tasks.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { MeasureTask } from "../fit/measure-part.js";
import type { WeighedPart } from "../fit/weigh-part.js";
import { runTasks } from "../worker-tasks.js";
import type { Vocabulary } from "./vocabulary.js";

const { dimensions } = SEARCH_DEFAULTS;

/**
 * Writes the documents' vectors down: each the sum of its features' index vectors, of length 1, less the mean of all, as signed
 * bytes.
 *
 * @param out where they go, as {@link MeasureTask} says
 * @returns by document, what its bytes are multiplied by for a vector of length 1; 0 for one that has none
 */
export async function measureDocuments(
  parts: readonly WeighedPart[],
  { features }: Vocabulary,
  out: string,
  options: ThreadOptions,
): Promise<Float32Array> {
  const mean = meanOf(parts);
  const documents = parts.reduce((sum, { log }) => sum + log.documents, 0);
  await writeFile(out, "");
  await truncate(out, documents * dimensions);
  const tasks: MeasureTask[] = [];
  let first = 0;
  for (const { log, lengths } of parts) {
    const { inverseLengths } = lengths;
    tasks.push({ log, features, mean, inverseLengths, out, first, documents });
    first += log.documents;
  }
  const measured = await runTasks("measurePart", tasks, options);
  const scales = new Float32Array(documents);
  for (const [i, task] of tasks.entries()) scales.set(measured[i]!, task.first);
  return scales;
}

/** The mean of the documents' vectors at unit length. */
export function meanOf(parts: readonly Pick<WeighedPart, "lengths">[]): Float64Array {
  const mean = new Float64Array(dimensions);
  let documents = 0;
  for (const { lengths } of parts) {
    for (const sum of lengths.sums) for (let k = 0; k < dimensions; k += 1) mean[k]! += sum[k]!;
    for (const inverse of lengths.inverseLengths) if (inverse !== 0) documents += 1;
  }
  for (let k = 0; k < dimensions; k += 1) mean[k]! /= Math.max(1, documents);
  return mean;
}
