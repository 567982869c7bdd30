import { clearTimeout, setTimeout } from "node:timers";
import { z } from "zod";
import type { Fetch } from "../client/lake-fetch.js";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { DATASET_URL } from "../contract/slice/dataset-paths.js";
import { TESTING_DEFAULTS } from "./defaults.js";
import { FETCHING_LAKE } from "./fetching-lake.js";

/** A request as undici dispatches it. */
export interface DispatchOptions {
  readonly origin?: string | URL | undefined;
  readonly path: string;
  readonly method: string;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly signal?: unknown;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  /** Longest time before the answer begins, and between pieces of it, ms; 0 for any. Undici's default otherwise. */
  readonly headersTimeout?: number | null | undefined;
  readonly bodyTimeout?: number | null | undefined;
}

/** A path of the service's calls. */
const SERVICE = /\/v1(?:\/|$)/;

type Callback = (...args: never[]) => unknown;

/** Callbacks of undici: those of version 7 on, or those before. */
type Handler = Readonly<Partial<Record<string, Callback>>>;

/** undici's `dispatch`. */
export type Dispatch = (options: never, handler: never) => boolean;

/** Options of {@link undiciInterceptor}. */
export interface UndiciInterceptorOptions {
  /** Origins that the lake answers for, such as `https://api.example.com`; all by default. */
  readonly origins?: readonly string[] | undefined;
}

const OPTIONS = optionsSchema<UndiciInterceptorOptions>(() => ({
  origins: z.array(z.url({ protocol: /^https?$/, error: "must be an http(s) address" })).optional(),
}));

/**
 * Makes an interceptor for undici, with which a lake answers requests: `setGlobalDispatcher(new MockAgent().compose(
 * undiciInterceptor(lake)))`, or of an `Agent`. It sees `undici.request`, which msw does not. The lake answers calls and requests for files
 * of its slices (`download_url`); other origins and paths go on to the dispatcher. Quota, window, balance and faults are the lake's;
 * `headersTimeout` and `bodyTimeout` of a request are heeded.
 * @throws UsageError `invalid_argument`, `invalid_options`
 */
