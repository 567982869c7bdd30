import { performance } from "node:perf_hooks";
import { clearTimeout, setTimeout } from "node:timers";

/** Counts the time that a query takes, but for that in which it waits for its reader. */
export class QueryClock {
  private readonly timeout = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private startedMs: number | undefined;
  private pausedAtMs: number | undefined;
  private longestMs = 0;
  private usedMs = 0;
  private isStopped = false;

  /**
   * Starts to count.
   * @param limitMs milliseconds that the query may take; Infinity for no limit
   * @param reasonOf what the signal aborts with then
   */
  constructor(
    private readonly limitMs: number,
    private readonly reasonOf: () => unknown,
  ) {
    this.resume();
  }

  /** Aborts when the time is up. */
  get signal(): AbortSignal {
    return this.timeout.signal;
  }

  /** Milliseconds that are left. */
  get leftMs(): number {
    const runningMs = this.startedMs === undefined ? 0 : performance.now() - this.startedMs;
    return this.limitMs - this.usedMs - runningMs;
  }

  /** Milliseconds of the longest pause that is over. */
  get longestPauseMs(): number {
    return this.longestMs;
  }

  /** Does not count from now on. */
  pause(): void {
    if (this.startedMs === undefined) return;
    this.pausedAtMs = performance.now();
    this.usedMs += this.pausedAtMs - this.startedMs;
    this.startedMs = undefined;
    clearTimeout(this.timer);
  }

  /** Counts again. */
  resume(): void {
    if (this.startedMs !== undefined || this.isStopped) return;
    this.startedMs = performance.now();
    if (this.pausedAtMs !== undefined)
      this.longestMs = Math.max(this.longestMs, this.startedMs - this.pausedAtMs);
    if (!Number.isFinite(this.limitMs)) return;
    this.timer = setTimeout(() => this.timeout.abort(this.reasonOf()), Math.max(0, this.leftMs));
  }

  /** Never counts again. */
  stop(): void {
    this.pause();
    this.isStopped = true;
  }
}
