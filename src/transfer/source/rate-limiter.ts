import type { PullEnvironment } from "./environment.js";

/** Limits received bytes per second, on average over any second or longer. */
export class RateLimiter {
  /** Time at which all bytes so far are within the limit, ms. */
  private dueMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly bytesPerSecond: number,
    private readonly environment: PullEnvironment,
  ) {}

  /** Waits until the received bytes are within the limit. */
  async take(bytes: number, signal?: AbortSignal): Promise<void> {
    const now = this.environment.now();
    this.dueMs = Math.max(this.dueMs, now) + (bytes / this.bytesPerSecond) * 1000;
    if (this.dueMs > now) await this.environment.sleep(this.dueMs - now, signal);
  }
}
