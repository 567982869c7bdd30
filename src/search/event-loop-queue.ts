/**
 * A FIFO queue for the event loop: each caller of {@link EventLoopQueue.next} resumes alone in one round of the loop, so
 * timers and sockets are served between two searches.
 */
export class EventLoopQueue {
  private readonly waiting: (() => void)[] = [];

  /** Resolves in a later round of the event loop, one caller a round, first come first served. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.waiting.length === 1) setImmediate(this.serve);
    });
  }

  private readonly serve = (): void => {
    this.waiting.shift()?.();
    if (this.waiting.length > 0) setImmediate(this.serve);
  };
}
