import { PullError } from "../../contract/errors.js";
import { retryAfterMs } from "../../contract/service/retry-after.js";
import { Exchange } from "../../network/exchange.js";
import { PULL_DEFAULTS } from "../pull/defaults.js";
import type { PullEnvironment } from "./environment.js";
import type { RateLimiter } from "./rate-limiter.js";
import { TransferFault } from "./transfer-fault.js";
import { speaksNoTls, untrusted } from "./untrusted.js";

/** Options of an {@link HttpClient}. */
export interface HttpClientOptions {
  readonly environment: PullEnvironment;
  /** API key, sent as `Authorization: Bearer`. */
  readonly key?: string | undefined;
  /** Further headers of every request to `origin`, and to no other one. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Origin that the key and the headers are for; without it they are not sent. */
  readonly origin?: string | undefined;
  /** Time of waiting after which an attempt is given up that brought less than `PULL_DEFAULTS.stallBytes`, ms. */
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
  /** Whether a request has been answered as one without encryption, or it has been found that none would be. */
  private isPlain = false;

  constructor(private readonly options: HttpClientOptions) {}

  /**
   * Asks for `url` and hands the answer to `use`; the connection is let go of when that is done, read to the end or not.
   * @param stalls how many times the stall time it may take in all, but for the rate; without end by default
   * @throws TransferFault where trying again may help; PullError where it will not; the signal's reason
   */
  async exchange<T>(
    url: string,
    headers: Readonly<Record<string, string>>,
    use: (answer: HttpAnswer) => Promise<T>,
    stalls: number = Number.POSITIVE_INFINITY,
  ): Promise<T> {
    const { environment, signal } = this.options;
    signal?.throwIfAborted();
    const wait = this.pausedUntil - environment.now();
    // Longer than the limit: this request fails as the one that received the pause did.
    if (wait > PULL_DEFAULTS.maxPauseMs)
      throw new TransferFault("busy", `${safeUrl(url)} is not asked yet`, { retryAfterMs: wait });
    if (wait > 0) await environment.sleep(wait, signal);
    const attempt = new Attempt(url, this.options, stalls * this.options.stallMs);
    try {
      const response = await attempt
        .request({
          headers: {
            // A range of a compressed file is not a range of the file.
            "Accept-Encoding": "identity",
            ...this.credentials(url),
            ...headers,
          },
        })
        .catch(async (error: unknown) => {
          if (error instanceof TransferFault && error.kind === "interrupted")
            await this.refuseIfEncrypted(url);
          throw error;
        });
      // What servers with encryption answer to a request without it, where they answer.
      if (response.status === 400) await this.refuseIfEncrypted(url);
      this.isPlain = true;
      this.refuse(url, response);
      return await use({
        status: response.status as HttpAnswer["status"],
        header: (name) => response.headers.get(name) ?? undefined,
        body: attempt.read(),
      });
    } finally {
      attempt.end();
    }
  }

