import { link, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SearchError } from "../contract/errors.js";
import { documentText } from "./analysis/fields.js";
import { certify, readCertificate } from "./certificate.js";
import { SEARCH_DEFAULTS } from "./defaults.js";
import type { DocumentSource } from "./document.js";
import type { Embedder } from "./embed/embedder.js";
import { LocalModel } from "./embed/local-model.js";
import {
  EMBEDDER,
  embedderOf,
  GIVEN_VECTORS,
  INDEX_FILE,
  type IndexManifest,
  LOCAL_VECTORS,
  readIndexManifest,
} from "./index-manifest.js";
import { Analysis } from "./segment/analysis.js";
import { SegmentWriter, type VectorSources } from "./segment/segment-writer.js";
import { buildVectorSet } from "./vector/build-vector-set.js";

/** How far a build has come; `documents` counts dimensions, 1536 in all, in phase `fit`, and vector sets in phase `certify`. */
export interface BuildProgress {
  readonly phase: "index" | "fit" | "embed" | "reduce" | "quantize" | "graph" | "certify";
  readonly documents: number;
}

/** Options of {@link buildIndex}. */
export interface BuildOptions {
  /** A previous index: its segments are shared by hard links, only the given documents are indexed after its rows. */
  readonly base?: { readonly dir: string };
  /**
   * Makes a set of vectors that ranks wherever this embedder is at hand: of downloaded vectors of its model where documents
   * bring them, of its own for the others.
   */
  readonly embedder?: Embedder;
  /**
   * Whether there is a local set, of the default embedder, which is fitted to the documents or taken from the base; it ranks
   * where the other embedder is not at hand. True by default; without another embedder always. A base decides for itself.
   */
  readonly localSet?: boolean;
  /** An index whose fitted default embedder serves on: the same texts then have the same local vectors. A base has its own. */
  readonly fit?: { readonly dir: string };
  /** Rows of a segment from which its vectors get HNSW graphs; {@link SEARCH_DEFAULTS}.vector.graphFrom where absent. */
  readonly graphFrom?: number;
  /** Worker threads; 0 does all in this thread. Does not change what is built. */
  readonly threads?: number;
  readonly onProgress?: (progress: BuildProgress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Builds a search index in an empty or absent folder. Row numbers follow the order of the documents, after those of
 * the base. The caller publishes the folder by a rename, or removes it when this throws.
 */
export async function buildIndex(
  dir: string,
  documents: DocumentSource,
  options: BuildOptions = {},
): Promise<IndexManifest> {
  await mkdir(dir, { recursive: true });
  const base = options.base === undefined ? undefined : await readIndexManifest(options.base.dir);
  if (base !== undefined) checkEmbedder(base, options.embedder);
  const segments = [...(base?.segments ?? [])];
  for (const name of segments.map(({ name }) => name)) {
    await linkFolder(join(options.base!.dir, name), join(dir, name));
  }
  const embedder = base === undefined ? await fitted(options.embedder, documents, options) : options.embedder;
  const local = base === undefined ? (options.localSet ?? true) : base.fit !== undefined;
  const model = local || embedder === undefined ? await localModel(dir, options) : undefined;
  const sources: VectorSources = {
    embedder,
    local: model,
  };
  const written = await writeSegments(dir, segments.length, documents, sources, options);
  try {
    // The last segment's words are written while its documents are embedded, in worker threads.
    await both(model?.embed(written, options), written.at(-1)?.writer.finish());
  } finally {
    for (const { writer } of written) await writer.close();
  }
  const vectorSets = describeSets(embedder, model);
  for (const { name, writer } of written) {
    for (const set of vectorSets) {
      await buildVectorSet(join(dir, name, set.name), {
        threads: options.threads,
        graphFrom: options.graphFrom,
        signal: options.signal,
        onProgress: ({ phase, rows }) => options.onProgress?.({ phase, documents: rows }),
      });
    }
    segments.push({ name, documentCount: writer.count });
  }
  const manifest: IndexManifest = {
    formatVersion: 1,
    documentCount: segments.reduce((sum, segment) => sum + segment.documentCount, 0),
    vectorSets,
    fit: model === undefined ? undefined : model.fit,
    segments,
  };
  await certify(dir, manifest, {
    threads: options.threads,
    signal: options.signal,
    known: options.base === undefined ? undefined : await readCertificate(options.base.dir),
    onProgress: (sets) => options.onProgress?.({ phase: "certify", documents: sets }),
  });
  await writeFile(join(dir, INDEX_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

/**
 * Whether an index of so many documents can be built upon the one in a folder: whether the same embedder makes its vectors
 * and its local set, which was fitted to fewer documents, still serves. Where not, the index is to be built anew from all.
 */
export async function canBuildUpon(dir: string, documents: number, embedder?: Embedder): Promise<boolean> {
  const manifest = await readIndexManifest(dir);
  if (embedderOf(manifest, GIVEN_VECTORS) !== embedder?.id) return false;
  return (
    manifest.fit === undefined || documents <= manifest.fit.documents * SEARCH_DEFAULTS.embed.refitGrowth
  );
}

/**
 * Throws `SearchError` `embedder_differs` where the index in a folder has vectors of an embedder and it is another one, or
 * none, that is at hand: an index built without it would lose them, or mix two models' vectors.
 */
export async function requireEmbedder(dir: string, embedder?: Embedder): Promise<void> {
  checkEmbedder(await readIndexManifest(dir), embedder);
}

function checkEmbedder(manifest: IndexManifest, embedder: Embedder | undefined): void {
  const given = embedderOf(manifest, GIVEN_VECTORS);
  if (given === embedder?.id) return;
  throw new SearchError(
    "embedder_differs",
    given === undefined
      ? "the index has no vectors of another embedder than its own"
      : `the index has vectors of ${given}`,
    {
      value: embedder?.id,
      remedy:
        given === undefined ? "build the index anew" : `give the embedder ${given}, or build the index anew`,
    },
  );
}

function describeSets(
  embedder: Embedder | undefined,
  model: LocalModel | undefined,
): IndexManifest["vectorSets"] {
  const sets: IndexManifest["vectorSets"] = [];
  if (embedder !== undefined) {
    const { id, state } = embedder;
    sets.push({ name: GIVEN_VECTORS, embedder: id, state });
  }
  if (model !== undefined) sets.push({ name: LOCAL_VECTORS, embedder: model.id });
  return sets;
}

interface Written {
  readonly name: string;
  readonly writer: SegmentWriter;
}

async function fitted(
  embedder: Embedder | undefined,
  documents: DocumentSource,
  { signal }: BuildOptions,
): Promise<Embedder | undefined> {
  if (embedder?.fit === undefined) return embedder;
  return embedder.fit(async function* () {
    for await (const batch of documents()) yield batch.map(documentText);
  }, signal);
}

async function localModel(dir: string, { base, fit, threads }: BuildOptions): Promise<LocalModel> {
  const known = base ?? fit;
  await mkdir(join(dir, EMBEDDER));
  if (known === undefined) return LocalModel.toFit(join(dir, EMBEDDER), threads);
  await linkFolder(join(known.dir, EMBEDDER), join(dir, EMBEDDER));
  return LocalModel.open(join(dir, EMBEDDER), threads);
}

/** Waits for both, also where one fails, whose reason it throws. */
async function both(first: Promise<void> | undefined, second: Promise<void> | undefined): Promise<void> {
  for (const done of await Promise.allSettled([first, second]))
    if (done.status === "rejected") throw done.reason;
}

/** Writes the documents as segments, all but the last of which are finished. */
async function writeSegments(
  dir: string,
  first: number,
  documents: DocumentSource,
  sources: VectorSources,
  { signal, onProgress, threads = SEARCH_DEFAULTS.threads }: BuildOptions,
): Promise<Written[]> {
  const analysis = new Analysis(threads, sources.local !== undefined);
  const written: Written[] = [];
  const start = async (): Promise<Written> => {
    const name = `segment-${String(first + written.length).padStart(4, "0")}`;
    const next = { name, writer: await SegmentWriter.create(join(dir, name), sources, analysis) };
    written.push(next);
    return next;
  };
  let done = 0;
  try {
    let current: Written | undefined;
    for await (const batch of documents()) {
      for (let at = 0; at < batch.length; ) {
        signal?.throwIfAborted();
        if (current?.writer.count === SEARCH_DEFAULTS.segmentDocuments) {
          await current.writer.end();
          await current.writer.finish();
          current = undefined;
        }
        current ??= await start();
        const room = SEARCH_DEFAULTS.segmentDocuments - current.writer.count;
        const part = batch.slice(at, at + room);
        await current.writer.add(part, signal);
        at += part.length;
        done += part.length;
        onProgress?.({ phase: "index", documents: done });
      }
    }
    if (first === 0 && written.length === 0) current = await start();
    await current?.writer.end();
    return written;
  } catch (error) {
    for (const { name, writer } of written) {
      await writer.close();
      await rm(join(dir, name), { recursive: true, force: true });
    }
    throw error;
  } finally {
    await analysis.close();
  }
}

async function linkFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkFolder(source, target);
    else await link(source, target);
  }
}
