import { nextTurn } from "../next-turn.js";

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * A FIFO queue for the event loop. One caller of {@link EventLoopQueue.next} resumes per round of the loop, so
 * timers and sockets run between two steps.
 */
export class EventLoopQueue {
  private waiting: Waiting[] = [];
  private isServing = false;

  /**
   * Resolves in a later round of the event loop, one caller per round, in FIFO order. Who has given up takes no round.
   * @throws the signal's reason, in the next round
   */
  next(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject, signal });
      if (!this.isServing) void this.serve();
    });
  }

  private async serve(): Promise<void> {
    this.isServing = true;
    while (this.waiting.length > 0) {
      await nextTurn();
      const aborted = this.waiting.filter(({ signal }) => signal?.aborted);
      if (aborted.length > 0) this.waiting = this.waiting.filter(({ signal }) => !signal?.aborted);
      for (const { reject, signal } of aborted) reject(signal?.reason);
      this.waiting.shift()?.resolve();
    }
    this.isServing = false;
  }
}
