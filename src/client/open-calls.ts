import type { MirrorlakeError } from "../contract/errors.js";

/** The calls of a client that are under way, until it closes: then they end, and no other begins. */
export class OpenCalls {
  private readonly running = new Set<Promise<unknown>>();
  private readonly closedError: () => MirrorlakeError;
  private closing: Promise<void> | undefined;

  /** @param closedError what a call on a closed client fails with */
  constructor(closedError: () => MirrorlakeError) {
    this.closedError = closedError;
  }

  /** @throws MirrorlakeError the client's own, once it is closed */
  assertOpen(): void {
    if (this.closing !== undefined) throw this.closedError();
  }

  /** Makes a call, which {@link OpenCalls.close} waits for. @throws MirrorlakeError once closed; what the call throws */
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

  /** Lets no further call begin, waits for those under way, then runs `end`: once, however often it is called. */
  close(end: () => Promise<void>): Promise<void> {
    this.closing ??= Promise.allSettled(this.running).then(end);
    return this.closing;
  }
}
