import type { WireRequest } from "../../../src/conformance/rule.js";
import type { EndpointSpec } from "../../../src/contract/service/endpoint.js";
import type { Random } from "./random.js";

/** Keys that a fuzzed request may carry. */
export interface FuzzKeys {
  /** With all scopes. */
  readonly full: string;
  /** With one scope that few endpoints need. */
  readonly narrow: string;
}

/** Values that parsers, databases and type checks have stumbled over. */
const NASTY: readonly unknown[] = [
  "",
  " ",
  "0",
  "-1",
  "1e309",
  "NaN",
  "null",
  "undefined",
  "true",
  "' OR 1=1 --",
  '"); DROP TABLE records; --',
  "../../../../etc/passwd",
  "%00",
  "\u0000",
  "\ud800",
  "\u202e\u0000\ufeff",
  "😀".repeat(300),
  "字".repeat(501),
  "x".repeat(10_000),
  "a b\tc\nd\re",
  '"unbalanced',
  "* ? [ ] ( ) { } ^ $ | \\",
  "𝕊𝕞𝕒𝕣𝕥 ＦＵＬＬ ｗｉｄｔｈ",
  "ما هذا",
  "2026-02-30",
  "2026-05-29T12:00:00Z",
  "9999-12-31T23:59:59+14:00",
  "-000001-01-01",
  "99999999999999999999",
  0,
  -0,
  -1,
  1.5,
  1e21,
  Number.MAX_SAFE_INTEGER + 1,
  Number.MAX_VALUE,
  true,
  false,
  null,
  [],
  [[]],
  [null],
  ["web", "web"],
  Array.from({ length: 500 }, (_, i) => `p${i}`),
  {},
  { $gt: "" },
  { __proto__: null },
];

const NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "",
  " ",
  "limit[]",
  "query.x",
  "cursor",
  "😀",
  "q".repeat(300),
];
const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "get", "QUERY"];
const PATHS = [
  "/v1",
  "/v1/",
  "/v1/search/",
  "/v1//search",
  "/v1/raw",
  "/v1/raw/short-video",
  "/v1/raw/short-video/none",
  "/v1/raw/%2e%2e/video",
  "/v1/raw/short%2Dvideo/video",
  "/v1/raw/short-video%2Fvideo",
  "/v1/%ZZ",
  "/v1/%00",
  `/v1/${"a".repeat(3000)}`,
  "/v1/SEARCH",
  "/v1/constructor",
  "/v1/__proto__",
];
const BODIES = [
  "",
  "{",
  "[]",
  "null",
  '"x"',
  "7",
  '{"query":"a"',
  '{"query":"a",}',
  "{'query':'a'}",
  '\ufeff{"query":"a"}',
];
const TYPES = [
  "application/json",
  "application/json; charset=utf-8",
  "text/plain",
  "application/xml",
  "multipart/form-data",
  "json",
  "",
];

/** One structured random request: mostly near to what some endpoint takes, wrong in a few places or none. */
export function fuzzRequest(random: Random, catalogue: readonly EndpointSpec[], keys: FuzzKeys): WireRequest {
  const endpoint = random.pick(catalogue);
  const params = mutate(random, { ...endpoint.example }, Object.keys(endpoint.params.shape));
  const path = random.chance(0.05) ? random.pick(PATHS) : endpoint.path;
  const method = random.chance(0.06) ? random.pick(METHODS) : endpoint.method;
  const headers = fuzzHeaders(random, keys);
  const hasBody = method !== "GET" && method !== "HEAD" && method !== "get";
  if (endpoint.method === "GET") return { method, path: `${path}${queryText(random, params)}`, headers };
  const query = random.chance(0.03) ? "?limit=3&limit=4" : "";
  if (!hasBody) return { method, path: `${path}${query}`, headers };
  const type = random.chance(0.05) ? random.pick(TYPES) : "application/json";
  return {
    method,
    path: `${path}${query}`,
    headers: { ...headers, "Content-Type": type },
    body: random.chance(0.05) ? random.pick(BODIES) : damage(random, JSON.stringify(params)),
  };
}

function mutate(
  random: Random,
  params: Record<string, unknown>,
  names: readonly string[],
): Record<string, unknown> {
  const changes = random.chance(0.25) ? 0 : 1 + random.below(3);
  const out = params;
  for (let i = 0; i < changes; i++) {
    const name = names.length === 0 || random.chance(0.1) ? random.pick(NAMES) : random.pick(names);
    if (random.chance(0.15)) delete out[name];
    else
      Object.defineProperty(out, name, {
        value: random.pick(NASTY),
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return out;
}

function queryText(random: Random, params: Readonly<Record<string, unknown>>): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(params)) {
    for (const one of Array.isArray(value) ? value.slice(0, 50) : [value]) {
      const text = typeof one === "string" ? one.slice(0, 2000) : JSON.stringify(one);
      pairs.push(`${encode(name)}=${encode(text ?? "")}`);
      if (random.chance(0.03)) pairs.push(`${encode(name)}=${encode(text ?? "")}`);
    }
  }
  if (random.chance(0.02)) pairs.push(random.pick(["&&", "=", "a", "%", "%E0%A4%A", "a=%FF", "+", "?x=1"]));
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()); // lone surrogates become U+FFFD
}

function fuzzHeaders(random: Random, { full, narrow }: FuzzKeys): Record<string, string> {
  if (random.chance(0.04)) return {};
  const key = random.chance(0.04)
    ? narrow
    : random.chance(0.04)
      ? random.pick(["", "x", "ml_".repeat(500)])
      : full;
  return random.chance(0.5)
    ? { "x-api-key": key }
    : { Authorization: `${random.pick(["Bearer", "bearer"])} ${key}` };
}

/** Now and then a text that is cut, or has a character changed. */
function damage(random: Random, text: string): string {
  if (random.chance(0.95) || text.length === 0) return text;
  const at = random.below(text.length);
  return random.chance(0.5)
    ? text.slice(0, at)
    : `${text.slice(0, at)}${random.pick(["}", '"', "\u0000", ","])}${text.slice(at + 1)}`;
}
