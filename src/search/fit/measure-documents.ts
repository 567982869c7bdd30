import { truncate, writeFile } from "node:fs/promises";
import type { ThreadOptions } from "../../threads/run-tasks.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { Vocabulary } from "../embed/vocabulary.js";
import { runTasks } from "../worker-tasks.js";
import type { MeasureTask } from "./measure-part.js";
import { meansOfTopics, type TopicsTask } from "./topic-sums.js";
import { chooseTopics, type SketchedDocuments, type Topics } from "./topics.js";
import type { MeasuredDocuments, WeighedPart } from "./weigh-part.js";

const { dimensions } = SEARCH_DEFAULTS;

/**
 * Writes the documents' vectors down: each the sum of its features' index vectors, of length 1, less the mean of its topic, as
 * signed bytes.
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
  const documents = parts.reduce((sum, { log }) => sum + log.documents, 0);
  const topics = topicsOf(parts.map(({ measured }) => measured));
  const tasksToSum: TopicsTask[] = shared(parts, options.threads).map((some) => ({
    parts: some.map(({ log, measured: { inverseLengths, languages } }) => {
      return { log, measured: { inverseLengths, languages } };
    }),
    features,
    topics,
  }));
  const sums = await runTasks("sumTopics", tasksToSum, options);
  const means = meansOfTopics(topics, sums);
  const found = sums.flatMap((some) => some.topics);
  await writeFile(out, "");
  await truncate(out, documents * dimensions);
  const tasks: MeasureTask[] = [];
  let first = 0;
  for (const [i, { log, measured }] of parts.entries()) {
    const { inverseLengths } = measured;
    tasks.push({ log, features, means, topics: found[i]!, inverseLengths, out, first, documents });
    first += log.documents;
  }
  const measured = await runTasks("measurePart", tasks, options);
  const scales = new Float32Array(documents);
  for (const [i, task] of tasks.entries()) scales.set(measured[i]!, task.first);
  return scales;
}

/** Consecutive parts for each of a few tasks: what each sums is large. */
function shared<Part>(parts: readonly Part[], threads: number): Part[][] {
  const size = Math.max(1, Math.ceil(parts.length / (2 * Math.max(1, threads))));
  return Array.from({ length: Math.ceil(parts.length / size) }, (_, i) =>
    parts.slice(i * size, (i + 1) * size),
  );
}

/** How many documents there are to one that topics are chosen by. */
export function sampledEvery(documents: number): number {
  return Math.max(1, Math.ceil(documents / SEARCH_DEFAULTS.embed.topics.sample));
}

/** The topics of measured documents, the parts in order. */
export function topicsOf(parts: readonly MeasuredDocuments[]): Topics {
  const counts: number[] = [];
  for (const { languages, inverseLengths } of parts) {
    languages.forEach((language, document) => {
      if (inverseLengths[document] !== 0) counts[language] = (counts[language] ?? 0) + 1;
    });
  }
  const samples = parts.map(({ sample }) => sample);
  return chooseTopics(
    joined(samples),
    Uint32Array.from(counts, (count) => count ?? 0),
  );
}

function joined(samples: readonly SketchedDocuments[]): SketchedDocuments {
  const languages = new Uint16Array(samples.reduce((sum, { languages }) => sum + languages.length, 0));
  const sketches = new Float32Array(languages.length * SEARCH_DEFAULTS.embed.topics.sketch);
  let [at, from] = [0, 0];
  for (const sample of samples) {
    languages.set(sample.languages, at);
    sketches.set(sample.sketches, from);
    at += sample.languages.length;
    from += sample.sketches.length;
  }
  return { languages, sketches };
}
