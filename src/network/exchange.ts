import type { SendRequest } from "./sender.js";

/**
 * One request and its response. Every wait for the server rejects with the signal's reason once it is aborted. `fetch`
 * alone does not promise that: it holds the signal weakly (Node 20, 22), so once its request has been collected as garbage
 * an abort no longer reaches a body that is being read.
 */
export class Exchange {
  private readonly controller = new AbortController();
  private response: Promise<Response> | undefined;
  private reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  private readonly abort = () => this.controller.abort(this.signal.reason);

  constructor(
    private readonly send: SendRequest,
    private readonly signal: AbortSignal,
  ) {}

  /** Sends the request. @throws the signal's reason; what `send` throws */
  async request(url: string, init: RequestInit): Promise<Response> {
    this.signal.throwIfAborted();
    this.signal.addEventListener("abort", this.abort, { once: true });
    this.response = this.send(url, { ...init, signal: this.controller.signal });
    // An abort after a failure would reach what no longer expects one: in fetch that is an uncaught exception.
    this.response.catch(() => this.signal.removeEventListener("abort", this.abort));
    return this.unlessAborted(this.response);
  }

  /** Reads the next piece of the body; undefined after the last. @throws the signal's reason; the connection's error */
  async read(): Promise<Uint8Array | undefined> {
    if (this.reader === undefined) {
      const body = (await this.response)?.body ?? null;
      if (body === null) return undefined;
      this.reader = body.getReader();
    }
    const { done, value } = await this.unlessAborted(this.reader.read());
    return done ? undefined : value;
  }

  /** The rest of the body, as it arrives. @throws as {@link Exchange.read} */
  async *body(): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      const piece = await this.read();
      if (piece === undefined) return;
      yield piece;
    }
  }

  /** Releases the connection, also one whose answer is still to come. To be called when no more is read. */
  end(): void {
    this.signal.removeEventListener("abort", this.abort);
    // The caller has its result or its error; what becomes of the rest of the answer no longer matters.
    if (this.reader !== undefined) this.reader.cancel().catch(ignore);
    else this.response?.then(({ body }) => body?.cancel()).catch(ignore);
  }

  private unlessAborted<T>(coming: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const aborted = () => reject(signal.reason);
      if (signal.aborted) aborted();
      signal.addEventListener("abort", aborted, { once: true });
      coming.then(resolve, reject).finally(() => signal.removeEventListener("abort", aborted));
    });
  }
}

function ignore(): void {}
