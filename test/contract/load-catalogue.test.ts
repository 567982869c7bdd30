import { describe, expect, test } from "vitest";
import { formatUsd } from "../../src/contract/money.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { loadCatalogue } from "../../src/contract/service/catalogue-file/load-catalogue.js";
import { toFileRow } from "../../src/contract/service/catalogue-file/to-row.js";

const load = (...endpoints: object[]) => loadCatalogue([{ catalogue: 1, endpoints }]);
const row = (rows: ReturnType<typeof loadCatalogue>, id: string) =>
  rows.find((endpoint) => endpoint.id === id)!;

const refusal = (file: unknown): string => {
  try {
    loadCatalogue([file]);
  } catch (error) {
    expect(error).toMatchObject({ name: "UsageError", code: "invalid_catalogue" });
    return (error as Error).message;
  }
  throw new Error("it was taken");
};

const refuses = (endpoint: object): string => refusal({ catalogue: 1, endpoints: [endpoint] });

describe("a row of a platform's own", () => {
  const rows = load({
    id: "raw.grocery-market.price-path",
    operation: "price-path",
    options: { id: "product_id" },
  });
  const path = row(rows, "raw.grocery-market.price-path");

  test("follows from its id and operation", () => {
    expect(rows).toHaveLength(CATALOGUE.length + 1);
    expect(path).toMatchObject({
      method: "GET",
      path: "/v1/raw/grocery-market/price-path",
      platform: "grocery-market",
      resource: "price-path",
      group: "grocery-market",
      scope: "raw:grocery-market",
      capPerSecond: 20,
      freeEligible: false,
      label: "assumed",
    });
    expect(formatUsd(path.price)).toBe("0.001500");
    expect(path.params.parse({ product_id: "7" })).toEqual({ product_id: "7", count: 365 });
    expect(path.params.safeParse({ product_id: "7", extra: 1 }).success).toBe(false);
  });

  test.each([
    ["detail", { resource: "product", id: "sku" }, { sku: "a" }],
    ["list", { resource: "review", parent: "sku" }, { sku: "a", sort: "new" }],
    ["records", {}, { q: "milk" }],
    ["ranking", {}, { by: "drop_7d" }],
    ["trend", { resource: "review" }, { unit: "week" }],
    ["creator", { id: "uid" }, { uid: "a" }],
    ["creator-graph", { id: "uid" }, { uid: "a" }],
  ])("of %s has that operation's parameters", (operation, options, params) => {
    const loaded = row(load({ id: "raw.own.thing", operation, options }), "raw.own.thing");
    expect(loaded.params.safeParse(params).error).toBeUndefined();
    expect(loaded.params.safeParse({ ...params, no_such: 1 }).success).toBe(false);
  });
});

describe("a row that overlays a shipped one", () => {
  test("changes what it says and keeps the rest", () => {
    const before = row([...CATALOGUE], "raw.forum.comments");
    const after = row(
      load({ id: "raw.forum.comments", cap_per_second: 3, price_usd: "0.25" }),
      "raw.forum.comments",
    );
    expect(after).toMatchObject({ ...before, capPerSecond: 3, price: 250_000n });
    expect(after.params).toBe(before.params);
  });

  test("stands where the shipped one stood", () => {
    const rows = load({ id: "raw.forum.comments", cap_per_second: 3 });
    expect(rows.map(({ id }) => id)).toEqual(CATALOGUE.map(({ id }) => id));
  });

  test("may bring parameters as JSON Schema", () => {
    const { params } = row(
      load({
        id: "raw.forum.post",
        params: {
          type: "object",
          properties: {
            post_id: { type: "string", minLength: 2, maxLength: 4, pattern: "^p" },
            parts: { type: "array", items: { $ref: "#/$defs/part" }, uniqueItems: true, maxItems: 2 },
            deep: { type: "boolean", default: false },
          },
          required: ["post_id"],
          $defs: { part: { type: "string", enum: ["text", "links"] } },
        },
      }),
      "raw.forum.post",
    );
    expect(params.parse({ post_id: "p😀" })).toEqual({ post_id: "p😀", deep: false });
    expect(params.parse({ post_id: "p1", parts: ["text"] })).toMatchObject({ parts: ["text"] });
    for (const bad of [
      {},
      { post_id: "p" },
      { post_id: "p2345" },
      { post_id: "x1" },
      { post_id: "p1", parts: ["text", "text"] },
      { post_id: "p1", parts: ["images"] },
      { post_id: "p1", deep: "yes" },
      { post_id: "p1", other: 1 },
    ]) {
      expect(params.safeParse(bad).success, JSON.stringify(bad)).toBe(false);
    }
  });
});

describe("rows as `catalogue list --json` prints them", () => {
  const printed = JSON.parse(JSON.stringify(CATALOGUE.map(toFileRow))) as ReturnType<typeof toFileRow>[];

  test("are the rows that they were printed of, with every rule", () => {
    const rows = load(...printed);
    expect(rows.map(toFileRow)).toEqual(CATALOGUE.map(toFileRow));
    for (const [i, { params, data }] of CATALOGUE.entries()) {
      expect(rows[i]!.params).toBe(params);
      expect(rows[i]!.data).toBe(data);
    }
  });

  test("keep the range of freshness where their parameters are changed", () => {
    const search = printed.find(({ id }) => id === "search")!;
    const { limit, ...others } = (search.params as { properties: Record<string, object> }).properties;
    const changed = { ...search.params, properties: { ...others, limit: { ...limit, maximum: 50 } } };
    const { params } = row(load({ ...search, params: changed }), "search");
    const rules = (freshness: string) =>
      params.safeParse({ query: "tea", limit: 50, freshness }).error?.issues.map(({ message }) => message);
    expect(["1h", "90d"].flatMap(rules)).toEqual([undefined, undefined]);
    expect(["0h", "91d"].map(rules)).toEqual([["must be from 1h to 90d"], ["must be from 1h to 90d"]]);
    expect(params.safeParse({ query: "tea", limit: 51 }).success).toBe(false);
  });

  test("may have windows of their own", () => {
    const freshness = { type: "string", pattern: "^[0-9]+y$" };
    const own = { id: "raw.own.things", operation: "ranking", params: { properties: { freshness } } };
    expect(row(load(own), "raw.own.things").params.safeParse({ freshness: "2y" }).success).toBe(true);
  });
});

