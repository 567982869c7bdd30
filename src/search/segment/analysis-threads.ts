import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { SearchError } from "../../contract/errors.js";
import type { AnalysedChunk, DocumentTexts } from "./analyzer.js";

const WORKER = new URL("./analysis-worker.js", import.meta.url);

interface Pending {
  readonly resolve: (chunk: AnalysedChunk) => void;
  readonly reject: (reason: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  /** What it was asked and has not answered yet, in the order of asking. */
  readonly pending: Pending[];
}

/** Worker threads that analyse chunks of documents, started when the first chunk comes. */
export class AnalysisThreads {
  private readonly threads: Thread[] = [];
  private ended: Error | undefined;

  constructor(
    /** Threads, at most. */
    readonly count: number,
    private readonly withFeatures: boolean,
  ) {}

  /** Whether the code of the threads stands beside this one: a bundler may have left it behind. */
  static available(): boolean {
    return existsSync(fileURLToPath(WORKER));
  }

  /** Throws what a thread throws, or `SearchError` `analysis_ended` where the threads have been closed meanwhile. */
  async analyse(documents: readonly DocumentTexts[]): Promise<AnalysedChunk> {
    if (this.ended !== undefined) throw this.ended;
    const thread = this.#idlest();
    return new Promise((resolve, reject) => {
      thread.pending.push({ resolve, reject });
      thread.worker.postMessage(documents);
    });
  }

  /** Ends the threads; what they were asked fails. */
  async close(): Promise<void> {
    this.#end(
      new SearchError("analysis_ended", "the threads that analyse texts have been closed", {
        value: this.threads.length,
        remedy: "build the index again",
      }),
    );
    await Promise.all(this.threads.map(({ worker }) => worker.terminate()));
  }

  #idlest(): Thread {
    if (this.threads.length < this.count && this.threads.every(({ pending }) => pending.length > 0))
      this.threads.push(this.#start());
    return this.threads.reduce((a, b) => (b.pending.length < a.pending.length ? b : a));
  }

  #start(): Thread {
    const worker = new Worker(WORKER, { workerData: { withFeatures: this.withFeatures }, execArgv: [] });
    const pending: Pending[] = [];
    worker.on("message", (chunk: AnalysedChunk) => pending.shift()?.resolve(chunk));
    worker.on("error", (error) => this.#end(error instanceof Error ? error : new Error(String(error))));
    return { worker, pending };
  }

  #end(reason: Error): void {
    this.ended ??= reason;
    for (const { pending } of this.threads) for (const { reject } of pending.splice(0)) reject(this.ended);
  }
}
