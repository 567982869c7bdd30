/**
 * Shares the event loop among searches that run side by side: who awaits a turn goes on alone in one round of the loop, in
 * the order of asking, so that timers and sockets are served between any two.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a round of the event loop of its own. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#serve);
    });
  }

  readonly #serve = (): void => {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#serve);
  };
}
