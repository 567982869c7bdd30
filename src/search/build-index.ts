import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../files/make-folder.js";
import { shareFile } from "../files/share-file.js";
import { documentText } from "./analysis/fields.js";
import { checkEmbedder } from "./build-upon.js";
import { type Certificate, certify, readCertificate } from "./certificate.js";
import type { DocumentSource } from "./document.js";
import { type DroppedRows, withoutRows } from "./dropped-rows.js";
import type { Embedder } from "./embed/embedder.js";
import { LocalModel } from "./embed/local-model.js";
import {
  EMBEDDER,
  GIVEN_VECTORS,
  INDEX_FILE,
  type IndexManifest,
  LOCAL_VECTORS,
  NUMBERS,
  readIndexManifest,
} from "./index-manifest.js";
import { type MergedRows, withMadeVectors } from "./made-before.js";
import { copyVectors } from "./segment/copy-vectors.js";
import { refitSets, type ShownDocuments } from "./segment/refit-sets.js";
import type { VectorSources } from "./segment/segment-writer.js";
import { writeSamples } from "./segment/write-sample.js";
import { type WrittenSegment, writeSegments } from "./segment/write-segments.js";
import { buildVectorSet, isBuiltHere } from "./vector/build-vector-set.js";
import { type GraphWish, mayGetGraph, settledWish } from "./vector/graph/choose-graph.js";
import { storedWidth } from "./vector/vectors.js";

/**
 * Progress of a build. `done` counts dimensions in phase `fit`, how often queries were asked in phase `certify`, and documents in the others. `total` is
 * known in these two.
 */
export interface BuildProgress {
  readonly phase: "index" | "fit" | "embed" | "quantize" | "graph" | "certify";
  readonly done: number;
  readonly total?: number;
}

