import { SEARCH_DEFAULTS } from "../defaults.js";
import type { Vocabulary } from "../embed/vocabulary.js";
import { runTasks } from "../worker-tasks.js";
import { combineSlabs } from "./combine-slabs.js";
import type { FitCorpus, FitOptions } from "./fit-corpus.js";
import type { SlabTask } from "./fit-slab.js";

const { dimensions } = SEARCH_DEFAULTS;

/** Options of {@link fitInSlabs}. */
export interface SlabOptions extends FitOptions {
  /** Returns a path for a file that the caller removes. */
  readonly temporaryFile: (name: string) => string;
}

/**
 * Fits features in slabs of dimensions, for more documents than a thread can hold. Writes the same result as
 * {@link fitWhole}.
 */
export async function fitInSlabs(
  corpus: FitCorpus,
  vocabulary: Vocabulary,
  out: string,
  { threads, signal, onProgress, temporaryFile }: SlabOptions,
): Promise<void> {
  const tasks: SlabTask[] = [];
  const width = slabWidth(corpus.documents);
  for (let first = 0; first < dimensions; first += width) {
    const dims = Math.min(width, dimensions - first);
    tasks.push({ ...corpus, first, dims, out: temporaryFile(`slab-${first}.tmp`) });
  }
  let fitted = 0;
  await runTasks("fitSlab", tasks, {
    threads,
    isolated: true,
    signal,
    onDone: ({ dims }) => {
      fitted += dims;
      onProgress?.(fitted);
    },
  });
  await combineSlabs(tasks, vocabulary, out, signal);
}

/** Dimensions per slab: a multiple of 64, at most half of them, as the memory allows. */
function slabWidth(documents: number): number {
  const held = Math.floor(SEARCH_DEFAULTS.embed.slabMemory / Math.max(1, documents) / 64) * 64;
  return Math.min(dimensions / 2, Math.max(64, held));
}
