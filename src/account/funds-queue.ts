import { clearTimeout, setTimeout } from "node:timers";
import { FUNDS_RETRY_MS, HOLDS_PER_TRANSACTION } from "./defaults.js";

/** Answer to a queued request: the granted value, `insufficient` (final), or `held` (it must wait). */
export type FundsAnswer<T> = T | "insufficient" | "held";

interface Waiting<R, T> {
  readonly request: R;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (granted: T | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A FIFO queue of requests for funds, served in batches. A request that must wait blocks those behind it. The queue is
 * served again when this process releases funds, and periodically, because another process may have released some.
 */
export class FundsQueue<R, T> {
  private readonly serve: (requests: readonly R[]) => Promise<readonly FundsAnswer<T>[]>;
  private waiting: Waiting<R, T>[] = [];
  private running = false;
  private changed = false;
  private stopped = false;
  private serving: Promise<number> | undefined;
  private resume: (() => void) | undefined;

  /** @param serve Answers requests in order and stops after the first that is `held`. */
  constructor(serve: (requests: readonly R[]) => Promise<readonly FundsAnswer<T>[]>) {
    this.serve = serve;
  }

  /** True if a request is waiting. */
  get busy(): boolean {
    return this.waiting.length > 0;
  }

  /**
   * Waits for funds. Resolves to undefined if the request can never be covered. A request that is granted while its
   * signal aborts stays granted.
   * @throws the signal's reason; any error of `serve`
   */
  wait(request: R, signal?: AbortSignal): Promise<T | undefined> {
    const granted = new Promise<T | undefined>((resolve, reject) => {
      this.waiting.push({ request, signal, resolve, reject });
    });
    if (!this.running) void this.run();
    if (signal === undefined) return granted;
    const advance = (): void => this.advance();
    signal.addEventListener("abort", advance, { once: true });
    return granted.finally(() => signal.removeEventListener("abort", advance));
  }

  /** Serves the queue again, because funds were released or a request was aborted. */
  advance(): void {
    this.changed = true;
    this.resume?.();
  }

  /** Stops serving; resolves when the batch that is being served has its answers. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.serving;
  }

  /** Serves again after {@link FundsQueue.stop}. */
  restart(): void {
    this.stopped = false;
    this.advance();
  }

  private async run(): Promise<void> {
    this.running = true;
    let pauseMs: number = FUNDS_RETRY_MS.first;
    while (this.waiting.length > 0) {
      this.changed = false;
      this.dropAborted();
      this.serving = this.stopped ? Promise.resolve(0) : this.serveFirst();
      if ((await this.serving) > 0) pauseMs = FUNDS_RETRY_MS.first;
      else if (this.waiting.length > 0) {
        const currentMs = pauseMs;
        await this.pause(currentMs);
        pauseMs = Math.min(currentMs * 2, FUNDS_RETRY_MS.last);
      }
    }
    this.running = false;
  }

  /** Serves the first batch; returns the number of answered requests. */
  private async serveFirst(): Promise<number> {
    const batch = this.waiting.slice(0, HOLDS_PER_TRANSACTION);
    if (batch.length === 0) return 0;
    let answers: readonly FundsAnswer<T>[];
    try {
      answers = await this.serve(batch.map(({ request }) => request));
    } catch (error) {
      for (const waiting of this.waiting.splice(0, batch.length)) waiting.reject(error);
      return batch.length;
    }
    const done = answers.at(-1) === "held" ? answers.length - 1 : answers.length;
    for (const [index, waiting] of this.waiting.splice(0, done).entries()) {
      const answer = answers[index];
      waiting.resolve(answer === "insufficient" ? undefined : (answer as T));
    }
    return done;
  }

  private dropAborted(): void {
    const aborted = this.waiting.filter(({ signal }) => signal?.aborted === true);
    if (aborted.length === 0) return;
    this.waiting = this.waiting.filter(({ signal }) => signal?.aborted !== true);
    for (const { signal, reject } of aborted) reject(signal?.reason);
  }

  private async pause(ms: number): Promise<void> {
    if (this.changed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.resume = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.resume = undefined;
  }
}
