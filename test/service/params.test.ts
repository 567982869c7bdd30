import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../src/contract/json.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { paramsFromJson } from "../../src/contract/service/catalogue-file/schema-from-json.js";
import { defineEndpoint } from "../../src/contract/service/endpoint.js";
import { queryOf } from "../../src/service/query-text.js";
import { MAX_BODY_BYTES, type RequestParams, readParams } from "../../src/service/read-params.js";

const endpoint = (id: string) => CATALOGUE.find((row) => row.id === id)!;
const item_id = "7301234567890123456";

function messageOf(id: string, request: RequestParams): string {
  try {
    readParams(endpoint(id), request, {});
  } catch (error) {
    expect(error).toMatchObject({ name: "ApiError", code: "invalid_params", status: 400 });
    return (error as Error).message;
  }
  return "accepted";
}

const query = (text: string): RequestParams => ({ query: queryOf(new URLSearchParams(text)), textual: true });
const body = (text: string, contentType?: string): RequestParams => ({
  bodyBytes: Buffer.from(text),
  contentType,
});

test.each([
  ["", "item_id: required"],
  ["item_id=", "item_id: must match ^[0-9]{15,20}$"],
  ["item_id=12", "item_id: must match ^[0-9]{15,20}$"],
  [`item_id=${item_id}&item_id=${item_id}`, "item_id: must be given once"],
  [`item_id=${item_id}&count=0`, "count: must be at least 1"],
  [`item_id=${item_id}&count=51`, "count: must be at most 50"],
  [`item_id=${item_id}&count=`, "count: must be a number"],
  [`item_id=${item_id}&count=2.5`, "count: must be an integer"],
  [`item_id=${item_id}&count=1e1`, "accepted"],
  [`item_id=${item_id}&count=1e-7`, "count: must be an integer"],
  [`item_id=${item_id}&count=1e999`, "count: must be a number"],
  [`item_id=${item_id}&count=1e`, "count: must be a number"],
  [`item_id=${item_id}&count=%2020`, "count: must be a number"],
  [`item_id=${item_id}&count=0x10`, "count: must be a number"],
  [`item_id=${item_id}&count=+5`, "count: must be a number"],
  [`item_id=${item_id}&count=true`, "count: must be a number"],
  [`item_id=${item_id}&cursor=-1`, "cursor: must be at least 0"],
  [`item_id=${item_id}&cursor=99999999999999999999`, "cursor: must be an integer from -2^53 to 2^53"],
  [`item_id=${item_id}&colour=red`, "colour: unknown parameter"],
  [`item_id=${item_id}&__proto__=1`, "__proto__: unknown parameter"],
  [
    `item_id=${item_id}&constructor=1&toString=2`,
    "constructor: unknown parameter; toString: unknown parameter",
  ],
  [`item_id=${item_id}&=1`, ": unknown parameter"],
  [`item_id=${item_id}&count=9&cursor=3`, "accepted"],
])("comments?%s: %s", (text, message) => {
  expect(messageOf("raw.short-video.comments", query(text))).toBe(message);
});

test.each([
  ["", "body: required"],
  ["{", "body: must be valid JSON in UTF-8"],
  ["null", "body: must be a JSON object"],
  ["[]", "body: must be a JSON object"],
  ['"x"', "body: must be a JSON object"],
  ["{}", "query: required"],
  ['{"query":null}', "query: must be a string"],
  ['{"query":7}', "query: must be a string"],
  ['{"query":["a"]}', "query: must be a string"],
  ['{"query":""}', "query: must have 1 to 500 characters"],
  ['{"query":"a","limit":0}', "limit: must be at least 1"],
  ['{"query":"a","limit":"20"}', "limit: must be a number"],
  ['{"query":"a","limit":1.5}', "limit: must be an integer"],
  ['{"query":"a","limit":null}', "limit: must be a number"],
  ['{"query":"a","domains":"social"}', "domains: must be an array"],
  ['{"query":"a","domains":["social","social"]}', "domains: must not repeat an item"],
  ['{"query":"a","domains":["social","news"]}', "domains[1]: must be one of social, ecommerce, web"],
  ['{"query":"a","freshness":"24"}', "freshness: must match ^[0-9]+(h|d)$, as in 24h or 7d"],
  ['{"query":"a","freshness":"91d"}', "freshness: must be from 1h to 90d"],
  ['{"query":"a","freshness":"0h"}', "freshness: must be from 1h to 90d"],
  ['{"query":"a","format":"vectors"}', "format: must be one of records, vectors+provenance"],
  ['{"query":"a","__proto__":{}}', "__proto__: unknown parameter"],
  ['{"query":"a","a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}', /^a: unknown.*; and 2 more$/],
  ['{"query":"a","limit":3,"limit":4}', "limit: must be given once"],
  ['{"query":"a","\\u0071uery":"a"}', "query: must be given once"],
  ['{"query":"a","domains":[{"x":1},{"y":{"z":1,"z":1}}]}', "domains[1].y.z: must be given once"],
  ['{"query":"\\"limit\\":1,","limit":4}', "accepted"],
  ['{"__proto__":1,"query":"a","__proto__":1}', "__proto__: must be given once"],
  ['{"query":"a"}', "accepted"],
])("search %s: %s", (text, message) => {
  if (typeof message === "string") expect(messageOf("search", body(text))).toBe(message);
  else expect(messageOf("search", body(text))).toMatch(message);
});

