import { join } from "node:path";
import { makeFolder } from "../../files/make-folder.js";
import { indexDocuments, sliceVectors } from "../../lake/install/index-documents.js";
import { indexProgress } from "../../lake/install/index-progress.js";
import type { InstallProgress } from "../../lake/install/publish-generation.js";
import { SEARCH_FOLDER } from "../../lake/lake-paths.js";
import { buildIndex } from "../../search/build-index.js";
import type { Embedder } from "../../search/embed/embedder.js";
import type { IndexManifest } from "../../search/index-manifest.js";
import { type BuiltGeneration, buildGeneration } from "../../store/generation/build-generation.js";
import { GENERATION_FILES } from "../../store/generation/generation-manifest.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";

/** A part of what an install brings, prepared in a folder of this machine: rows sorted and numbered, words and vectors made. */
export interface Staged {
  /** Folder of the generation. */
  readonly dir: string;
  /** Folder of its search index. */
  readonly search: string;
  readonly built: BuiltGeneration;
  readonly index: IndexManifest;
  /** By the slice's number in the generation. */
  readonly roots: readonly string[];
  /** Numbers of its first rows in the load. */
  readonly first: { readonly records: number; readonly raw: number };
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

/** Numbers of the rows of some layers. */
export function countLayers(layers: readonly Staged[]): { readonly records: number; readonly raw: number } {
  return layers.reduce(
    ({ records, raw }, { built }) => ({ records: records + built.records.added, raw: raw + built.raw.added }),
    { records: 0, raw: 0 },
  );
}

/**
 * Builds of verified slices, in an absent folder, what a lake on disk would get: the same rows, words and vectors. Editions of an item
 * that lost to that of another slice follow in layers of their own, since they are shown when that slice is superseded.
 * @throws the signal's reason
 */
export async function stage(
  dir: string,
  given: readonly SourceSlice[],
  options: StageOptions,
): Promise<readonly Staged[]> {
  const slices = given.toSorted((a, b) => (rootOf(a) < rootOf(b) ? -1 : 1));
  const layers = [await stageLayer(join(dir, "0"), slices, [], options)];
  const [{ built, search }] = layers as [Staged];
  // What was fitted here is at hand for the first layer alone.
  if (options.embedder?.fit !== undefined) return layers;
  const all = {
    records: built.records.added + built.records.outdated,
    raw: built.raw.added + built.raw.outdated,
  };
  for (let sent = countLayers(layers); sent.records < all.records || sent.raw < all.raw; ) {
    const layer = await stageLayer(join(dir, String(layers.length)), slices, layers, {
      ...options,
      fit: search,
    });
    layers.push(layer);
    const more = countLayers(layers);
    if (more.records === sent.records && more.raw === sent.raw) break;
    sent = more;
  }
  return layers;
}

async function stageLayer(
  dir: string,
  slices: readonly SourceSlice[],
  layers: readonly Staged[],
  { nowMs, fit, embedder, threads, signal, onProgress }: StageOptions,
): Promise<Staged> {
  await makeFolder(dir);
  const built = await buildGeneration(dir, {
    slices,
    except:
      layers.length === 0 ? undefined : layers.map((layer) => join(layer.dir, GENERATION_FILES.database)),
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
    onProgress: (progress) => onProgress?.(indexProgress(progress, total)),
  });
  return { dir, search, built, index, roots: slices.map(rootOf), first: countLayers(layers) };
}

function rootOf({ manifest }: SourceSlice): string {
  return manifest.mirrorlake.root;
}
