import { ThreadPool } from "../../threads/thread-pool.js";
import { startWorker, workerAvailable } from "../start-worker.js";
import { type AnalysedChunk, Analyzer, type DocumentTexts, type Extracts } from "./analyzer.js";

/** Pending chunks per thread: one in analysis, one in its queue. */
const AHEAD = 2;

/** Analyses the documents of a build: in this thread, or in worker threads if there is more than one chunk. */
export class Analysis {
  /** Maximum number of pending chunks. */
  readonly ahead: number;
  private readonly threads: ThreadPool | undefined;
  private here: Analyzer | undefined;

  /**
   * Creates an analysis.
   * @param threads worker threads, 0 for none
   */
  constructor(
    threads: number,
    private readonly extracts: Extracts,
  ) {
    const workers = workerAvailable() ? threads : 0;
    this.ahead = workers * AHEAD;
    if (workers > 0)
      this.threads = new ThreadPool({
        threads: workers,
        ahead: AHEAD,
        start: () => startWorker("tasks"),
      });
  }

  /** Analyses a chunk; `alone` marks the only chunk, for which no thread is started. */
  async analyse(documents: readonly DocumentTexts[], alone: boolean): Promise<AnalysedChunk> {
    if (this.threads !== undefined && !alone) {
      const { postings, features } = this.extracts;
      const task = postings && features ? "extractBoth" : features ? "extractFeatures" : "extractPostings";
      return (await this.threads.run(task, documents)) as AnalysedChunk;
    }
    this.here ??= new Analyzer(this.extracts);
    return this.here.analyse(documents);
  }

  /** Cancels pending work and stops the threads. */
  async close(): Promise<void> {
    await this.threads?.close();
  }
}
