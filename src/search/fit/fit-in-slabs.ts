import { truncate, writeFile } from "node:fs/promises";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { Vocabulary } from "../embed/vocabulary.js";
import { runTasks } from "../worker-tasks.js";
import { combineSlabs } from "./combine-slabs.js";
import type { FitCorpus, FitOptions } from "./fit-corpus.js";
import type { SlabTask } from "./fit-slab.js";
import { BLOCK } from "./gather-table.js";
import { featuresIn } from "./occurrences.js";

const { dimensions } = SEARCH_DEFAULTS;

/** Options of {@link fitInSlabs}. */
export interface SlabOptions extends FitOptions {
  /** Bytes of documents' vectors that a thread may hold. Does not change the result. */
  readonly slabMemory: number;
  /** Returns a path for a file that the caller removes. */
  readonly temporaryFile: (name: string) => string;
}

/**
 * Fits features in slabs of dimensions, as wide as memory allows. One slab of all dimensions gives the features' vectors at
 * once, and threads share the features. Several slabs give sums in temporary files, a slab a thread, that are combined at the
 * end. Writes the features' vectors to `out`; their scales go into the vocabulary.
 *
 * @throws the signal's reason
 */
export async function fitInSlabs(
  corpus: FitCorpus,
  vocabulary: Vocabulary,
  out: string,
  { threads, signal, onProgress, slabMemory, temporaryFile }: SlabOptions,
): Promise<void> {
  const features = vocabulary.size;
  await writeFile(out, "");
  await truncate(out, features * dimensions);
  const width = slabWidth(corpus.documents, slabMemory);
  const oneSlab = width === dimensions;
  const tasks = oneSlab ? tasksByFeatures(corpus, out) : tasksBySlab(corpus, width, temporaryFile);
  let fitted = 0;
  const scales = await runTasks("fitSlab", tasks, {
    threads,
    isolated: !oneSlab,
    signal,
    onDone: ({ dims, occurrences }) => {
      fitted += dims * featuresIn(occurrences);
      onProgress?.(Math.floor(fitted / features));
    },
  });
  let row = 0;
  for (const part of oneSlab ? scales : [await combineSlabs(tasks, features, out, signal)]) {
    vocabulary.scales.set(part, row);
    row += part.length;
  }
}

/** A task for each part of the features, in one slab of all dimensions. */
function tasksByFeatures(corpus: FitCorpus, path: string): SlabTask[] {
  let row = 0;
  return corpus.occurrences.map((part) => {
    const occurrences = [part];
    const output = { kind: "bytes", path, row } as const;
    row += featuresIn(occurrences);
    return { ...corpus, occurrences, first: 0, dims: dimensions, output };
  });
}

/** A task for each slab, of all features. */
function tasksBySlab(
  corpus: FitCorpus,
  width: number,
  temporaryFile: SlabOptions["temporaryFile"],
): SlabTask[] {
  const tasks: SlabTask[] = [];
  for (let first = 0; first < dimensions; first += width) {
    const output = { kind: "floats", path: temporaryFile(`slab-${first}.tmp`) } as const;
    tasks.push({ ...corpus, first, dims: Math.min(width, dimensions - first), output });
  }
  return tasks;
}

/** Dimensions per slab: all of them, or else a multiple of 64, at most half of them, as the memory allows. */
function slabWidth(documents: number, memory: number): number {
  const held = Math.floor(memory / Math.max(1, documents) / BLOCK) * BLOCK;
  return held >= dimensions ? dimensions : Math.min(dimensions / 2, Math.max(BLOCK, held));
}
