import { join } from "node:path";
import { makeFolder } from "../../files/make-folder.js";
import { indexDocuments, sliceVectors } from "../../lake/install/index-documents.js";
import type { InstallProgress } from "../../lake/install/publish-generation.js";
import { SEARCH_FOLDER } from "../../lake/lake-paths.js";
import { buildIndex } from "../../search/build-index.js";
import type { Embedder } from "../../search/embed/embedder.js";
import type { IndexManifest } from "../../search/index-manifest.js";
import { type BuiltGeneration, buildGeneration } from "../../store/generation/build-generation.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";

/** What an install brings, prepared in a folder of this machine: rows sorted and numbered, words and vectors made. */
export interface Staged {
  /** Folder of the generation. */
  readonly dir: string;
  /** Folder of its search index. */
  readonly search: string;
  readonly built: BuiltGeneration;
  readonly index: IndexManifest;
  /** By the slice's number in the generation. */
  readonly roots: readonly string[];
}

/** Options of {@link stage}. */
export interface StageOptions {
  readonly nowMs: number;
  /** Folder of an index whose fitted default embedder is used; it is fitted to the slices otherwise. */
  readonly fit?: string;
  /** Embedder of a second set of vectors. */
  readonly embedder?: Embedder | undefined;
  readonly threads?: number;
  readonly onProgress?: (progress: InstallProgress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Builds of verified slices, in an empty folder, what a lake on disk would get: the same rows, words and vectors.
 * @throws the signal's reason
 */
export async function stage(
  dir: string,
  given: readonly SourceSlice[],
  options: StageOptions,
): Promise<Staged> {
  const { nowMs, fit, embedder, threads, signal, onProgress } = options;
  await makeFolder(dir);
  const slices = given.toSorted((a, b) => (rootOf(a) < rootOf(b) ? -1 : 1));
  const built = await buildGeneration(dir, {
    slices,
    nowMs,
    threads,
    signal,
    onProgress,
  });
  const folders = new Map(slices.map((slice) => [rootOf(slice), slice.dir]));
  const vectors = sliceVectors(
    slices.map(({ manifest }) => manifest),
    (root) => folders.get(root)!,
  );
  const search = join(dir, SEARCH_FOLDER);
  const total = built.manifest.liveRecords;
  const index = await buildIndex(search, indexDocuments(built.written, vectors, signal), {
    fit: fit === undefined ? undefined : { dir: fit },
    embedder,
    // The server searches: codes and graphs of this index are not used.
    index: "scan",
    threads,
    signal,
    onProgress: ({ phase, documents }) => onProgress?.({ phase, done: documents, total, unit: "records" }),
  });
  return { dir, search, built, index, roots: slices.map(rootOf) };
}

function rootOf({ manifest }: SourceSlice): string {
  return manifest.mirrorlake.root;
}
