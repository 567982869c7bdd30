/**
 * Counts calls over the last `spanMs`: never more than a limit within any span of that length. Sliding is the
 * strictest of the usual readings of "per minute": whatever passes here passes a service with fixed windows too.
 * Whether the remote slides or not is not shown (assumed).
 */
export class SlidingWindow {
  private readonly spanMs: number;
  private times: number[] = [];
  private first = 0;

  constructor(spanMs: number) {
    this.spanMs = spanMs;
  }

  /** Calls within the span that ends at `now`. */
  count(now: number): number {
    this.forget(now);
    return this.times.length - this.first;
  }

  /** Counts one call at `now`. */
  add(now: number): void {
    this.forget(now);
    this.times.push(now);
  }

  /** Counts a call that was made at `at`, no later than `now`, in whatever order such calls come. */
  adopt(at: number, now: number): void {
    if (at <= now - this.spanMs) return;
    this.forget(now);
    this.times.push(Math.min(at, now));
    this.times = this.times.slice(this.first).sort((a, b) => a - b);
    this.first = 0;
  }

  /** Milliseconds from `now` until fewer than `limit` calls are within the span; 0 when that is so already. */
  waitMs(now: number, limit: number): number {
    const over = this.count(now) - limit;
    if (over < 0) return 0;
    return (this.times[this.first + over] ?? now) + this.spanMs - now;
  }

  private forget(now: number): void {
    const last = this.times.length - 1;
    if (last >= this.first && (this.times[last] ?? now) > now) {
      // The clock went back: calls "in the future" happened no later than now, or they would block for ever.
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