test("rows may be removed, and later files overlay earlier ones", () => {
  const rows = loadCatalogue([
    { catalogue: 1, remove: ["raw.forum.replies"] },
    { catalogue: 1, endpoints: [{ id: "search", cap_per_second: 1 }] },
    { catalogue: 1, endpoints: [{ id: "search", cap_per_second: 2 }] },
  ]);
  expect(rows).toHaveLength(CATALOGUE.length - 1);
  expect(row(rows, "search").capPerSecond).toBe(2);
});

describe("errors name the row and the field", () => {
  test.each([
    ["no version", { endpoints: [] }, "catalogue: must be 1, the version of the format"],
    ["unknown member", { catalogue: 1, rows: [] }, "rows: is not known here"],
    ["removal of nothing", { catalogue: 1, remove: ["nothing"] }, "remove[0]: there is no endpoint nothing"],
    ["no object", [], "the file: "],
    [
      "an id twice",
      { catalogue: 1, endpoints: [{ id: "search" }, { id: "search" }] },
      "endpoints[1] (search).id: ",
    ],
  ])("%s", (_name, file, message) => {
    expect(refusal(file)).toContain(message);
  });

  test.each([
    ["bad id", { id: "Search" }, "endpoints[0] (Search).id: must be lower-case"],
    ["new row without operation", { id: "raw.own.thing" }, "(raw.own.thing).operation: is needed"],
    ["unknown operation", { id: "raw.own.thing", operation: "guess" }, "(raw.own.thing).operation: "],
    ["lacking options", { id: "raw.own.thing", operation: "detail" }, "(raw.own.thing).options.resource: "],
    [
      "misspelt option",
      { id: "raw.own.thing", operation: "detail", options: { resource: "post", id: "a", perent: "b" } },
      "(raw.own.thing).options",
    ],
    ["path elsewhere", { id: "search", path: "/v2/search" }, "(search).path: must be a path under /v1"],
    [
      "path of another",
      { id: "search", method: "GET", path: "/v1/account" },
      "GET /v1/account is the path of",
    ],
    ["no path", { id: "mine", operation: "unmapped" }, "(mine).path: is needed"],
    ["no platform", { id: "mine", path: "/v1/mine", operation: "records" }, "(mine).platform: is needed"],
    ["money as a number", { id: "search", price_usd: 0.004 }, "(search).price_usd: "],
    ["too fine money", { id: "search", price_usd: "0.0000001" }, "(search).price_usd: must be USD"],
    ["no cap", { id: "search", cap_per_second: 0 }, "(search).cap_per_second: "],
    ["bad scope", { id: "search", scope: "raw:*" }, "(search).scope: must be"],
    [
      "params that lack an option's parameter",
      { id: "raw.forum.post", params: { type: "object", properties: {} } },
      "(raw.forum.post).options.id: names the parameter post_id",
    ],
    [
      "a path parameter that params lacks",
      { id: "raw.forum.post", path: "/v1/raw/forum/post/{which}" },
      "(raw.forum.post).path: names the parameter which",
    ],
    [
      "a broken pattern",
      { id: "search", params: { type: "object", properties: { q: { type: "string", pattern: "(" } } } },
      "(search).params.properties.q: ",
    ],
    [
      "a reference to nowhere",
      { id: "search", params: { type: "object", properties: { q: { $ref: "#/$defs/none" } } } },
      "(search).params.properties.q: the reference #/$defs/none leads nowhere",
    ],
    [
      "a default that its schema refuses",
      { id: "search", params: { type: "object", properties: { n: { type: "integer", default: "1" } } } },
      "(search).params.properties.n.default: ",
    ],
    ["an example that params refuse", { id: "search", example: { query: "" } }, "(search).example.query: "],
    ["data that cannot be checked", { id: "search", data: { not: { type: "null" } } }, "(search).data: "],
  ])("%s", (_name, endpoint, message) => {
    expect(refuses(endpoint)).toContain(message);
  });
});

describe("a parameter that takes objects", () => {
  const filter = (schema: object, method?: string) => ({
    ...{ id: "mine", path: "/v1/mine", operation: "unmapped", method },
    params: { type: "object", properties: { filter: schema } },
  });
  test.each([
    [{ type: "object" }],
    [{ type: "object", properties: { a: { type: "string" } } }],
    [{ type: "array", items: { type: "object" } }],
  ])("%j is refused where it would stand in a URL", (schema) => {
    expect(refuses(filter(schema))).toContain("endpoints[0] (mine).params.properties.filter");
    expect(row(load(filter(schema, "POST")), "mine").method).toBe("POST");
  });
  test("or text is taken", () => {
    expect(load(filter({ anyOf: [{ type: "string" }, { type: "object" }] }))).toHaveLength(
      CATALOGUE.length + 1,
    );
  });
});
