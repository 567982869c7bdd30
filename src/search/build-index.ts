import { link, mkdir, open, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fieldTexts } from "./analysis/fields.js";
import { primaryLanguage, Stemmers } from "./analysis/stemming.js";
import { DocumentTerms } from "./analysis/terms.js";
import { SEARCH_DEFAULTS } from "./defaults.js";
import type { DocumentSource, IndexDocument } from "./document.js";
import type { Embedder } from "./embed/embedder.js";
import { ReflectiveEmbedder } from "./embed/reflective.js";
import { KeywordWriter } from "./keyword/keyword-writer.js";
import { INDEX_FILE, type IndexManifest, KEYWORD, LOCAL_VECTORS, readIndexManifest } from "./manifest.js";
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
  await mkdir(join(dir, KEYWORD));
  const keyword = new KeywordWriter(join(dir, KEYWORD));
  const stemmers = new Stemmers();
  const terms = new DocumentTerms(stemmers, keyword);
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
      await stemmers.load(batch.map(({ lang }) => lang));
      for (const document of batch) {
        if (document.vector !== undefined) await downloaded.add(ids.length, document.vector.values);
        ids.push(document.id);
        addDocument(document, terms, keyword);
      }
      options.onProgress?.({ phase: "index", documents: ids.length });
    }
    await downloaded.finish();
    await keyword.finish();
  } catch (error) {
    await downloaded.close();
    await keyword.close();
    throw error;
  } finally {
    await local.close();
  }
  await IdTable.write(dir, ids);
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

function addDocument(document: IndexDocument, terms: DocumentTerms, keyword: KeywordWriter): void {
  let position = 0;
  for (const { text, weight } of fieldTexts(document)) {
    keyword.setWeight(weight);
    position = terms.read(text, document.lang, position) + SEARCH_DEFAULTS.fieldGap;
  }
  keyword.endDocument(primaryLanguage(document.lang));
}

function textOf(document: IndexDocument): string {
  return fieldTexts(document)
    .map(({ text }) => text)
    .join("\n");
}

async function linkFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkFolder(source, target);
    else await link(source, target);
  }
}
