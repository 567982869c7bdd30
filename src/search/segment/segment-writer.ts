import { type FileHandle, mkdir, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../files/make-folder.js";
import { documentText } from "../analysis/fields.js";
import { primaryLanguage } from "../analysis/stemming.js";
import type { IndexDocument } from "../document.js";
import { checkWidth, documentVectors } from "../embed/ask-embedder.js";
import type { Embedder } from "../embed/embedder.js";
import { unitOf } from "../embed/unit-vector.js";
import type { FeatureChunk } from "../fit/chunk-features.js";
import { FeatureLog } from "../fit/feature-log.js";
import { GIVEN_VECTORS, KEYWORD, LOCAL_VECTORS } from "../index-manifest.js";
import { KeywordWriter } from "../keyword/keyword-writer.js";
import { VECTOR_FILES } from "../vector/vector-files.js";
import type { Analysis } from "./analysis.js";
import type { AnalysedChunk } from "./analyzer.js";
import { appendVectors } from "./append-vectors.js";
import { ChunkQueue } from "./chunk-queue.js";
import { DownloadedVectorsWriter } from "./downloaded-vectors.js";
import { IdTable } from "./id-table.js";
import { QuerySample } from "./query-sample.js";

const LOG_FILE = "features.log";

/** Sources of a segment's vectors; at least one is given. */
export interface VectorSources {
  /** An embedder of texts, for the given set. */
  readonly embedder?: Embedder;
  /** Numbers of its vectors that are stored; default: 1536. */
  readonly width?: number | undefined;
  /** The default embedder, fitted later from logged features, for the local set. */
  readonly local?: {
    /** Registers a document's language (primary subtag) and returns its number. */
    readonly registerLanguage: (language: string) => number;
    readonly registerFeatures: (chunk: FeatureChunk) => void;
  };
  /** Whether queries are made from texts though there is no default embedder: its vectors come from elsewhere. Default: false. */
  readonly sampled?: boolean;
}

/** Writes a segment from documents in row order, except for the search structures of its vectors. */
export class SegmentWriter {
  private readonly ids: string[] = [];
  private readonly keyword: KeywordWriter;
  private readonly queue: ChunkQueue;
  /** Languages of documents that are not in the keyword index yet. */
  private readonly languages: string[] = [];
  private readonly queries = new QuerySample();
  /** Whether the given set has only downloaded vectors, all of unit length and stored as they came: its file is then that of these. */
  private sharesFile: boolean;
  /** File of the given set, once it differs. */
  private given: FileHandle | undefined;

  private constructor(
    readonly dir: string,
    private readonly sources: VectorSources,
    analysis: Analysis,
    private readonly downloaded: DownloadedVectorsWriter,
    /** The documents' features, if there is a local set. */
    readonly log: FeatureLog | undefined,
  ) {
    this.sharesFile = sources.width === undefined;
    this.keyword = new KeywordWriter(join(dir, KEYWORD));
    this.queue = new ChunkQueue(analysis, (chunk) => this.take(chunk));
  }

  /** Starts a segment in a new folder. */
  static async create(dir: string, sources: VectorSources, analysis: Analysis): Promise<SegmentWriter> {
    await makeFolder(join(dir, KEYWORD));
    let log: FeatureLog | undefined;
    let downloaded: DownloadedVectorsWriter | undefined;
    try {
      if (sources.embedder !== undefined) await mkdir(join(dir, GIVEN_VECTORS));
      if (sources.local !== undefined) {
        await mkdir(join(dir, LOCAL_VECTORS));
        await writeFile(join(dir, LOCAL_VECTORS, VECTOR_FILES.byteVectors), "");
        log = new FeatureLog(join(dir, LOG_FILE));
      }
      downloaded = await DownloadedVectorsWriter.create(dir);
      return new SegmentWriter(dir, sources, analysis, downloaded, log);
    } catch (error) {
      await downloaded?.close();
      log?.close();
      throw error;
    }
  }

  /** Number of rows so far. */
  get count(): number {
    return this.ids.length;
  }

  /** Queries made from the texts of some rows, to measure the local set with. */
  get sampleQueries(): readonly string[] {
    return this.queries.texts();
  }

  /** Path of the local vectors. */
  get vectorsPath(): string {
    return join(this.dir, LOCAL_VECTORS, VECTOR_FILES.byteVectors);
  }

  private get givenPath(): string {
    return join(this.dir, GIVEN_VECTORS, VECTOR_FILES.vectors);
  }

  /** Adds documents, each as the next row. @throws SearchError `embedder_invalid`, `embedder_differs` */
  async add(documents: readonly IndexDocument[], signal?: AbortSignal): Promise<void> {
    const { embedder, width } = this.sources;
    const brought = documents.map(({ vector, made }) =>
      embedder !== undefined && vector?.model === embedder.id ? rankedBy(embedder, vector.values) : made,
    );
    this.sharesFile &&= documents.every(
      ({ vector }, i) => vector !== undefined && vector.values === brought[i],
    );
    if (embedder !== undefined && !this.sharesFile) {
      const given = await this.openGiven();
      await appendVectors(given, await givenVectors(documents, brought, embedder, signal), width);
    }
    const rows: number[] = [];
    const vectors: Float32Array[] = [];
    documents.forEach(({ vector }, i) => {
      if (vector === undefined) return;
      rows.push(this.ids.length + i);
      vectors.push(vector.values);
    });
    await this.downloaded.add(rows, vectors);
    for (const document of documents) {
      if (this.log !== undefined || this.sources.sampled === true)
        this.queries.offer(this.ids.length, document);
      this.ids.push(document.id);
      const language = primaryLanguage(document.lang);
      this.languages.push(language);
      await this.queue.add(document, this.sources.local?.registerLanguage(language));
    }
  }

  /** Ends the input. The given vectors are then complete, and the log of features, which stays until {@link close}. */
  async end(): Promise<void> {
    await this.queue.end();
    await this.downloaded.finish();
    if (this.sources.embedder === undefined) return;
    if (this.sharesFile) await this.downloaded.share(this.givenPath);
    else await this.openGiven();
  }

  /** Writes the keyword index and the ids, after {@link end}. @throws the signal's reason */
  async finish(signal?: AbortSignal): Promise<void> {
    await this.keyword.finish(signal);
    await IdTable.write(this.dir, this.ids);
  }

  /** Closes files and removes temporary ones. */
  async close(): Promise<void> {
    await this.downloaded.close();
    await this.keyword.close();
    await this.given?.close();
    this.log?.close();
    await rm(join(this.dir, LOG_FILE), { force: true });
  }

  /** The file of the given set, with what was downloaded for it so far where it is stored as that. */
  private async openGiven(): Promise<FileHandle> {
    this.given ??=
      this.sources.width === undefined
        ? await this.downloaded.copy(this.givenPath)
        : await open(this.givenPath, "a");
    return this.given;
  }

  private take({ keyword, features }: AnalysedChunk): void {
    this.keyword.add(keyword, this.languages.splice(0, keyword.lengths.length));
    if (features === undefined) return;
    this.sources.local!.registerFeatures(features);
    this.log!.append(features, keyword.lengths.length);
  }
}

/** What a downloaded vector of the embedder's model is ranked by. @throws SearchError `embedder_differs` */
function rankedBy(embedder: Embedder, values: Float32Array): Float32Array {
  checkWidth(embedder, values);
  return unitOf(values);
}

/** Vectors of the embedder's model, of unit length: what the document brought or had, else a generated one. */
async function givenVectors(
  batch: readonly IndexDocument[],
  brought: readonly (Float32Array | undefined)[],
  embedder: Embedder,
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const missing = batch.filter((_, i) => brought[i] === undefined);
  const made = await documentVectors(embedder, missing.map(documentText), signal);
  let next = 0;
  return brought.map((vector) => vector ?? unitOf(made[next++]!));
}
