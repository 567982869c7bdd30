import { ApiError, ERRORS, type ErrorCode, ResponseError } from "../contract/errors.js";
import type { Envelope } from "../contract/service/envelope.js";
import { retryAfterSeconds } from "../contract/service/retry-after.js";
import type { Ranks } from "../search/fusion.js";
import { vectorNumbers } from "../service/vector-text.js";

/** Characters of a remote's error that are kept. */
const LONGEST_WORDS = 2_000;
const CODES = Object.keys(ERRORS) as readonly ErrorCode[];

/**
 * A successful answer: exactly the envelope (service.md section 2.1). Headers, request id, hint and ranks are not enumerable,
 * so the answer compares and prints as the envelope.
 */
export interface Answer<Data = unknown> extends Envelope<Data> {
  /** Response headers; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Id of the request; same as `request_id`. */
  readonly requestId: string;
  /** A suggestion if the lake has no data for a requested platform, domain or language. */
  readonly hint: string | undefined;
  /**
   * Which ranking found each record of a search, in the order of `data`: ranks from 1, and scores. Undefined for other
   * calls, and for answers that came over a network.
   */
  readonly ranks: readonly Ranks[] | undefined;
  /**
   * Returns the envelope with vectors as plain arrays, for `JSON.stringify`, which writes the same numbers as the service does. A vector
   * alone is written as an array, too.
   */
  toJSON(): Envelope;
}

/** Response of a transport, in process or over a network. Header names may be in any case. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The error behind a 500 or 503, if the service runs in this process. */
  readonly error?: unknown;
  /** Which ranking found each record of a search, if the service runs in this process. */
  readonly ranks?: readonly Ranks[];
}

/**
 * Converts a transport's response to an answer.
 * @throws ApiError for an error envelope, with its `code`
 * @throws ResponseError `server_error` for a 500, `method_not_allowed` for a 405, `unexpected_response` for the rest
 */
export function toAnswer<Data>(response: TransportResponse): Answer<Data> {
  const headers = lowerCased(response.headers);
  if (response.status === 200 && isEnvelope(response.body)) {
    const { request_id, data, meta } = response.body;
    const answer = { request_id, data, meta };
    for (const vector of vectorsOf(data)) Object.defineProperty(vector, "toJSON", AS_NUMBERS);
    Object.defineProperties(answer, {
      headers: { value: headers },
      requestId: { value: request_id },
      hint: { value: hintOf(headers) },
      ranks: { value: response.ranks },
      toJSON: { value: () => ({ request_id, data: withPlainVectors(data), meta }) },
    });
    return answer as Answer<Data>;
  }
  throw toApiError(response, headers) ?? toResponseError(response, headers);
}

/** Maps an unknown code of a remote service to a known code with the same status. */
function toApiError(
  { status, body, error: cause }: TransportResponse,
  headers: Readonly<Record<string, string>>,
): ApiError | undefined {
  if (!isErrorBody(body)) return undefined;
  const { code, message, request_id: requestId } = body.error;
  const known = isErrorCode(code) ? code : CODES.find((candidate) => ERRORS[candidate].status === status);
  if (known === undefined) return undefined;
  const retryAfterS = retryAfterSeconds(headers["retry-after"]);
  const words = clipped(message);
  return new ApiError(known, {
    message: known === code ? words : `${words} (code ${clipped(code)})`,
    requestId: clipped(requestId),
    hint: hintOf(headers),
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
    cause,
  });
}

/** What a remote says in an error, as long as anyone would read it: it can send megabytes. */
function clipped(text: string): string {
  return text.length > LONGEST_WORDS ? `${text.slice(0, LONGEST_WORDS)}…` : text;
}

function toResponseError(
  { status, body, error }: TransportResponse,
  headers: Readonly<Record<string, string>>,
): ResponseError {
  const id = headers["x-request-id"];
  const where = id === undefined ? "" : ` (request ${id})`;
  if (status === 500)
    return new ResponseError("server_error", `The service failed unexpectedly${where}`, {
      value: status,
      remedy: "Nothing was charged. Try again; if it keeps failing, report the cause with the request id.",
      cause: error,
    });
  if (status === 405)
    return new ResponseError("method_not_allowed", "The path does not take this method", {
      value: status,
      remedy: "Use GET or POST as the catalogue says.",
    });
  const kind = typeof body === "string" ? "text" : "a body of another shape";
  return new ResponseError("unexpected_response", `Status ${status} with ${kind}, not an envelope${where}`, {
    value: status,
    remedy: "Check that the base URL is that of the service and that no proxy answers in its place.",
    cause: error,
  });
}

function hintOf(headers: Readonly<Record<string, string>>): string | undefined {
  const text = headers["x-mirrorlake-hint"];
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return text; // not percent-encoded
  }
}

/** How `JSON.stringify` writes a vector: as the service does. It would write an object with a member for each number. */
const AS_NUMBERS: PropertyDescriptor = {
  value(this: Float32Array) {
    return vectorNumbers(this);
  },
};

function vectorsOf(data: unknown): Float32Array[] {
  if (!Array.isArray(data)) return [];
  return data.flatMap((item: unknown) =>
    isObject(item) && item.vec instanceof Float32Array ? [item.vec] : [],
  );
}

function withPlainVectors(data: unknown): unknown {
  if (!Array.isArray(data)) return data;
  return data.map((item: unknown) =>
    isObject(item) && item.vec instanceof Float32Array ? { ...item, vec: vectorNumbers(item.vec) } : item,
  );
}

function isEnvelope(body: unknown): body is Envelope {
  return isObject(body) && typeof body.request_id === "string" && "data" in body && isObject(body.meta);
}

interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly request_id: string };
}

function isErrorBody(body: unknown): body is ErrorBody {
  if (!isObject(body) || !isObject(body.error)) return false;
  const { code, message, request_id } = body.error;
  return [code, message, request_id].every((field) => typeof field === "string");
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
