import { ThreadPool } from "../../threads/thread-pool.js";
import { startWorker, workerAvailable } from "../start-worker.js";
import { type AnalysedChunk, Analyzer, type DocumentTexts } from "./analyzer.js";

/** Chunks that may be under way, a thread: one being analysed, one waiting for it. */
const AHEAD = 2;

/** How the documents of a build are analysed: in this thread, or in worker threads once there is more than one chunk. */
export class Analysis {
  /** Chunks that may be under way. */
  readonly ahead: number;
  private readonly threads: ThreadPool | undefined;
  private here: Analyzer | undefined;

  /** `threads`: worker threads, 0 for none. `withFeatures`: whether the default embedder is to learn from the documents. */
  constructor(
    threads: number,
    private readonly withFeatures: boolean,
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

  /** Analyses a chunk; `alone` where it is the first and last one, for which no thread is worth starting. */
  async analyse(documents: readonly DocumentTexts[], alone: boolean): Promise<AnalysedChunk> {
    if (this.threads !== undefined && !alone) {
      const task = this.withFeatures ? "analyseWithFeatures" : "analyse";
      return (await this.threads.run(task, documents)) as AnalysedChunk;
    }
    this.here ??= new Analyzer(this.withFeatures);
    return this.here.analyse(documents);
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    await this.threads?.close();
  }
}