test.each([
  ["application/json", "accepted"],
  ["application/json; charset=utf-8", "accepted"],
  ['application/json;charset="UTF-8"; x=y', "accepted"],
  ["application/json; Charset=utf8", "accepted"],
  ["application/json; charset=us-ascii", "accepted"],
  ["application/json; charset=", "accepted"],
  ["application/json; charset=utf-16", "body: must be in UTF-8, not in the charset of its Content-Type"],
  [
    "application/json; x=y; CHARSET = 'latin1'",
    "body: must be in UTF-8, not in the charset of its Content-Type",
  ],
  ["Application/JSON", "accepted"],
  ["application/problem+json", "accepted"],
  ["text/plain;charset=UTF-8", "body: Content-Type must be application/json"],
  ["application/jsonp", "body: Content-Type must be application/json"],
  ["", "body: Content-Type must be application/json"],
])("content type %s: %s", (type, message) => {
  expect(messageOf("search", body('{"query":"a"}', type))).toBe(message);
});

test.each([
  ["identity", "accepted"],
  ["", "accepted"],
  [" Identity, identity", "accepted"],
  ["gzip", 'body: must not be compressed: its Content-Encoding is "gzip"'],
  ["identity, br", 'body: must not be compressed: its Content-Encoding is "identity, br"'],
])("content encoding %s: %s", (contentEncoding, message) => {
  expect(messageOf("search", { ...body('{"query":"a"}'), contentEncoding })).toBe(message);
});

test("a body that is too long, or no UTF-8, is refused", () => {
  expect(messageOf("search", body(`{"query":"a"${" ".repeat(MAX_BODY_BYTES)}}`))).toBe(
    `body: must have at most ${MAX_BODY_BYTES} bytes`,
  );
  expect(messageOf("search", { bodyBytes: Buffer.from([0x22, 0xff, 0x22]) })).toBe(
    "body: must be valid JSON in UTF-8",
  );
  expect(messageOf("search", { bodyBytes: gzipSync('{"query":"a"}') })).toBe(
    "body: must be valid JSON in UTF-8, not compressed",
  );
});

test("a query of 500 characters is taken and one of 501 is not, counted in code points", () => {
  for (const character of ["a", "字", "😀"]) {
    expect(messageOf("search", { body: { query: character.repeat(500) } })).toBe("accepted");
    expect(messageOf("search", { body: { query: character.repeat(501) } })).toBe(
      "query: must have 1 to 500 characters",
    );
  }
});

test("parameters in the wrong place are refused", () => {
  expect(messageOf("search", { body: { query: "a" }, query: { limit: "3" } })).toBe(
    "limit: unknown parameter",
  );
  expect(
    messageOf("raw.short-video.video", { ...query(`item_id=${item_id}`), bodyBytes: Buffer.from("{}") }),
  ).toBe("body: a GET endpoint takes query parameters, not a body");
});

test("a value is given in process as a value; one that is undefined is not given", () => {
  const given = { item_id, count: 7, cursor: undefined };
  expect(readParams(endpoint("raw.short-video.comments"), { query: given }, {})).toEqual({
    item_id,
    count: 7,
    cursor: 0,
  });
  expect(messageOf("raw.short-video.comments", { query: { item_id, count: "7" } })).toBe(
    "count: must be a number",
  );
});