export function undiciInterceptor(
  lake: { readonly fetch: Fetch },
  options: UndiciInterceptorOptions = {},
): (dispatch: Dispatch) => Dispatch {
  checkArgument(FETCHING_LAKE, lake, "lake", "undiciInterceptor");
  checkOptions(OPTIONS, options, "undiciInterceptor");
  const mine = options.origins?.map((origin) => new URL(origin).origin);
  return (dispatch) => (options: DispatchOptions, handler: Handler) => {
    const origin = new URL(String(options.origin ?? "http://mirrorlake.invalid")).origin;
    const [path = ""] = options.path.split(/[?#]/);
    const isMine = (mine?.includes(origin) ?? true) && (SERVICE.test(path) || DATASET_URL.test(path));
    if (!isMine) return dispatch(options as never, handler as never);
    void answer(lake.fetch, origin, options, callbacksOf(handler));
    return true;
  };
}

interface Callbacks {
  readonly start: (abort: (reason?: unknown) => void) => void;
  readonly headers: (status: number, headers: Headers) => void;
  readonly data: (chunk: Buffer) => void;
  readonly end: () => void;
  readonly error: (error: unknown) => void;
}

async function answer(
  fetch: Fetch,
  origin: string,
  options: DispatchOptions,
  callbacks: Callbacks,
): Promise<void> {
  const ended = new AbortController();
  const silence = new Silence(ended);
  try {
    callbacks.start((reason) => ended.abort(reason ?? new Error("aborted")));
    const { method, path } = options;
    const url = new URL(path, origin);
    for (const [name, value] of Object.entries(options.query ?? {}))
      url.searchParams.append(name, String(value));
    const body = await bytesOf(options.body);
    silence.limit("Headers", options.headersTimeout);
    const response = await fetch(url, {
      method,
      headers: headersOf(options.headers),
      signal: ended.signal,
      body: body === undefined ? undefined : (body as unknown as NonNullable<RequestInit["body"]>),
    });
    silence.limit("Body", options.bodyTimeout);
    callbacks.headers(response.status, response.headers);
    const { signal } = ended;
    for await (const chunk of response.body?.pipeThrough(new TransformStream(), { signal }) ?? []) {
      silence.limit("Body", options.bodyTimeout);
      callbacks.data(Buffer.from(chunk as Uint8Array));
    }
    callbacks.end();
  } catch (error) {
    // The error of a socket, as undici has it, is the cause of what fetch throws.
    const { cause } = error as { cause?: unknown };
    callbacks.error(ended.signal.aborted ? ended.signal.reason : (cause ?? error));
  } finally {
    silence.end();
  }
}

/** Ends a call of which nothing came for too long, with undici's error of a server that is silent. */
class Silence {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly call: AbortController) {}

  /** Waits again. @param ms longest time; 0 for any, undici's default if not given */
  limit(of: "Headers" | "Body", ms: number | null | undefined): void {
    this.end();
    const most = ms ?? TESTING_DEFAULTS.silenceMs;
    if (most === 0) return;
    this.timer = setTimeout(() => {
      const code = `UND_ERR_${of.toUpperCase()}_TIMEOUT`;
      const error = new Error(`${of} Timeout Error`);
      this.call.abort(Object.assign(error, { name: `${of}TimeoutError`, code }));
    }, most);
  }

  end(): void {
    clearTimeout(this.timer);
  }
}

/** The callbacks of either generation of undici's handlers. */
function callbacksOf(handler: Handler): Callbacks {
  const call = (name: string, ...args: unknown[]) =>
    (handler[name] as Callback | undefined)?.call(handler, ...(args as never[]));
  if (typeof handler.onRequestStart === "function" || typeof handler.onResponseStart === "function") {
    const controller = {
      paused: false,
      aborted: false,
      reason: null,
      /** What fetch of undici 8 reads in place of the headers that it is given. */
      rawHeaders: [] as readonly Buffer[],
      rawTrailers: [],
      abort: (_?: unknown) => {},
      pause() {},
      resume() {},
    };
    return {
      start: (abort) => {
        controller.abort = (reason) => {
          controller.aborted = true;
          abort(reason);
        };
        call("onRequestStart", controller, {});
      },
      headers: (status, headers) => {
        controller.rawHeaders = rawOf(headers);
        call("onResponseStart", controller, status, Object.fromEntries(headers), "");
      },
      data: (chunk) => call("onResponseData", controller, chunk),
      end: () => call("onResponseEnd", controller, {}),
      error: (error) => call("onResponseError", controller, error),
    };
  }
  return {
    start: (abort) => call("onConnect", abort),
    headers: (status, headers) => call("onHeaders", status, rawOf(headers), () => {}, ""),
    data: (chunk) => call("onData", chunk),
    end: () => call("onComplete", []),
    error: (error) => call("onError", error),
  };
}

/** Names and values by turns, as they come over a socket. */
function rawOf(headers: Headers): Buffer[] {
  return [...headers].flat().map((text) => Buffer.from(text));
}

function headersOf(given: unknown): Headers {
  if (Array.isArray(given)) {
    const headers = new Headers();
    const isPairs = given.every((entry) => Array.isArray(entry));
    for (let i = 0; i < given.length; i += isPairs ? 1 : 2) {
      const [name, value] = isPairs ? (given[i] as [unknown, unknown]) : [given[i], given[i + 1]];
      headers.append(String(name), String(value));
    }
    return headers;
  }
  const headers = new Headers();
  for (const [name, value] of entriesOf(given))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) headers.append(name, String(one));
  return headers;
}

function entriesOf(given: unknown): Iterable<[string, unknown]> {
  if (given === null || typeof given !== "object") return [];
  return Symbol.iterator in given ? (given as Iterable<[string, unknown]>) : Object.entries(given);
}

async function bytesOf(body: unknown): Promise<Uint8Array | undefined> {
  if (body === null || body === undefined) return undefined;
  if (typeof body === "string") return Buffer.from(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (typeof body === "object" && (Symbol.asyncIterator in body || Symbol.iterator in body)) {
    const chunks: Buffer[] = [];
    for await (const chunk of body as AsyncIterable<Uint8Array | string>)
      chunks.push(Buffer.from(chunk as string));
    return Buffer.concat(chunks);
  }
  const { body: bytes } = new Response(body as never);
  return bytes === null ? undefined : new Uint8Array(await new Response(bytes).arrayBuffer());
}
