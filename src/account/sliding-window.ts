/**
 * Counts calls over the last `spanMs`, so that no span of that length has more calls than a limit. A sliding window is
 * the strictest common reading of "per minute": a limit by fixed windows would also be kept. That the remote service
 * uses one is assumed.
 */
export class SlidingWindow {
  private readonly spanMs: number;
  private times: number[] = [];
  private first = 0;

  constructor(spanMs: number) {
    this.spanMs = spanMs;
  }

  /** Returns the number of calls within the span that ends at `now`. */
  count(now: number): number {
    this.forget(now);
    return this.times.length - this.first;
  }

  /** Counts one call at `now`. */
  add(now: number): void {
    this.forget(now);
    this.times.push(now);
  }

  /** Counts an earlier call made at `at`; calls may come in any order. */
  adopt(at: number, now: number): void {
    if (at <= now - this.spanMs) return;
    this.forget(now);
    this.times.push(Math.min(at, now));
    this.times = this.times.slice(this.first).sort((a, b) => a - b);
    this.first = 0;
  }

  /** Returns the milliseconds from `now` until the span has fewer than `limit` calls; 0 if it has fewer already. */
  waitMs(now: number, limit: number): number {
    const over = this.count(now) - limit;
    if (over < 0) return 0;
    return (this.times[this.first + over] ?? now) + this.spanMs - now;
  }

  private forget(now: number): void {
    const last = this.times.length - 1;
    if (last >= this.first && (this.times[last] ?? now) > now) {
      // The clock went back: calls "in the future" are moved to now; otherwise they would block for too long.
      for (let i = last; i >= this.first && (this.times[i] ?? now) > now; i--) this.times[i] = now;
    }
    while (this.first < this.times.length && (this.times[this.first] ?? now) <= now - this.spanMs) {
      this.first += 1;
    }
    if (this.first > 1024 && this.first * 2 > this.times.length) {
      this.times = this.times.slice(this.first);
      this.first = 0;
    }
  }
}
