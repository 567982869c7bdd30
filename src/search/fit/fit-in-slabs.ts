import { SEARCH_DEFAULTS } from "../defaults.js";
import { fineFrom } from "../embed/feature-table-writer.js";
import { runTasks } from "../worker-tasks.js";
import type { CombineTask } from "./combine-slabs.js";
import type { FeatureTarget, FittedFeatures } from "./feature-sink.js";
import type { FitCorpus, FitOptions } from "./fit-corpus.js";
import type { FitTask, SlabTask } from "./fit-slab.js";
import { BLOCK } from "./gather-table.js";
import { featuresIn } from "./occurrences.js";

const { dimensions } = SEARCH_DEFAULTS;

/** Features whose slabs a thread combines at a time. */
const COMBINED = 1 << 15;

/** Options of {@link fitInSlabs}. */
export interface SlabOptions extends FitOptions {
  /** Bytes of documents' vectors that a thread may hold. Does not change the result. */
  readonly slabMemory: number;
  /** Returns a path for a file that the caller removes. */
  readonly temporaryFile: (name: string) => string;
}

/** Consecutive fitted features, and the file of their different vectors. */
export interface FittedPart extends FittedFeatures {
  readonly path: string;
}

/**
 * Fits features in slabs of dimensions, as wide as memory allows. One slab of all dimensions gives the features' vectors at
 * once, and threads share the features. Several slabs give sums in temporary files, a slab a thread, that are combined at the
 * end.
 *
 * @param found documents of each feature
 * @returns the features, in order
 * @throws the signal's reason
 */
export async function fitInSlabs(
  corpus: FitCorpus,
  found: Uint32Array,
  { threads, signal, onProgress, slabMemory, temporaryFile }: SlabOptions,
): Promise<FittedPart[]> {
  const run = { threads, signal };
  const features = found.length;
  let fitted = 0;
  const onDone = ({ dims, occurrences }: Pick<SlabTask, "dims" | "occurrences">) => {
    fitted += dims * featuresIn(occurrences);
    onProgress?.(Math.floor(fitted / features));
  };
  const fine = fineFrom(found);
  const targetOf = (first: number, end: number): FeatureTarget => ({
    documents: found.slice(first, end),
    fineFrom: fine,
    path: temporaryFile(`features-${first}.tmp`),
  });
  const width = slabWidth(corpus.documents, slabMemory);
  if (width === dimensions) {
    const tasks = tasksByFeatures(corpus, targetOf);
    return partsOf(tasks, await runTasks("fitFeatures", tasks, { ...run, onDone }));
  }
  const slabs = tasksBySlab(corpus, width, temporaryFile);
  await runTasks("sumSlab", slabs, { ...run, isolated: true, onDone });
  const tasks: CombineTask[] = [];
  for (let first = 0; first < features; first += COMBINED)
    tasks.push({ slabs, first, target: targetOf(first, first + COMBINED) });
  return partsOf(tasks, await runTasks("combineSlabs", tasks, run));
}

function partsOf(
  tasks: readonly { readonly target: FeatureTarget }[],
  fitted: readonly FittedFeatures[],
): FittedPart[] {
  return tasks.map(({ target }, i) => ({ ...fitted[i]!, path: target.path }));
}

/** A task for each part of the features, in one slab of all dimensions. */
function tasksByFeatures(
  corpus: FitCorpus,
  targetOf: (first: number, end: number) => FeatureTarget,
): FitTask[] {
  let first = 0;
  return corpus.occurrences.map((part) => {
    const occurrences = [part];
    const target = targetOf(first, first + featuresIn(occurrences));
    first += featuresIn(occurrences);
    return { ...corpus, occurrences, first: 0, dims: dimensions, target };
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
    const path = temporaryFile(`slab-${first}.tmp`);
    tasks.push({ ...corpus, first, dims: Math.min(width, dimensions - first), path });
  }
  return tasks;
}

/** Dimensions per slab: all of them, or else a multiple of 64, at most half of them, as the memory allows. */
function slabWidth(documents: number, memory: number): number {
  const held = Math.floor(memory / Math.max(1, documents) / BLOCK) * BLOCK;
  return held >= dimensions ? dimensions : Math.min(dimensions / 2, Math.max(BLOCK, held));
}
