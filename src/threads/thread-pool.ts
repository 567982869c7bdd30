import type { Worker } from "node:worker_threads";
import { SearchError } from "../contract/errors.js";
import { errorOf } from "./failure.js";
import type { TaskMessage, TaskReply } from "./serve-tasks.js";

interface Job {
  readonly message: TaskMessage;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  /** Pending jobs, in order. */
  readonly jobs: Job[];
  /** Whether it takes no more tasks. */
  retired: boolean;
}

/** Options of a {@link ThreadPool}. */
export interface PoolOptions {
  /** Most worker threads. A thread starts when a task finds none idle. */
  readonly threads: number;
  /** Starts a thread that runs `serveTasks`. */
  readonly start: () => Worker;
  /** Pending tasks per thread; with 2 the next one is there when a task ends. */
  readonly ahead?: number;
  /** Runs each task in a new thread, which frees its memory when the task ends; for tasks with much memory. */
  readonly isolated?: boolean;
}

/** A pool of worker threads with a FIFO queue of tasks. */
export class ThreadPool {
  private readonly options: PoolOptions;
  private readonly threads = new Set<Thread>();
  private readonly queue: Job[] = [];
  private ended: unknown;

  constructor(options: PoolOptions) {
    this.options = options;
  }

  /**
   * Runs a task in the next idle thread.
   * @throws the error of the task; the reason of {@link ThreadPool.close}; the error of a failed thread
   */
  run(name: string, task: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.ended !== undefined) throw this.ended;
      this.queue.push({ message: { name, task }, resolve, reject });
      this.assign();
    });
  }

  /** Stops the threads. Queued and running tasks fail with the reason. */
  async close(reason: unknown = closed(this.options.threads)): Promise<void> {
    this.end(reason);
    await Promise.all([...this.threads].map(({ worker }) => worker.terminate()));
  }

  private assign(): void {
    while (this.queue.length > 0) {
      const thread = this.free();
      if (thread === undefined) return;
      const job = this.queue.shift()!;
      try {
        thread.worker.postMessage(job.message);
        thread.jobs.push(job);
      } catch (error) {
        job.reject(error);
      }
    }
  }

  /** The thread with the fewest tasks, if it takes another. */
  private free(): Thread | undefined {
    const { threads, ahead = 1 } = this.options;
    const [idlest] = [...this.threads]
      .filter(({ jobs, retired }) => !retired && jobs.length < ahead)
      .sort((a, b) => a.jobs.length - b.jobs.length);
    if (idlest?.jobs.length === 0) return idlest;
    return this.threads.size < threads ? this.start() : idlest;
  }

  private start(): Thread {
    const worker = this.options.start();
    const thread: Thread = { worker, jobs: [], retired: false };
    this.threads.add(thread);
    worker.on("message", (reply: TaskReply) => this.settle(thread, reply));
    worker.on("error", (error) => this.end(error));
    worker.on("exit", (code) => {
      if (!thread.retired) this.end(exited(code));
    });
    return thread;
  }

  private settle(thread: Thread, reply: TaskReply): void {
    const job = thread.jobs.shift();
    if ("failure" in reply) job?.reject(errorOf(reply.failure));
    else job?.resolve(reply.result);
    if (this.options.isolated) void this.retire(thread);
    else this.assign();
  }

  /** Stops a thread before starting its replacement: both together may need too much memory. */
  private async retire(thread: Thread): Promise<void> {
    thread.retired = true;
    await thread.worker.terminate();
    this.threads.delete(thread);
    this.assign();
  }

  private end(reason: unknown): void {
    this.ended ??= reason;
    const jobs = [...this.queue.splice(0), ...[...this.threads].flatMap((thread) => thread.jobs.splice(0))];
    for (const { reject } of jobs) reject(this.ended);
  }
}

function closed(threads: number): SearchError {
  return new SearchError("threads_closed", "The worker threads have been closed", {
    value: threads,
    remedy: "start the work again",
  });
}

function exited(code: number): SearchError {
  return new SearchError("thread_ended", `A worker thread ended with code ${code} while it was needed`, {
    value: code,
    remedy: "start the work again, with fewer threads if memory is short",
  });
}
