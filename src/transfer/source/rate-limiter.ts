import type { PullEnvironment } from "./environment.js";

/** Keeps everything that comes in below a number of bytes a second, on the average of any second or longer. */
export class RateLimiter {
  /** When all that was taken so far would have come in at the limit, ms. */
  private dueMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly bytesPerSecond: number,
    private readonly environment: PullEnvironment,
  ) {}

  /** Waits as long as these bytes, which have come, must be paid for. */
  async take(bytes: number, signal?: AbortSignal): Promise<void> {
    const now = this.environment.now();
    this.dueMs = Math.max(this.dueMs, now) + (bytes / this.bytesPerSecond) * 1000;
    if (this.dueMs > now) await this.environment.sleep(this.dueMs - now, signal);
  }
}
