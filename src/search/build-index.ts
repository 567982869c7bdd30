import { link, mkdir, open, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { analyze } from "./analysis/analyze.js";
import { SEARCH_DEFAULTS } from "./defaults.js";
import type { DocumentSource, IndexDocument } from "./document.js";
import type { Embedder } from "./embed/embedder.js";
import { ReflectiveEmbedder } from "./embed/reflective.js";
import { InvertedIndex } from "./keyword/inverted-index.js";
import { INDEX_FILE, type IndexManifest, LOCAL_VECTORS, readIndexManifest } from "./manifest.js";
import { DownloadedVectorsWriter, padded } from "./segment/downloaded-vectors.js";
import { IdTable } from "./segment/id-table.js";
import { buildVectorSet } from "./vector/build-vector-set.js";
import { VECTOR_FILES } from "./vector/vector-set-manifest.js";

/** How far a build has come. */
export interface BuildProgress {
  readonly phase: "fit" | "index" | "reduce" | "quantize" | "graph";
  readonly documents: number;
}

/** Options of {@link buildIndex}. */
export interface BuildOptions {
  /** A previous index: its segments are shared by hard links, only the given documents are indexed after its rows. */
  readonly base?: { readonly dir: string };
  /** Embedder of the local vectors; without one, the default is fitted to the documents. */
  readonly embedder?: Embedder;
  readonly threads?: number;
  readonly onProgress?: (progress: BuildProgress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Builds a search index in an empty or absent folder. Row numbers follow the order of the documents, after those of
 * the base. The caller publishes the folder by a rename.
 */
export async function buildIndex(
  dir: string,
  documents: DocumentSource,
  options: BuildOptions = {},
): Promise<IndexManifest> {
  await mkdir(join(dir, "embedder"), { recursive: true });
  const base = options.base === undefined ? undefined : await readIndexManifest(options.base.dir);
  const segments = [...(base?.segments ?? [])];
  let embedder = options.embedder;
  if (base !== undefined) {
    for (const { name } of segments) await linkFolder(join(options.base!.dir, name), join(dir, name));
    await linkFolder(join(options.base!.dir, "embedder"), join(dir, "embedder"));
    embedder ??= await ReflectiveEmbedder.load(join(dir, "embedder"));
  } else if (embedder === undefined) {
    const fitted = await ReflectiveEmbedder.fit(async function* () {
      let count = 0;
      for await (const batch of documents()) {
        count += batch.length;
        options.onProgress?.({ phase: "fit", documents: count });
        yield batch.map(textOf);
      }
    }, options.signal);
    await fitted.save(join(dir, "embedder"));
    embedder = fitted;
  }
  const name = `segment-${String(segments.length).padStart(4, "0")}`;
  const documentCount = await buildSegment(join(dir, name), documents, embedder, options);
  if (documentCount > 0 || segments.length === 0) segments.push({ name, documentCount });
  const manifest: IndexManifest = {
    formatVersion: 1,
    documentCount: segments.reduce((sum, segment) => sum + segment.documentCount, 0),
    embedder: embedder.id,
    segments,
  };
  await writeFile(join(dir, INDEX_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

async function buildSegment(
  dir: string,
  documents: DocumentSource,
  embedder: Embedder,
  options: BuildOptions,
): Promise<number> {
  const vectorDir = join(dir, LOCAL_VECTORS);
  await mkdir(vectorDir, { recursive: true });
  const keyword = new InvertedIndex();
  const ids: string[] = [];
  const local = await open(join(vectorDir, VECTOR_FILES.vectors), "w");
  const downloaded = await DownloadedVectorsWriter.create(dir);
  try {
    for await (const batch of documents()) {
      options.signal?.throwIfAborted();
      for (const vector of await localVectors(batch, embedder, options.signal)) {
        const { buffer, byteOffset, byteLength } = padded(vector);
        await local.write(new Uint8Array(buffer, byteOffset, byteLength));
      }
      for (const document of batch) {
        if (document.vector !== undefined) await downloaded.add(ids.length, document.vector.values);
        ids.push(document.id);
        keyword.add(weightedTerms(document));
      }
      options.onProgress?.({ phase: "index", documents: ids.length });
    }
    await downloaded.finish();
  } catch (error) {
    await downloaded.close();
    throw error;
  } finally {
    await local.close();
  }
  await IdTable.write(dir, ids);
  await writeFile(join(dir, "keyword.json"), keyword.serialize());
  await buildVectorSet(vectorDir, {
    ...(options.threads === undefined ? {} : { threads: options.threads }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    onProgress: ({ phase, rows }) => options.onProgress?.({ phase, documents: rows }),
  });
  return ids.length;
}

/** Vectors of the embedder's model: the downloaded one where a document brings one of that model, else made here. */
async function localVectors(
  batch: readonly IndexDocument[],
  embedder: Embedder,
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const missing = batch.filter((document) => document.vector?.model !== embedder.id);
  const made = await embedder.embedDocuments(missing.map(textOf), signal);
  let next = 0;
  return batch.map((document) =>
    document.vector?.model === embedder.id ? document.vector.values : made[next++]!,
  );
}

function fieldsOf(document: IndexDocument): [text: string, weight: number][] {
  const weights = SEARCH_DEFAULTS.fieldWeights;
  return [
    [document.title ?? "", weights.title],
    [document.text ?? "", weights.text],
    [(document.entities ?? []).join("\n"), weights.entities],
    [(document.comment_thread ?? []).join("\n"), weights.comment_thread],
    [(document.review_sample ?? []).join("\n"), weights.review_sample],
  ];
}

function textOf(document: IndexDocument): string {
  return fieldsOf(document)
    .map(([text]) => text)
    .join("\n");
}

function weightedTerms(document: IndexDocument): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const [text, weight] of fieldsOf(document)) {
    for (const term of analyze(text)) frequencies.set(term, (frequencies.get(term) ?? 0) + weight);
  }
  return frequencies;
}

async function linkFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkFolder(source, target);
    else await link(source, target);
  }
}
