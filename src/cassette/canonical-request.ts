import type { Json, JsonObject } from "../contract/json.js";
import type { CassetteRequest } from "./cassette-line.js";

/** A request as it is sent. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** Text of the body; absent or empty for none. */
  readonly body?: string | undefined;
}

/** Canonical form of a request: equal for requests that ask the same, whatever host, headers and order of members. */
export function canonicalRequest({ method, url, body }: SentRequest): CassetteRequest {
  const { pathname, searchParams } = new URL(url, "http://mirrorlake.invalid");
  const query: Record<string, string[]> = {};
  for (const name of [...new Set(searchParams.keys())].sort()) query[name] = searchParams.getAll(name);
  return {
    method: method.toUpperCase(),
    path: pathname.slice(Math.max(0, pathname.lastIndexOf("/v1/"))),
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(body === undefined || body === "" ? {} : { body: sorted(jsonOf(body) ?? body) }),
  };
}

/** Identifies a canonical request. */
export function requestKey(request: CassetteRequest): string {
  const { method, path, query = {}, body = null } = request;
  return JSON.stringify([method, path, query, body]);
}

/** The value of a JSON text; undefined for another text. */
export function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined; // it is kept as text
  }
}

/** The value with the members of objects in order. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member as Json)]));
}