test("text of a URL becomes booleans and lists where the endpoint takes them", () => {
  const row = defineEndpoint({
    id: "x",
    group: "g",
    method: "GET",
    path: "/v1/x/{name}",
    operation: "x",
    scope: "search",
    price: "0",
    summary: "",
    params: z.strictObject({
      name: z.string(),
      hot: z.boolean().default(false),
      tags: z.array(z.string()).optional(),
      sizes: z.array(z.number().int()).optional(),
      ratio: z.number().nullable().optional(),
    }),
    data: z.null(),
  });
  const read = (text: string) => readParams(row, query(text), { name: "n" });
  expect(read("hot=true&tags=a&tags=b&sizes=3&ratio=-0.5")).toEqual({
    name: "n",
    hot: true,
    tags: ["a", "b"],
    sizes: [3],
    ratio: -0.5,
  });
  expect(() => read("hot=1")).toThrow("hot: must be a boolean");
  expect(() => read("sizes=x")).toThrow("sizes[0]: must be a number");
  expect(() => read("name=other")).toThrow("name: unknown parameter");
});

describe("text of a URL for parameters described by JSON Schema", () => {
  const properties: JsonObject = {
    orNull: { anyOf: [{ type: "integer", minimum: 1, maximum: 9 }, { type: "null" }] },
    types: { type: ["integer", "null"] },
    listed: { type: "integer", enum: [1, 2] },
    reference: { $ref: "#/$defs/Size" },
    all: { allOf: [{ $ref: "#/$defs/Size" }], default: 1 },
    both: { allOf: [{ type: "integer" }, { enum: [1, 2] }] },
    exact: { type: "integer", const: 5 },
    yes: { const: true },
    flag: { anyOf: [{ type: "boolean" }, { type: "null" }] },
    texts: { anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }] },
    sizes: { anyOf: [{ type: "array", items: { $ref: "#/$defs/Size" } }, { type: "null" }] },
    oneOrMore: { anyOf: [{ type: "integer" }, { type: "array", items: { type: "integer" } }] },
    either: { oneOf: [{ type: "integer" }, { type: "string" }] },
    mixed: { enum: ["a", 1, true, null] },
  };
  const params = paramsFromJson({
    type: "object",
    properties,
    $defs: { Size: { type: "integer", enum: [1, 2, 3] } },
  });
  const row = defineEndpoint({
    id: "x",
    group: "g",
    method: "GET",
    path: "/v1/x",
    operation: "x",
    scope: "search",
    price: "0",
    summary: "",
    params,
    data: z.null(),
  });
  const read = (text: string) => readParams(row, query(text), {});

  test.each([
    ["orNull=2", { orNull: 2 }],
    ["types=2", { types: 2 }],
    ["listed=1", { listed: 1 }],
    ["listed=2", { listed: 2 }],
    ["reference=3", { reference: 3 }],
    ["all=2", { all: 2 }],
    ["both=2", { both: 2 }],
    ["exact=5", { exact: 5 }],
    ["yes=true", { yes: true }],
    ["flag=false", { flag: false }],
    ["texts=x", { texts: ["x"] }],
    ["texts=1&texts=true", { texts: ["1", "true"] }],
    ["sizes=1&sizes=3", { sizes: [1, 3] }],
    ["oneOrMore=1", { oneOrMore: 1 }],
    ["oneOrMore=1&oneOrMore=2", { oneOrMore: [1, 2] }],
    ["either=3", { either: "3" }],
    ["mixed=a", { mixed: "a" }],
    ["mixed=1", { mixed: 1 }],
    ["mixed=true", { mixed: true }],
  ])("%s is the value that it stands for", (text, values) => {
    expect(read(text)).toEqual({ all: 1, ...values });
  });

  test.each([
    ["orNull=10", "orNull: must be at most 9"],
    ["orNull=x", "orNull: must be a number"],
    ["orNull=1&orNull=2", "orNull: must be given once"],
    ["listed=3", "listed: must be one of 1, 2"],
    ["listed=x", "listed: must be one of 1, 2"],
    ["exact=6", "exact: must be 5"],
    ["sizes=1&sizes=4", "sizes[1]: must be one of 1, 2, 3"],
    ["flag=1", "flag: must be a boolean"],
    ["mixed=b", "mixed: must be one of a, 1, true, null"],
  ])("%s is refused", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});

test("long names are cut and values are never echoed", () => {
  const message = messageOf("search", { body: { query: "a", ["x".repeat(5000)]: "secret" } });
  expect(message.length).toBeLessThan(100);
  expect(message).not.toContain("secret");
});
