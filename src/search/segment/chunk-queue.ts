import type { IndexDocument } from "../document.js";
import type { Analysis } from "./analysis.js";
import type { AnalysedChunk } from "./analyzer.js";
import { ChunkBuilder } from "./chunk-builder.js";

/** Analyses the documents of a segment in chunks, some ahead of the one that is used, and hands these on in row order. */
export class ChunkQueue {
  private readonly chunk = new ChunkBuilder();
  /** Chunks being analysed, in row order. */
  private readonly analysed: Promise<AnalysedChunk>[] = [];
  private chunks = 0;

  constructor(
    private readonly analysis: Analysis,
    private readonly use: (chunk: AnalysedChunk) => void,
  ) {}

  /** Adds a document; `language` is its number among the features' languages, if features are extracted. */
  async add(document: IndexDocument, language: number | undefined): Promise<void> {
    this.chunk.add(document, language);
    if (this.chunk.full) await this.analyse(false);
  }

  /** Ends the input, and waits until every chunk is used. */
  async end(): Promise<void> {
    await this.analyse(true);
    while (this.analysed.length > 0) await this.useNext();
  }

  /** Analyses the collected chunk; `last` marks the end of the input. */
  private async analyse(last: boolean): Promise<void> {
    if (this.chunk.size > 0) {
      const analysed = this.analysis.analyse(this.chunk.take(), last && this.chunks === 0);
      // A failure rejects the caller that collects the chunk, not the process.
      analysed.catch(() => undefined);
      this.analysed.push(analysed);
      this.chunks += 1;
    }
    while (this.analysed.length > this.analysis.ahead) await this.useNext();
  }

  private async useNext(): Promise<void> {
    this.use(await this.analysed.shift()!);
  }
}
