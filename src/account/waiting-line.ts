/** What one in the line gets: what it asked for, `refused` for good, or `undefined`, when it must wait on. */
export type Answer<T> = { readonly granted: T } | "refused" | undefined;

interface Waiting {
  /** Settles whoever waits and says so, or says that it must wait on. */
  readonly ask: () => boolean;
}

/** Those who wait for something that others will give back, first come, first served. */
export class WaitingLine {
  readonly #line = new Set<Waiting>();

  /**
   * Asks at once when nobody waits, else in turn, until it is granted (resolves with it) or refused (undefined).
   * @throws the signal's reason
   */
  wait<T>(ask: () => Answer<T>, signal?: AbortSignal): Promise<T | undefined> {
    const first = this.#line.size === 0 ? ask() : undefined;
    if (first !== undefined) return Promise.resolve(first === "refused" ? undefined : first.granted);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        ask: () => {
          const answer = ask();
          if (answer === undefined) return false;
          signal?.removeEventListener("abort", abort);
          resolve(answer === "refused" ? undefined : answer.granted);
          return true;
        },
      };
      const abort = (): void => {
        this.#line.delete(waiting);
        reject(signal?.reason);
        this.advance();
      };
      this.#line.add(waiting);
      if (signal?.aborted === true) abort();
      else signal?.addEventListener("abort", abort, { once: true });
    });
  }

  /** Asks again for those in front, for as long as each gets its answer. */
  advance(): void {
    for (const waiting of this.#line) {
      if (!waiting.ask()) return;
      this.#line.delete(waiting);
    }
  }
}
