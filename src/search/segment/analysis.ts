import { fieldTexts } from "../analysis/fields.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { IndexDocument } from "../document.js";
import { AnalysisThreads } from "./analysis-threads.js";
import { type AnalysedChunk, Analyzer, type DocumentTexts } from "./analyzer.js";

/** Chunks that may be under way, a thread: one being analysed, one waiting for it. */
const AHEAD = 2;

/** How the documents of a build are analysed: in this thread, or in worker threads once there is more than one chunk. */
export class Analysis {
  private readonly threads: AnalysisThreads | undefined;
  private here: Analyzer | undefined;

  /** `threads`: worker threads, 0 for none. `withFeatures`: whether the default embedder is to learn from the documents. */
  constructor(
    threads: number,
    private readonly withFeatures: boolean,
  ) {
    this.threads =
      threads > 0 && AnalysisThreads.available() ? new AnalysisThreads(threads, withFeatures) : undefined;
  }

  /** Chunks that may be under way. */
  get ahead(): number {
    return (this.threads?.count ?? 0) * AHEAD;
  }

  /** Analyses a chunk; `alone` where it is the first and last one, for which no thread is worth starting. */
  async analyse(documents: readonly DocumentTexts[], alone: boolean): Promise<AnalysedChunk> {
    if (this.threads !== undefined && !alone) return this.threads.analyse(documents);
    this.here ??= new Analyzer(this.withFeatures);
    return this.here.analyse(documents);
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    await this.threads?.close();
  }
}

/** A chunk of documents that is being gathered: its length does not depend on the threads. */
export class ChunkBuilder {
  private documents: DocumentTexts[] = [];
  private characters = 0;

  get size(): number {
    return this.documents.length;
  }

  /** Whether it holds what a chunk is to hold. */
  get full(): boolean {
    const { chunkDocuments, chunkCharacters } = SEARCH_DEFAULTS.analysis;
    return this.documents.length >= chunkDocuments || this.characters >= chunkCharacters;
  }

  /** Adds a document; `language` as {@link DocumentTexts} has it. */
  add(document: IndexDocument, language: number | undefined): void {
    const texts = fieldTexts(document);
    for (const { text } of texts) this.characters += text.length;
    this.documents.push({
      lang: document.lang,
      texts,
      ...(language === undefined ? {} : { language }),
    });
  }

  /** The documents, for the next chunk to begin. */
  take(): DocumentTexts[] {
    const { documents } = this;
    this.documents = [];
    this.characters = 0;
    return documents;
  }
}