/** Options of {@link buildIndex}. */
export interface BuildOptions extends GraphWish {
  /**
   * A previous index to extend: its segments are hard-linked, and the given documents become the rows after its
   * own. `dropped`: rows of whole segments that the index is to have no more; others are numbered without them.
   * `merged`: after those that stay, and the others are among the documents. `refit`: the default embedder is
   * refitted to these documents, which are those given and those that stay; postings and the vectors of another embedder stay.
   */
  readonly base?: {
    readonly dir: string;
    readonly dropped?: readonly DroppedRows[] | undefined;
    readonly merged?: MergedRows | undefined;
    readonly refit?: ShownDocuments | undefined;
  };
  /**
   * Embedder of the given vector set, which ranks wherever this embedder is available. Downloaded vectors of
   * its model are used where documents have them.
   */
  readonly embedder?: Embedder;
  /**
   * Whether to build a local set with the default embedder, fitted to the documents or taken from the base. It
   * ranks where the other embedder is not available. Default: true; always true without another embedder.
   * Ignored with a base.
   */
  readonly localSet?: boolean;
  /**
   * An index whose fitted default embedder is reused, so that equal texts keep their local vectors. Ignored
   * with a base.
   */
  readonly fit?: { readonly dir: string };
  /** Worker threads; 0 runs everything in this thread. Does not change the result. */
  readonly threads?: number;
  readonly onProgress?: (progress: BuildProgress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Builds a search index in an empty or absent folder. Row numbers follow the order of the documents, after
 * those of the base. The caller renames the folder to publish it, or removes it on failure.
 * @throws SearchError `embedder_invalid`, or of an unreadable base; the signal's reason.
 */
export async function buildIndex(
  dir: string,
  documents: DocumentSource,
  options: BuildOptions = {},
): Promise<IndexManifest> {
  await makeFolder(dir);
  const found = options.base === undefined ? undefined : await readIndexManifest(options.base.dir);
  const base = found && withoutRows(found, options.base?.dropped ?? []);
  if (base !== undefined) checkEmbedder(base, options.embedder);
  const merged = options.base?.merged;
  const segments = stayingSegments(base?.segments ?? [], merged);
  const refit = base?.fit === undefined ? undefined : options.base?.refit;
  for (const { name } of segments) {
    await linkFolder(join(options.base!.dir, name), join(dir, name), refit && LOCAL_VECTORS);
  }
  const embedder = base === undefined ? await fitted(options.embedder, documents, options) : options.embedder;
  const keepsVectors = base?.fit !== undefined && refit === undefined && merged?.keepsVectors === true;
  const local = base === undefined ? (options.localSet ?? true) : base.fit !== undefined;
  const model = local || embedder === undefined ? await localModel(dir, options) : undefined;
  const width = storedWidth(givenDims(embedder, base));
  const sources: VectorSources = {
    embedder,
    width,
    // A set that is fitted again is made when all postings are there.
    local: refit !== undefined || keepsVectors ? undefined : model,
    sampled: keepsVectors,
  };
  const given =
    base === undefined || merged === undefined
      ? documents
      : withMadeVectors(documents, options.base!.dir, base, merged);
  const place = { dir, staying: segments.length, last: found?.segments.at(-1)?.name };
  let written: readonly WrittenSegment[] = [];
  try {
    written = await writeSegments(place, given, sources, {
      ...options,
      onDocuments: (done) => options.onProgress?.({ phase: "index", done }),
    });
    const all = [...segments, ...written.map(({ name, writer }) => ({ name, documentCount: writer.count }))];
    const sets = () => describeSets(embedder, model, base);
    const describe = (): IndexManifest => ({
      formatVersion: 2,
      documentCount: all.reduce((sum, segment) => sum + segment.documentCount, 0),
      vectorSets: sets(),
      fit: model?.fit,
      graphs: base === undefined || refit !== undefined ? settledWish(options) : base.graphs,
      segments: all,
    });
    const finishKeyword = async () => written.at(-1)?.writer.finish(options.signal);
    const buildSets = async () => {
      const own = sets().filter(({ name }) => name === LOCAL_VECTORS);
      if (refit !== undefined) await buildVectorSets(dir, segments, own, options);
      await buildVectorSets(dir, written, sets(), options, width);
    };
    const embed = async () => {
      if (keepsVectors) {
        const before = { dir: options.base!.dir, segments: base.segments };
        await copyVectors(written, before, merged.former, options.signal);
        return written;
      }
      if (refit === undefined) {
        await model!.embed(written, options);
        return written;
      }
      const before = all.slice(segments.length).reduce((sum, segment) => sum + segment.documentCount, 0);
      return refitSets(dir, all, refit, model!, {
        ...options,
        onProgress: (progress) =>
          options.onProgress?.(
            progress.phase === "index" ? { phase: "index", done: progress.done + before } : progress,
          ),
      });
    };
    const measure = () => certifySets(dir, describe(), options);
    // This thread writes the last keyword index while others are at work for its vectors.
    if (model !== undefined) {
      const [embedded] = await both(embed(), finishKeyword());
      const names = all.map(({ name }) => name);
      await writeSamples(dir, names, embedded, (count) => mayGetGraph(count, options));
      await buildSets();
      await measure();
    } else if (written.every(({ writer }) => isBuiltHere(writer.count))) {
      await buildSets();
      await both(measure(), finishKeyword());
    } else {
      await both(buildSets().then(measure), finishKeyword());
    }
    const manifest = describe();
    await writeFile(join(dir, INDEX_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
    return manifest;
  } finally {
    for (const { writer } of written) await writer.close();
  }
}

/** The segments of a base before the rows that come again. @throws RangeError if these do not begin with a segment */
function stayingSegments(
  segments: IndexManifest["segments"],
  merged: MergedRows | undefined,
): IndexManifest["segments"] {
  if (merged === undefined) return [...segments];
  const staying: IndexManifest["segments"] = [];
  let rows = 0;
  for (const segment of segments) {
    if (rows >= merged.first) break;
    staying.push(segment);
    rows += segment.documentCount;
  }
  if (rows !== merged.first) throw new RangeError(`No segment begins with row ${merged.first}`);
  return staying;
}

/** Dimensions of the given set; undefined without one, and where the index that is extended does not say them. */
function givenDims(embedder: Embedder | undefined, base: IndexManifest | undefined): number | undefined {
  const known = base?.vectorSets.find(({ name }) => name === GIVEN_VECTORS);
  return known === undefined ? embedder?.dims : known.dims;
}

function describeSets(
  embedder: Embedder | undefined,
  model: LocalModel | undefined,
  base: IndexManifest | undefined,
): IndexManifest["vectorSets"] {
  const sets: IndexManifest["vectorSets"] = [];
  if (embedder !== undefined) {
    const { id, state } = embedder;
    sets.push({ name: GIVEN_VECTORS, embedder: id, dims: givenDims(embedder, base), state });
  }
  if (model !== undefined) sets.push({ name: LOCAL_VECTORS, embedder: model.id });
  return sets;
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
  if (known === undefined || base?.refit !== undefined) return LocalModel.toFit(join(dir, EMBEDDER), threads);
  await linkFolder(join(known.dir, EMBEDDER), join(dir, EMBEDDER));
  return LocalModel.open(join(dir, EMBEDDER), threads);
}

/** Builds the search structures of vector sets of segments. */
async function buildVectorSets(
  dir: string,
  written: readonly { readonly name: string }[],
  vectorSets: IndexManifest["vectorSets"],
  { index, graphFrom, threads, signal, onProgress }: BuildOptions,
  givenWidth?: number,
): Promise<void> {
  for (const { name } of written) {
    for (const set of vectorSets) {
      onProgress?.({ phase: "quantize", done: 0 });
      await buildVectorSet(join(dir, name, set.name), {
        numbers: NUMBERS[set.name],
        width: set.name === GIVEN_VECTORS ? givenWidth : undefined,
        threads,
        index,
        graphFrom,
        signal,
        onProgress: ({ phase, rows }) => onProgress?.({ phase, done: rows }),
      });
    }
  }
}

async function certifySets(dir: string, manifest: IndexManifest, options: BuildOptions): Promise<void> {
  const { base, threads, signal, onProgress } = options;
  await certify(dir, manifest, {
    threads,
    signal,
    known:
      base === undefined
        ? undefined
        : certifiedBefore(await readCertificate(base.dir), base.refit !== undefined),
    onProgress: (done, total) => onProgress?.({ phase: "certify", done, total }),
  });
}

/** What a base's certificate says of sets that stay. */
function certifiedBefore({ sets, ...certificate }: Certificate, refits: boolean): Certificate {
  return { ...certificate, sets: sets.filter(({ set }) => !refits || set !== LOCAL_VECTORS) };
}

/** Waits for both, even if one fails, then throws its reason. */
async function both<First, Second>(
  first: Promise<First>,
  second: Promise<Second>,
): Promise<readonly [First, Second]> {
  for (const done of await Promise.allSettled([first, second]))
    if (done.status === "rejected") throw done.reason;
  return [await first, await second];
}

/** Shares the files of a folder, but for a folder in it. */
async function linkFolder(from: string, to: string, except?: string): Promise<void> {
  await makeFolder(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.name === except) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkFolder(source, target);
    else await shareFile(source, target);
  }
}