  /** Key and headers of the caller, for the origin that they were given for. */
  private credentials(url: string): Readonly<Record<string, string>> {
    const { key, headers, origin } = this.options;
    if (new URL(url).origin !== origin) return {};
    return { ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }), ...headers };
  }

  /**
   * Asks once, with encryption and without key and headers, whether an address without it is one of a server with it: trying again
   * would not help.
   * @throws PullError `pull_refused`; the signal's reason
   */
  private async refuseIfEncrypted(url: string): Promise<void> {
    if (this.isPlain || !url.startsWith("http:")) return;
    this.isPlain = true;
    const { origin } = new URL(url.replace(/^http:/, "https:"));
    const attempt = new Attempt(`${origin}/`, this.options, Number.POSITIVE_INFINITY);
    try {
      await attempt.request({ method: "HEAD", redirect: "manual" });
    } catch (error) {
      this.options.signal?.throwIfAborted();
      // A certificate that proves nothing is one, too.
      if (!(error instanceof PullError) || speaksNoTls(error.cause)) return;
    } finally {
      attempt.end();
    }
    throw new PullError("pull_refused", `${new URL(url).origin} speaks TLS, and the address says http://`, {
      value: safeUrl(url),
      remedy: `give the address with https://, that of ${origin}`,
    });
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
  "ECONNTIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** One request and its response, ended by the caller's signal, by a stall, or by its own time limit. */
class Attempt {
  private readonly controller = new AbortController();
  private readonly exchange: Exchange;
  private ending: "stall" | "deadline" | undefined;
  private answered = false;
  /** Time that passed, but for pauses to keep the rate that the user set, which no server is to blame for. */
  private spentMs = 0;
  private lastMs: number;
  /** Time waited for the network, and bytes that came, since it last kept its pace. */
  private slowMs = 0;
  private slowBytes = 0;
  private disarm = () => {};
  private readonly abort = () => this.controller.abort(this.options.signal?.reason);

  constructor(
    private readonly url: string,
    private readonly options: HttpClientOptions,
    private readonly deadlineMs: number,
  ) {
    this.lastMs = options.environment.now();
    this.exchange = new Exchange(options.environment.fetch, this.controller.signal);
    options.signal?.addEventListener("abort", this.abort, { once: true });
  }

  request(init: RequestInit): Promise<Response> {
    return this.guard(() => this.exchange.request(this.url, init));
  }

  async *read(): AsyncGenerator<Uint8Array, void, void> {
    this.answered = true;
    for (;;) {
      const piece = await this.guard(() => this.exchange.read());
      if (piece === undefined) return;
      this.slowBytes += piece.length;
      if (this.slowBytes >= PULL_DEFAULTS.stallBytes) this.slowMs = this.slowBytes = 0;
      yield piece;
      const { environment, rate, signal } = this.options;
      if (rate === undefined) continue;
      this.passed();
      await rate.take(piece.length, signal);
      this.lastMs = environment.now();
    }
  }

  end(): void {
    this.options.signal?.removeEventListener("abort", this.abort);
    this.disarm();
    this.exchange.end();
  }

  /**
   * Awaits the network, as long as the stall time and the deadline leave. No timer rings while one piece follows another at once, so
   * the clock is looked at before each wait. A machine that is late itself gets the stall time once more.
   */
  private async guard<T>(wait: () => Promise<T>): Promise<T> {
    const { environment, stallMs, signal } = this.options;
    const stallLeft = stallMs - this.slowMs;
    this.passed();
    const left = this.deadlineMs - this.spentMs;
    const ending = left < stallLeft ? "deadline" : "stall";
    if (left <= 0 || stallLeft <= -stallMs) {
      // An abort between two pieces would reach no handler, which is an uncaught exception in fetch.
      this.ending = ending;
      throw this.faultOf(new Error("too slow"));
    }
    const waitMs = Math.max(0, Math.min(stallLeft, left));
    this.disarm = environment.timer(waitMs, () => {
      this.ending = ending;
      this.controller.abort(new Error("too slow"));
    });
    try {
      return await wait();
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      throw this.faultOf(cause);
    } finally {
      this.disarm();
      this.slowMs += this.passed();
    }
  }

  /** Adds the time since the last call to what was spent, and returns it. */
  private passed(): number {
    const { environment, stallMs } = this.options;
    const now = environment.now();
    const ms = now - this.lastMs;
    this.lastMs = now;
    // More than any timer allows: the machine slept, or its clock was set.
    const counted = ms > 0 && ms <= stallMs ? ms : 0;
    this.spentMs += counted;
    return counted;
  }

  private faultOf(cause: unknown): Error {
    if (this.ending === "deadline")
      return new PullError("transfer_interrupted", `It did not come whole in ${this.deadlineMs / 1000} s`, {
        value: this.deadlineMs,
        remedy:
          "run it again where the network is faster; or pull from a folder or .zip that was fetched elsewhere",
      });
    if (this.ending === "stall") {
      const came = this.slowBytes === 0 ? "no byte" : `${this.slowBytes} bytes`;
      const message = `${came} came in ${this.options.stallMs / 1000} s`;
      return new TransferFault("interrupted", message, { cause });
    }
    const inner = (cause as { cause?: { code?: unknown; message?: string } }).cause;
    const reason = inner?.message ?? (cause as Error).message;
    const distrust = inner && untrusted(safeUrl(this.url), inner);
    if (distrust !== undefined) return distrust;
    const isRequest = inner !== undefined && inner.code === undefined && !this.answered;
    if (NOT_CONNECTED.has(inner?.code) || isRequest)
      return new TransferFault("unreachable", reason, { cause });
    return new TransferFault("interrupted", `the connection broke: ${reason}`, { cause });
  }
}

/** A URL for messages: without user, password and query, which may be secret. */
export function safeUrl(url: string): string {
  return url.replace(/[?#].*$/, "").replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, "$1");
}
