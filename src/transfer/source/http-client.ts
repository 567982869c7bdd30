import { PullError } from "../../contract/errors.js";
import { retryAfterMs } from "../../contract/service/retry-after.js";
import { PULL_DEFAULTS } from "../pull/defaults.js";
import type { PullEnvironment } from "./environment.js";
import type { RateLimiter } from "./rate-limiter.js";
import { TransferFault } from "./transfer-fault.js";

/** Options of an {@link HttpClient}. */
export interface HttpClientOptions {
  readonly environment: PullEnvironment;
  /** API key, sent as `Authorization: Bearer`. */
  readonly key?: string | undefined;
  /** Time without a byte after which an attempt is given up, ms. */
  readonly stallMs: number;
  readonly rate?: RateLimiter | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An answer with status 200, 206 or 416. */
export interface HttpAnswer {
  readonly status: 200 | 206 | 416;
  header(name: string): string | undefined;
  /** The body as it arrives, rate-limited. @throws TransferFault `interrupted` */
  readonly body: AsyncIterable<Uint8Array>;
}

const LATER: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

const REFUSED: Readonly<Record<number, readonly [code: string, remedy: string]>> = {
  401: ["pull_unauthorized", "give a key of the service that serves the slices: --key, or $MIRRORLAKE_KEY"],
  403: ["pull_forbidden", "give a key with the scope `datasets`"],
  404: ["pull_not_found", "check the address; if the published set has changed meanwhile, run it again"],
  410: ["pull_not_found", "it was taken from the source; run it again to pull what the source has now"],
};

/** HTTP client for one GET at a time, one attempt each; maps statuses and broken connections to faults and errors. */
export class HttpClient {
  /** Time until which the source asked for a pause, ms. */
  private pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: HttpClientOptions) {}

  /**
   * Asks for `url` and hands the answer to `use`; the connection is let go of when that is done, read to the end or not.
   * @throws TransferFault where trying again may help; PullError where it will not; the signal's reason
   */
  async exchange<T>(
    url: string,
    headers: Readonly<Record<string, string>>,
    use: (answer: HttpAnswer) => Promise<T>,
  ): Promise<T> {
    const { environment, signal, key } = this.options;
    signal?.throwIfAborted();
    const wait = this.pausedUntil - environment.now();
    // Longer than the limit: this request fails as the one that received the pause did.
    if (wait > PULL_DEFAULTS.maxPauseMs)
      throw new TransferFault("busy", `${safeUrl(url)} is not asked yet`, { retryAfterMs: wait });
    if (wait > 0) await environment.sleep(wait, signal);
    const attempt = new Attempt(this.options);
    try {
      const response = await attempt.guard(
        environment.fetch(url, {
          headers: {
            // A range of a compressed file is not a range of the file.
            "Accept-Encoding": "identity",
            ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
            ...headers,
          },
          signal: attempt.signal,
        }),
      );
      this.refuse(url, response);
      return await use({
        status: response.status as HttpAnswer["status"],
        header: (name) => response.headers.get(name) ?? undefined,
        body: attempt.read(response),
      });
    } finally {
      attempt.end();
    }
  }

  private refuse(url: string, response: Response): void {
    const { status } = response;
    const where = safeUrl(url);
    if (url.startsWith("https:") && response.url.startsWith("http:")) {
      throw new PullError("source_untrusted", `${where} leads to a place without encryption`, {
        value: safeUrl(response.url),
        remedy: "name that address itself if you trust the network",
      });
    }
    if (status === 200 || status === 206 || status === 416) return;
    const message = `${where} answered ${status}`;
    if (LATER.has(status)) {
      const pauseMs = retryAfterMs(
        response.headers.get("retry-after") ?? undefined,
        this.options.environment.now(),
      );
      if (pauseMs !== undefined)
        this.pausedUntil = Math.max(this.pausedUntil, this.options.environment.now() + pauseMs);
      throw new TransferFault("busy", message, { retryAfterMs: pauseMs });
    }
    const [code, remedy] = REFUSED[status] ?? ["pull_refused", "check the address"];
    throw new PullError(code, message, { value: status, remedy });
  }
}

/** Error codes of failed connections. */
const NOT_CONNECTED: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** One request and its response, ended by the caller's signal or by a stall. */
class Attempt {
  private readonly controller = new AbortController();
  private stalled = false;
  private answered = false;
  private disarm = () => {};
  private readonly abort = () => this.controller.abort(this.options.signal?.reason);

  constructor(private readonly options: HttpClientOptions) {
    options.signal?.addEventListener("abort", this.abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Awaits network data with the stall timeout. */
  async guard<T>(coming: Promise<T>): Promise<T> {
    const { environment, stallMs, signal } = this.options;
    this.disarm = environment.timer(stallMs, () => {
      this.stalled = true;
      this.controller.abort(new Error("stalled"));
    });
    try {
      return await this.unlessEnded(coming);
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      throw this.faultOf(cause);
    } finally {
      this.disarm();
    }
  }

  async *read(response: Response): AsyncGenerator<Uint8Array, void, void> {
    this.answered = true;
    if (response.body === null) return;
    const reader = response.body.getReader();
    try {
      for (;;) {
        const { done, value } = await this.guard(reader.read());
        if (done) return;
        yield value;
        await this.options.rate?.take(value.length, this.options.signal);
      }
    } finally {
      // Releases the connection; its errors no longer matter.
      reader.cancel().catch(() => undefined);
    }
  }

  /**
   * Settles as `coming` does, or rejects when the attempt is ended. fetch holds the signal weakly: once its request has been
   * collected as garbage, an abort no longer reaches a body that is being read, which would then be waited for without end.
   */
  private unlessEnded<T>(coming: Promise<T>): Promise<T> {
    const { signal } = this.controller;
    return new Promise((resolve, reject) => {
      const ended = () => reject(signal.reason);
      if (signal.aborted) ended();
      signal.addEventListener("abort", ended, { once: true });
      coming.then(resolve, reject).finally(() => signal.removeEventListener("abort", ended));
    });
  }

  end(): void {
    this.options.signal?.removeEventListener("abort", this.abort);
    this.disarm();
    this.controller.abort();
  }

  private faultOf(cause: unknown): Error {
    if (this.stalled)
      return new TransferFault("interrupted", `no byte came for ${this.options.stallMs / 1000} s`, { cause });
    const inner = (cause as { cause?: { code?: unknown; message?: string } }).cause;
    const reason = inner?.message ?? (cause as Error).message;
    const isRequest = inner !== undefined && inner.code === undefined && !this.answered;
    if (NOT_CONNECTED.has(inner?.code) || isRequest)
      return new TransferFault("unreachable", reason, { cause });
    if (/CERT|TLS|SELF_SIGNED|UNABLE_TO_VERIFY/.test(String(inner?.code ?? ""))) {
      return new PullError("source_untrusted", `The source cannot prove who it is: ${reason}`, {
        value: inner?.code,
        remedy: "check the address and this machine's clock and certificates",
        cause,
      });
    }
    return new TransferFault("interrupted", `the connection broke: ${reason}`, { cause });
  }
}

/** A URL for messages: without user, password and query, which may be secret. */
export function safeUrl(url: string): string {
  return url.replace(/[?#].*$/, "").replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, "$1");
}
