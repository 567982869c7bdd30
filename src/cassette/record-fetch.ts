import type { z } from "zod";
import { type Clock, systemClock } from "../clock.js";
import { checkOptions, optionsSchema } from "../contract/check-options.js";
import { CallbackOption, ClockOption, CountOption, PathOption } from "../contract/option-schemas.js";
import { type CanonicalRequest, canonicalRequest } from "./canonical-request.js";
import { CassetteWriter } from "./cassette-writer.js";
import { exactJsonOf } from "./parse-exact-json.js";
import { type RecordedBody, RecordedResponse } from "./recorded-call.js";
import { RedactOption, type RedactOptions, Redactor } from "./redact.js";

/** A function like the global `fetch`. */
export type FetchFunction = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Options of {@link recordFetch}. */
export interface RecordOptions {
  /** File of the cassette; calls are appended to one that exists. */
  readonly cassette: string;
  /** What sends the requests; the global `fetch` by default. */
  readonly fetch?: FetchFunction | undefined;
  /** What is taken out beside keys; see {@link RedactOptions}. */
  readonly redact?: RedactOptions | undefined;
  /** Age after which the recordings count as expired, ms; never by default. */
  readonly maxAgeMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** A `fetch` that records. */
export interface RecordingFetch extends FetchFunction {
  /** Waits until every answer is on the disk. */
  close(): Promise<void>;
  /** Calls recorded so far. */
  readonly count: number;
}

const OPTIONS = optionsSchema<RecordOptions>(() => ({
  cassette: PathOption,
  fetch: CallbackOption.optional() as z.ZodType<FetchFunction | undefined>,
  redact: RedactOption.optional(),
  maxAgeMs: CountOption.optional(),
  clock: ClockOption.optional(),
}));

/**
 * Makes a `fetch` that sends requests on and records them with their answers. The key of each request and what else is named is
 * taken out before anything reaches the disk; a key that is a short word or number, such as `test`, where a text says that it is one.
 * Any number of recorders, in any process, may share a cassette.
 * @throws UsageError `invalid_options`, `unwritable_file`; CassetteError `cassette_unreadable` if the file is something else; from the
 * function `cassette_changed` if it was removed or cut meanwhile
 */
export async function recordFetch(options: RecordOptions): Promise<RecordingFetch> {
  checkOptions(OPTIONS, options, "recordFetch");
  const { cassette, clock = systemClock, maxAgeMs } = options;
  const send = options.fetch ?? globalThis.fetch;
  const redactor = new Redactor(options.redact);
  const writer = await CassetteWriter.open(cassette, maxAgeMs);
  const record: FetchFunction = async (input, init) => {
    const request = new Request(input, init);
    redactor.learnKeysOf(request);
    const body = request.body === null ? undefined : await request.clone().text();
    const sent = canonicalRequest({ method: request.method, url: request.url, body });
    const started = clock.now();
    const response = await send(request);
    // A body that breaks off is not recorded: the caller meets the failure itself.
    const bytes = await response
      .clone()
      .arrayBuffer()
      .catch(() => undefined);
    if (bytes === undefined) return response;
    const finished = clock.now();
    await writer.add({
      at: new Date(finished).toISOString(),
      ms: Math.max(0, finished - started),
      request: redactedRequest(sent, redactor),
      response: new RecordedResponse(
        response.status,
        redactor.headers(response.headers),
        redactedBody(new Uint8Array(bytes), redactor),
      ),
    });
    return response;
  };
  return Object.defineProperties(record, {
    close: { value: () => writer.close() },
    count: { get: () => writer.count },
  }) as RecordingFetch;
}

/** A canonical request without secrets. */
export function redactedRequest(request: CanonicalRequest, redactor: Redactor): CanonicalRequest {
  const { method, path, query, body } = request;
  return {
    method,
    path: redactor.text(path),
    query: query === undefined ? undefined : redactor.query(query),
    body: body === undefined ? undefined : redactor.value(body),
  };
}

/** A body without secrets: JSON, text in UTF-8, or bytes. */
function redactedBody(bytes: Uint8Array, redactor: Redactor): RecordedBody {
  const text = textOf(bytes);
  if (text === undefined) return { bytes: redactor.bytes(bytes) };
  const json = exactJsonOf(text.replace(/^\ufeff/, ""));
  return json === undefined ? { text: redactor.text(text) } : { json: redactor.value(json) };
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
