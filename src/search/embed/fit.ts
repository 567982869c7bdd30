import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { runTasks } from "../run-tasks.js";
import { combineSlabs } from "./combine-slabs.js";
import { fitSlab, type SlabTask } from "./fit-slab.js";
import { measureDocuments, type WeighedPart } from "./geometry.js";
import { MODEL_FILES, type ModelManifest } from "./model-manifest.js";
import { collectOccurrences, type Occurrences, type OccurrencesTask } from "./occurrences.js";
import type { Vocabulary } from "./vocabulary.js";

const { dimensions } = SEARCH_DEFAULTS;

/** Options of {@link fitReflective}. */
export interface FitOptions {
  /** Worker threads; 0 fits in this thread. Does not change what is fitted. */
  readonly threads: number;
  /** Told how many of the features' dimensions are fitted. */
  readonly onProgress?: (dimensions: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Fits the default embedder to a corpus: reflective random indexing (Cohen, Schvaneveldt, Widdows 2010) of one cycle. A
 * feature's index vector is random, a document the weighted sum of its features' index vectors, of length 1, less the mean
 * of all documents, of length 1 again; a feature's vector is made of the documents that hold it and of its own index vector.
 * In bounded memory: some dimensions at a time. The same documents give the same bytes on any machine and number of threads.
 *
 * @param dir a folder that exists; gets the files of the model, and for a while others
 * @param parts the documents, weighed by the vocabulary
 */
export async function fitReflective(
  dir: string,
  vocabulary: Vocabulary,
  parts: readonly WeighedPart[],
  options: FitOptions,
): Promise<ModelManifest> {
  const { signal } = options;
  const work = (name: string) => join(dir, name);
  const temporary: string[] = [];
  const temporaryFile = (name: string) => {
    temporary.push(work(name));
    return work(name);
  };
  const keep = async (name: string, bytes: Uint32Array | Float32Array | Float64Array) => {
    const path = temporaryFile(name);
    await writeFile(path, new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return path;
  };
  try {
    const logs = parts.map(({ log }) => log);
    const geometry = await measureDocuments(parts, vocabulary, {
      threads: options.threads,
      ...(signal === undefined ? {} : { signal }),
    });
    const documents = geometry.scales.length;
    const occurrences = await occurrencesOf(
      {
        logs,
        found: vocabulary.documents,
        inverseLengths: geometry.inverseLengths,
        scales: geometry.scales,
        files: { documents: temporaryFile("occurrences.tmp"), weights: temporaryFile("weights.tmp") },
      },
      options,
    );
    const files = {
      features: await keep("features.tmp", vocabulary.features),
      mean: await keep("mean.tmp", geometry.mean),
      inverseLengths: await keep("inverse-lengths.tmp", geometry.inverseLengths),
      byteScales: await keep("byte-scales.tmp", geometry.byteScales),
    };
    const tasks: SlabTask[] = [];
    const width = slabWidth(documents);
    for (let first = 0; first < dimensions; first += width) {
      const out = temporaryFile(`slab-${first}.tmp`);
      tasks.push({
        logs,
        documents,
        files,
        occurrences,
        first,
        dims: Math.min(width, dimensions - first),
        out,
      });
    }
    let fitted = 0;
    await runTasks(new URL("./fit-slab.js", import.meta.url), fitSlab, tasks, {
      threads: options.threads,
      onDone: ({ dims }) => {
        fitted += dims;
        options.onProgress?.(fitted);
      },
      ...(signal === undefined ? {} : { signal }),
    });
    await combineSlabs(tasks, vocabulary, work(MODEL_FILES.vectors), signal);
    await writeFile(work(MODEL_FILES.vocabulary), vocabulary.bytes());
    const manifest: ModelManifest = {
      formatVersion: 1,
      documents,
      features: vocabulary.size,
      hash: await hashFiles([work(MODEL_FILES.vocabulary), work(MODEL_FILES.vectors)]),
    };
    await writeFile(work(MODEL_FILES.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
    return manifest;
  } finally {
    for (const path of temporary) await rm(path, { force: true });
  }
}

/** Collects them in a thread of its own where there are threads: what a thread held is free again when it ends. */
async function occurrencesOf(task: OccurrencesTask, { threads, signal }: FitOptions): Promise<Occurrences> {
  const [occurrences] = await runTasks(
    new URL("./occurrences.js", import.meta.url),
    collectOccurrences,
    [task],
    { threads, ...(signal === undefined ? {} : { signal }) },
  );
  return occurrences!;
}

/** Dimensions that are fitted at a time: a multiple of 64, at most half of them, as many as the memory holds of all documents. */
function slabWidth(documents: number): number {
  const held = Math.floor(SEARCH_DEFAULTS.embed.slabMemory / Math.max(1, documents) / 64) * 64;
  return Math.min(dimensions / 2, Math.max(64, held));
}

async function hashFiles(paths: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const path of paths) for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
