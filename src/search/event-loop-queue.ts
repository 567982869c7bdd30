/**
 * A FIFO queue for the event loop. One caller of {@link EventLoopQueue.next} resumes per round of the loop, so
 * timers and sockets run between two steps.
 */
export class EventLoopQueue {
  private readonly waiting: (() => void)[] = [];

  /** Resolves in a later round of the event loop, one caller per round, in FIFO order. */
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
