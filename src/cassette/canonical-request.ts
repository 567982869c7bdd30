import type { CassetteRequest } from "./cassette-line.js";
import {
  doubleOf,
  type ExactJson,
  exactText,
  Members,
  numbersIn,
  plainJson,
  Verbatim,
} from "./exact-json.js";
import { exactJsonOf } from "./parse-exact-json.js";

/** A request as it is sent. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** Text of the body; absent or empty for none. */
  readonly body?: string | undefined;
}

/** A request in canonical form: equal for requests that ask the same, whatever host, headers and order of members. */
export interface CanonicalRequest extends Omit<CassetteRequest, "body"> {
  /** The body: JSON, its members in order, or text where it is none; undefined for none. */
  readonly body: ExactJson | undefined;
}

/** Brings a request into canonical form. */
export function canonicalRequest({ method, url, body }: SentRequest): CanonicalRequest {
  const { pathname, searchParams } = new URL(url, "http://mirrorlake.invalid");
  const names = [...new Set(searchParams.keys())].sort();
  const query = Object.fromEntries(names.map((name) => [name, searchParams.getAll(name)]));
  return {
    method: method.toUpperCase(),
    path: pathname.slice(Math.max(0, pathname.lastIndexOf("/v1/"))),
    query: names.length === 0 ? undefined : query,
    body: body === undefined || body === "" ? undefined : sorted(exactJsonOf(body) ?? body),
  };
}

/** Identifies a canonical request. Numbers are compared by their values: `1.0` is `1`. */
export function requestKey({ method, path, query = {}, body = null }: CanonicalRequest): string {
  return `${JSON.stringify([method, path, query])} ${exactText(byValue(body))}`;
}

/** The request with values of JavaScript, to show. */
export function shownRequest({ method, path, query, body }: CanonicalRequest): CassetteRequest {
  return { method, path, query, body: body === undefined ? undefined : plainJson(body) };
}

/** The body of a request as it is sent again; undefined for none. */
export function sentBody({ body }: CanonicalRequest): string | undefined {
  return body === undefined || typeof body === "string" ? body : exactText(body);
}

/** The value with the members of objects in order. */
function sorted(value: ExactJson): ExactJson {
  if (value instanceof Members) {
    const { entries } = value.map(sorted);
    return new Members([...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  }
  return Array.isArray(value) ? value.map(sorted) : value;
}

/** The value with each number in one way of writing. */
function byValue(value: ExactJson): ExactJson {
  if (value instanceof Members) return value.map(byValue);
  if (value instanceof Verbatim)
    return value.isList ? numbersIn(value).map(numberByValue) : numberByValue(value.text);
  return Array.isArray(value) ? value.map(byValue) : value;
}

function numberByValue(text: string): Verbatim {
  return new Verbatim(String(doubleOf(text) ?? text));
}
