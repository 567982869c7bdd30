import { TextDecoder } from "node:util";
import type { z } from "zod";
import { ApiError } from "../contract/errors.js";
import { rule, ruleText } from "../contract/rule-text.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { isLocalWindow } from "../contract/service/shared-params.js";
import { paramsHint } from "./params-hint.js";
import { fromText } from "./query-text.js";
import { repeatedMember } from "./repeated-member.js";

/** Largest accepted JSON body, bytes (assumed; the largest specified body is a few kB). */
export const MAX_BODY_BYTES = 262_144;

/** Parameters of a request, before validation. */
export interface RequestParams {
  /** Query parameters: values, or text if `textual` is true. */
  readonly query?: Readonly<Record<string, unknown>>;
  /** The values of `query` are URL text: `"20"` becomes 20 for a number. */
  readonly textual?: boolean;
  /** The body as a value. */
  readonly body?: unknown;
  /**
   * The body as received, truncated to {@link MAX_BODY_BYTES} + 1 bytes; empty for none. It is parsed after
   * authentication, so that a wrong key is reported before malformed JSON.
   */
  readonly bodyBytes?: Uint8Array;
  /** Content type of `bodyBytes`; absent means JSON (assumed). */
  readonly contentType?: string;
  /** Content encoding of `bodyBytes`; absent means none. */
  readonly contentEncoding?: string | undefined;
  /** Lets `freshness` be longer than 90 days, or `all` (decisions.md, "Local extensions"); only for callers in process. */
  readonly maxFreshness?: "unlimited";
}

/**
 * Reads and validates the parameters of a call: the query of a GET, the JSON object body of a POST (service.md section 1).
 * @throws ApiError `invalid_params` with a message that names each parameter and the rule it breaks
 */
export function readParams(
  endpoint: EndpointSpec,
  request: RequestParams,
  pathParams: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const given = endpoint.method === "GET" ? fromQuery(endpoint, request) : fromBody(request);
  for (const name of Object.keys(pathParams)) {
    if (Object.hasOwn(given, name)) throw invalid(rule([name], "unknown parameter"));
  }
  const located =
    Object.keys(pathParams).length === 0 ? given : { ...given, ...fromText(endpoint.params, pathParams) };
  const { freshness } = located;
  const isLong = request.maxFreshness === "unlimited" && isLocalWindow(freshness);
  const { freshness: _, ...others } = located;
  const parsed = endpoint.params.safeParse(isLong ? others : located);
  if (!parsed.success) {
    const hint = paramsHint(parsed.error, located, Object.keys(endpoint.params.shape));
    throw new ApiError("invalid_params", { message: ruleText(parsed.error.issues), hint });
  }
  return isLong ? { ...(parsed.data as object), freshness } : (parsed.data as Record<string, unknown>);
}

function fromQuery(endpoint: EndpointSpec, request: RequestParams): Record<string, unknown> {
  if (request.body !== undefined || (request.bodyBytes?.length ?? 0) > 0)
    throw invalid(rule([], "a GET endpoint takes query parameters, not a body"));
  const query = request.query ?? {};
  if (request.textual === true) return fromText(endpoint.params, query);
  // No URL says an empty list: over HTTP it would be no parameter, so that it is refused here as there.
  for (const [name, value] of Object.entries(query))
    if (Array.isArray(value) && value.length === 0) throw invalid(rule([name], "must not be an empty list"));
  return withoutUndefined(query);
}

function fromBody(request: RequestParams): Record<string, unknown> {
  const stray = Object.keys(request.query ?? {});
  if (stray.length > 0)
    throw invalid(ruleText([{ code: "unrecognized_keys", keys: stray, path: [], message: "" }]));
  const body = request.bodyBytes === undefined ? request.body : parseBody(request.bodyBytes, request);
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw invalid(rule([], "must be a JSON object"));
  return request.bodyBytes === undefined ? withoutUndefined(body) : (body as Record<string, unknown>);
}

function parseBody(bytes: Uint8Array, { contentType, contentEncoding = "" }: RequestParams): unknown {
  if (bytes.length === 0) throw invalid(rule([], "required"));
  if (isEncoded(contentEncoding))
    throw invalid(rule([], `must not be compressed: its Content-Encoding is ${headerWord(contentEncoding)}`));
  if (contentType !== undefined && !isJson(contentType))
    throw invalid(rule([], "Content-Type must be application/json"));
  if (contentType !== undefined && !isUtf8(contentType))
    throw invalid(rule([], "must be in UTF-8, not in the charset of its Content-Type"));
  if (bytes.length > MAX_BODY_BYTES) throw invalid(rule([], `must have at most ${MAX_BODY_BYTES} bytes`));
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    value = JSON.parse(text);
  } catch (cause) {
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
    throw invalid(rule([], `must be valid JSON in UTF-8${isGzip ? ", not compressed" : ""}`), cause);
  }
  const repeated = repeatedMember(text);
  if (repeated !== undefined) throw invalid(rule(repeated, "must be given once"));
  return value;
}

/** Whether a body has an encoding that has to be taken off to read it (RFC 9110 section 8.4). */
export function isEncoded(contentEncoding: string): boolean {
  return contentEncoding.split(",").some((coding) => !/^(?:identity)?$/i.test(coding.trim()));
}

/** A header's value, to be shown. */
function headerWord(value: string): string {
  return JSON.stringify(value.slice(0, 40));
}

/** `application/json` and `application/<anything>+json`, with any parameters. */
function isJson(contentType: string): boolean {
  return /^application\/(?:[a-z0-9!#$&^_.-]+\+)?json\s*(?:;|$)/i.test(contentType.trim());
}

/** Whether the charset of a media type, if it has one, is UTF-8 or the part of it that ASCII is. */
function isUtf8(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
  return charset === undefined || /^(?:utf-?8|(?:us-)?ascii)$/i.test(charset);
}

/** Removes undefined values: in process they mean absent parameters. */
function withoutUndefined(values: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function invalid(message: string, cause?: unknown): ApiError {
  return new ApiError("invalid_params", cause === undefined ? { message } : { message, cause });
}

/** Schema of an endpoint's parameters, as {@link readParams} uses it. */
export type ParamsSchema = z.ZodObject;
