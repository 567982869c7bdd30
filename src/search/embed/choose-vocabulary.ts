import { inverseDocumentFrequency, languageCollection } from "../inverse-document-frequency.js";
import { type RunOptions, runTasks } from "../run-tasks.js";
import { type CountedPart, type CountTask, countPart } from "./count-part.js";
import type { FeatureLogPart } from "./feature-log.js";
import { Vocabulary } from "./vocabulary.js";
import type { WeightedLog } from "./weighted-log.js";

/** A part of a log of features, and where its rows go. */
export interface PartToCount {
  readonly part: FeatureLogPart;
  readonly out: string;
}

type ThreadOptions = Pick<RunOptions<CountTask>, "threads" | "signal">;

/**
 * The vocabulary of a corpus, of given features, weighed by how rare each is in the languages that it occurs in; and the
 * documents as its rows.
 *
 * @param features ascending
 * @param languages documents of each language, by the number that the logs give it
 */
export async function chooseVocabulary(
  features: Uint32Array,
  parts: readonly PartToCount[],
  languages: readonly number[],
  options: ThreadOptions,
): Promise<{ vocabulary: Vocabulary; logs: WeightedLog[] }> {
  const documents = languages.reduce((sum, count) => sum + count, 0);
  const collections = Float64Array.from(languages, (count) => languageCollection(count, documents));
  const vocabulary = new Vocabulary(features);
  const sums = new Float64Array(features.length);
  const counted = await count(
    parts.map((part) => ({ ...part, features, collections })),
    options,
  );
  for (const part of counted) {
    part.documents.forEach((found, row) => {
      vocabulary.documents[row]! += found;
      sums[row]! += part.collections[row]!;
    });
  }
  vocabulary.documents.forEach((found, row) => {
    vocabulary.idf[row] = inverseDocumentFrequency(found, sums[row]! / found);
  });
  return { vocabulary, logs: counted.map(({ log }) => log) };
}

/** The documents of parts as rows of a vocabulary that is there already. */
export async function lookUp(
  { features }: Vocabulary,
  parts: readonly PartToCount[],
  options: ThreadOptions,
): Promise<WeightedLog[]> {
  return (
    await count(
      parts.map((part) => ({ ...part, features })),
      options,
    )
  ).map(({ log }) => log);
}

function count(tasks: readonly CountTask[], options: ThreadOptions): Promise<CountedPart[]> {
  return runTasks(new URL("./count-part.js", import.meta.url), countPart, tasks, options);
}
