import type { MirrorlakeError } from "../contract/errors.js";

/** Tracks the running calls of a client, so that closing it waits for them and refuses new ones. */
export class OpenCalls {
  private readonly running = new Set<Promise<unknown>>();
  private readonly closedError: () => MirrorlakeError;
  private closing: Promise<void> | undefined;

  /** @param closedError Creates the error of a call on a closed client. */
  constructor(closedError: () => MirrorlakeError) {
    this.closedError = closedError;
  }

  /** Asserts that the client is open. @throws MirrorlakeError the client's closed error */
  assertOpen(): void {
    if (this.closing !== undefined) throw this.closedError();
  }

  /** Runs a call that {@link OpenCalls.close} waits for. @throws MirrorlakeError if closed; any error of the call */
  async run<T>(call: () => Promise<T>): Promise<T> {
    this.assertOpen();
    const running = call();
    this.running.add(running);
    try {
      return await running;
    } finally {
      this.running.delete(running);
    }
  }

  /** Refuses new calls, waits for running ones, then runs `end`. Repeated calls wait for the same close. */
  close(end: () => Promise<void>): Promise<void> {
    this.closing ??= Promise.allSettled(this.running).then(end);
    return this.closing;
  }
}
