import type { AccountTransaction } from "./account-store.js";

/** Work of one caller, which shares a transaction with others. */
export interface Job {
  readonly work: (transaction: AccountTransaction) => Promise<unknown>;
  readonly writes: boolean;
  readonly durable: boolean;
}

interface Waiting extends Job {
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** What a store does with the jobs of a {@link JobQueue}. */
export interface JobSteps {
  /** Most jobs of one transaction. */
  readonly atMost: number;
  /** Runs before the first transaction of a queue that was empty. */
  readonly begin: (first: Job | undefined) => Promise<void> | void;
  /**
   * Runs jobs in one transaction, and resolves to the results of those that it had time for. Calls `onFailed` with the place of a job
   * whose own error it throws, and with undefined when it starts over.
   */
  readonly commit: (
    batch: readonly Job[],
    onFailed: (index: number | undefined) => void,
  ) => Promise<readonly unknown[]>;
  /** Runs between two transactions. */
  readonly pause: () => Promise<unknown>;
  /** What callers see of an error. */
  readonly errorOf: (error: unknown) => unknown;
}

/** Runs jobs in FIFO order. Jobs that wait together share a transaction. A job that fails rolls back the others, which run again. */
export class JobQueue {
  private readonly jobs: Waiting[] = [];
  private running: Promise<void> | undefined;

  constructor(private readonly steps: JobSteps) {}

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Resolves after the commit. */
  add<T>(
    work: (transaction: AccountTransaction) => Promise<T>,
    writes: boolean,
    durable: boolean,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.jobs.push({ work, writes, durable, resolve: resolve as Waiting["resolve"], reject });
      this.running ??= this.runAll();
    });
  }

  /** Resolves when no job is left. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async runAll(): Promise<void> {
    await this.steps.begin(this.jobs[0]);
    while (this.jobs.length > 0) {
      const batch = this.jobs.splice(0, this.steps.atMost);
      const remaining = await this.runBatch(batch);
      this.jobs.unshift(...remaining);
      if (this.jobs.length > 0) await this.steps.pause();
    }
    this.running = undefined;
  }

  /** Runs jobs in one transaction until its time is over; returns the remaining jobs. */
  private async runBatch(batch: Waiting[]): Promise<Waiting[]> {
    let failed: number | undefined;
    try {
      const results = await this.steps.commit(batch, (index) => {
        failed = index;
      });
      for (const [index, result] of results.entries()) batch[index]?.resolve(result as never);
      return batch.slice(results.length);
    } catch (error) {
      if (failed === undefined || batch.length === 1) {
        for (const job of batch) job.reject(this.steps.errorOf(error));
        return [];
      }
      // One failed job rolls back the others, so they run again without it.
      batch[failed]?.reject(this.steps.errorOf(error));
      return batch.toSpliced(failed, 1);
    }
  }
}
