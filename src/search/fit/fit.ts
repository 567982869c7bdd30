import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { measureDocuments } from "../embed/geometry.js";
import { MODEL_FILES } from "../embed/model-manifest.js";
import { packVocabulary } from "../embed/packed-vocabulary.js";
import type { Vocabulary } from "../embed/vocabulary.js";
import { runTasks } from "../worker-tasks.js";
import type { FitOptions } from "./fit-corpus.js";
import { fitInSlabs } from "./fit-in-slabs.js";
import { joinFeatures } from "./join-features.js";
import type { OccurrencesTask } from "./occurrences.js";
import type { WeighedPart } from "./weigh-part.js";

const { slabMemory } = SEARCH_DEFAULTS.embed;

/** Most features whose occurrences a thread collects at a time. */
const FEATURES = 1 << 17;

/**
 * Fits the default embedder to a corpus: reflective random indexing (Cohen, Schvaneveldt, Widdows 2010) of one cycle. A
 * feature's index vector is random, a document the weighted sum of its features' index vectors, of length 1, less the mean
 * of all documents, of length 1 again; a feature's vector is made of the documents that hold it and of its own index vector.
 * In bounded memory: some dimensions at a time where all dimensions of all documents are too many to hold. The same
 * documents give the same bytes on any machine and number of threads.
 *
 * @param dir a folder that exists; gets the files of the model, and for a while others
 * @param parts the documents, weighed by the vocabulary
 */
export async function fitReflective(
  dir: string,
  vocabulary: Vocabulary,
  parts: readonly WeighedPart[],
  options: FitOptions,
): Promise<void> {
  const { signal } = options;
  const work = (name: string) => join(dir, name);
  const temporary: string[] = [];
  const temporaryFile = (name: string) => {
    temporary.push(work(name));
    return work(name);
  };
  try {
    const run = { threads: options.threads, signal };
    const vectors = temporaryFile("documents.tmp");
    const scales = await measureDocuments(parts, vocabulary, vectors, run);
    const documents = scales.length;
    const tasksToCollect: OccurrencesTask[] = [];
    const features = shareOf(vocabulary.size, options.threads);
    for (let first = 0; first < vocabulary.size; first += features) {
      tasksToCollect.push({
        logs: parts.map(({ log }) => log),
        first,
        found: vocabulary.documents.slice(first, first + features),
        scales,
        files: {
          documents: temporaryFile(`occurrences-${first}.tmp`),
          weights: temporaryFile(`weights-${first}.tmp`),
        },
      });
    }
    const occurrences = await runTasks("collectOccurrences", tasksToCollect, run);
    const fitted = await fitInSlabs({ vectors, documents, occurrences }, vocabulary.documents, {
      ...options,
      slabMemory,
      temporaryFile,
    });
    await joinFeatures(fitted, vocabulary, work(MODEL_FILES.vectors), signal);
    await writeFile(work(MODEL_FILES.vocabulary), packVocabulary(vocabulary));
  } finally {
    for (const path of temporary) await rm(path, { force: true });
  }
}

/** Features of a task: as many in each, so that no thread waits for another for long. */
function shareOf(features: number, threads: number): number {
  const rounds = Math.ceil(features / (FEATURES * Math.max(1, threads)));
  return Math.max(1, Math.ceil(features / (rounds * Math.max(1, threads))));
}
