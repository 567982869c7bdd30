import type { JobAnswer } from "./answers.js";
import { ConsoleError } from "./console-error.js";
import { CONSOLE_DEFAULTS } from "./defaults.js";

/** Reports how far a job is: what it does, and of how much how much is done. */
export type ReportProgress = (step: string, done: number, total: number, unit?: string) => void;

/** What a job does; its result is shown as it is. */
export type Work = (report: ReportProgress, signal: AbortSignal) => Promise<unknown>;

interface Job {
  answer: JobAnswer;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Long work that a page starts and watches: pulls, verifications. One at a time. */
export class Jobs {
  private readonly jobs = new Map<number, Job>();
  private last = 0;

  /** Starts a job. @throws ConsoleError `console_busy` if another runs */
  start(kind: JobAnswer["kind"], title: string, work: Work): JobAnswer {
    const running = this.list().find(({ state }) => state === "running");
    if (running !== undefined)
      throw new ConsoleError(
        409,
        "console_busy",
        `Another job runs: ${running.title}`,
        "Wait for it, or stop it.",
      );
    const id = ++this.last;
    const stop = new AbortController();
    const started = Date.now();
    const answer: JobAnswer = {
      id,
      kind,
      title,
      state: "running",
      step: "starting",
      done: 0,
      total: 0,
      ms: 0,
    };
    const update = (change: Partial<JobAnswer>) => {
      job.answer = { ...job.answer, ...change, ms: Date.now() - started };
    };
    const ended = Promise.resolve()
      .then(() => work((step, done, total, unit) => update({ step, done, total, unit }), stop.signal))
      .then((result) => update({ state: "done", result }))
      .catch((error: unknown) => {
        const { code = "internal_error", message, remedy = "" } = error as Partial<ConsoleError> & Error;
        update({ state: stop.signal.aborted ? "stopped" : "failed", error: { code, message, remedy } });
      });
    const job: Job = { answer, stop, ended };
    this.jobs.set(id, job);
    for (const old of this.jobs.keys()) if (old <= id - CONSOLE_DEFAULTS.jobs) this.jobs.delete(old);
    return answer;
  }

  /** Newest first. */
  list(): JobAnswer[] {
    return [...this.jobs.values()].map(({ answer }) => answer).reverse();
  }

  get(id: number): JobAnswer | undefined {
    return this.jobs.get(id)?.answer;
  }

  stop(id: number): void {
    this.jobs.get(id)?.stop.abort(new Error("stopped by the console"));
  }

  /** Stops what runs and waits for its end. */
  async close(): Promise<void> {
    for (const { stop } of this.jobs.values()) stop.abort(new Error("the server stops"));
    await Promise.all([...this.jobs.values()].map(({ ended }) => ended));
  }
}
