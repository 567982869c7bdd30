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
