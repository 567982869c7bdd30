import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../src/client/connect.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { createTestLake, makersFrom } from "../../src/testing.js";
import { plainJson } from "../../src/tools/plain-json.js";
import {
  countTokens,
  readQuoted,
  resolveCitation,
  type Tool,
  toolJsonSchema,
  tools,
} from "../../src/tools.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

let folder: TemporaryLake;
let lake: LakeClient;
let set: ReadonlyMap<string, Tool>;

beforeAll(async () => {
  folder = await temporarySampleLake();
  lake = await openLake(folder.path, { limits: "off" });
  set = new Map(tools(lake).map((tool) => [tool.name, tool]));
});

afterAll(async () => {
  await lake.close();
  await folder.remove();
});

const ask = (name: string, input: object) => set.get(name)!.execute(input);

describe("the set", () => {
  test("has eight tools over a lake, and its list costs at most 2,000 tokens", () => {
    expect([...set.keys()]).toEqual([
      "search",
      "get_item",
      "list_items",
      "get_trend",
      "list_datasets",
      "list_platforms",
      "query_sql",
      "get_account",
    ]);
    const list = [...set.values()].map(({ name, title, description, annotations, ...tool }) => ({
      name,
      title,
      description,
      inputSchema: toolJsonSchema(tool.inputSchema, "input"),
      annotations,
    }));
    expect(countTokens(JSON.stringify(list))).toBeLessThanOrEqual(2_000);
  });

  test("only, exclude and readOnly choose, and a wrong name is refused", () => {
    const names = (options: object) => tools(lake, options).map(({ name }) => name);
    expect(names({ only: ["search", "query_sql"] })).toEqual(["search", "query_sql"]);
    expect(names({ exclude: ["query_sql"], readOnly: true })).toHaveLength(7);
    expect(() => names({ only: ["serach"] })).toThrow(/did you mean/);
    expect(() => names({ tokens: 30_000 })).toThrow(/tokens/);
    expect(() => names({ deadlineMs: 60_000 })).toThrow(/deadlineMs/);
  });
});

test("over a network know the platforms that a lake's slices bring, as over the lake", async () => {
  const shop = { slug: "corner-shop", domain: "ecommerce", code: "cor", name: "Corner shop" } as const;
  const price = { current: 5, currency: "EUR" };
  const news = { slug: "town-news", domain: "web", code: "twn", name: "Town news" } as const;
  const records = [
    { platform: shop.slug, id: "eco_cor_boots-1", lang: "en", title: "Boots", price },
    { platform: news.slug, id: "web_twn_flood", lang: "en", title: "Flood" },
  ];
  await using own = await createTestLake({ records, platforms: [shop, news] });
  const over = async (scopes: readonly string[]) => {
    const { data } = await own.call("account.keys.create", { scopes: [...scopes] });
    return connect({ baseUrl: "https://api.example.com", apiKey: data.api_key, fetch: own.fetch });
  };
  const remote = await over(["*"]);
  const asked = { search: { query: "boots" }, list_platforms: { platform: shop.slug } };
  const about = {
    get_item: { id: "eco_cor_boots-1" },
    list_items: { platform: shop.slug, resource: "products" },
  };
  for (const [name, input] of Object.entries({ ...asked, ...about })) {
    const [local, far] = await Promise.all(
      [own, remote].map((client) =>
        tools(client)
          .find((tool) => tool.name === name)!
          .execute(input),
      ),
    );
    expect(far).toMatchObject({ isError: false, records: local!.records });
  }
  const getItem = (client: LakeClient | typeof remote) =>
    tools(client).find(({ name }) => name === "get_item")!;
  // Of a platform of the web, which no directory names, the citation says enough.
  for (const query of ["boots", "flood"]) {
    const [cited] = (await tools(remote)[0]!.execute({ query })).citations;
    const id = cited!.split(/[/@]/)[1];
    expect(await resolveCitation(remote, cited!)).toMatchObject({ record: { id } });
    expect(await getItem(remote).execute({ id: cited })).toMatchObject({ isError: false, records: [{ id }] });
  }
  // What the directory does not name, or the key may not ask it, is said as before.
  const keys = [remote, await over(["search", "raw:corner-shop"])];
  for (const client of keys)
    expect(await getItem(client).execute({ id: "1", platform: "corner-shpo" })).toMatchObject({
      failure: { code: "unknown_resource" },
    });
});

describe("answers", () => {
  test("of a search have citations, no vector, figures and cost", async () => {
    const answer = await ask("search", { query: "wireless mouse", limit: 3 });
    expect(answer).toMatchObject({ isError: false, structured: { shown: 3, left_out: 0, next: [] } });
    expect(answer.citations).toHaveLength(3);
    expect(answer.text).toContain("balance 100.000000 USD");
    const records = readQuoted(answer.text) as { cite: string; vec?: unknown }[];
    expect(records.map(({ cite }) => cite)).toEqual(answer.citations);
    expect(answer.text).not.toContain('"vec"');
  });

  test("of every list, item and trend of the catalogue answer as its example", async () => {
    for (const row of lake.catalogue) {
      if (row.platform === undefined || row.operation === "unmapped") continue;
      const { platform, resource, example = {} } = row;
      const names: Record<string, unknown> = Object.fromEntries(
        Object.entries(example).map(([name, value]) => [/_id$/.test(name) ? "id" : name, value]),
      );
      const name = ["raw-video", "detail", "creator"].includes(row.operation)
        ? "get_item"
        : ["price-path", "trend"].includes(row.operation)
          ? "get_trend"
          : "list_items";
      const answer = await ask(name, { platform, resource, ...names });
      expect(answer, `${row.id} ${answer.text}`).toMatchObject({ isError: false });
      expect(answer.structured.shown, row.id).toBeGreaterThan(0);
    }
  });

  test("of a record's id, or its citation, are the record that search found", async () => {
    const found = await ask("search", { query: "wireless mouse", limit: 1 });
    const { id } = found.records[0] as { id: string };
    const answer = await ask("get_item", { id });
    expect(answer.records[0]).toMatchObject({ id });
    expect(answer.citations[0]).toBe(found.citations[0]);
    const cited = await ask("get_item", { id: found.citations[0] });
    expect(cited.records).toEqual(answer.records);
    const [post] = (await ask("get_item", { platform: "forum", id: "p1" })).citations;
    expect((await ask("get_item", { id: post })).citations).toEqual([post]);
  });

  test("have citations that lead back to the record or item", async () => {
    for (const [name, input] of [
      ["get_item", { platform: "forum", id: "p1" }],
      ["list_items", { platform: "forum", resource: "comments", id: "p1" }],
      ["search", { query: "wireless mouse", domains: ["ecommerce"], limit: 2 }],
    ] as const) {
      const answer = await ask(name, input);
      for (const [i, text] of answer.citations.entries()) {
        const { record } = await resolveCitation(lake, text);
        const shown = answer.records[i] as { id?: string; cid?: string };
        expect(record).toMatchObject(shown.cid === undefined ? { id: shown.id } : { cid: shown.cid });
      }
    }
    const [text] = (await ask("get_item", { platform: "forum", id: "p1" })).citations;
    expect(await resolveCitation(lake, text!)).toMatchObject({ unchanged: true });
    const other = text!.replace(/#.*/, "#0000");
    expect(await resolveCitation(lake, other)).toMatchObject({ unchanged: false });
    await expect(resolveCitation(lake, "the first one")).rejects.toMatchObject({ code: "invalid_citation" });
  });

  test("of a search resolve unchanged where the platform answers with a structure of its own", async () => {
    const video = makersFrom("cited").aVideo({ text: "A lake at dawn" });
    const record = { platform: "short-video", id: `soc_shv_${video.id}`, lang: "en", text: "A lake at dawn" };
    const own = await createTestLake({ records: [record], raw: [video] });
    try {
      const [text] = (await tools(own)[0]!.execute({ query: "dawn" })).citations;
      const { record: shown, unchanged } = await resolveCitation(own, text!);
      expect(shown).toMatchObject({ id: record.id, author: { unique_id: expect.any(String) } });
      expect(unchanged).toBe(true);
      expect(await resolveCitation(own, text!.replace(/#.*/, "#0000"))).toMatchObject({ unchanged: false });
      const remote = { call: own.call.bind(own), catalogue: own.catalogue };
      expect(await resolveCitation(remote, text!)).toMatchObject({ unchanged: false });
    } finally {
      await own.close();
    }
  });

  test("of a query are its rows, with the call that brings more", async () => {
    const query = "SELECT id FROM records ORDER BY id";
    const first = await ask("query_sql", { query, limit: 2 });
    const [next] = first.structured.next;
    expect(next).toEqual({ tool: "query_sql", arguments: { query, limit: 2, skip: 2 } });
    const second = await ask("query_sql", next!.arguments);
    const rows = await lake.sql(`${query} LIMIT 4`);
    expect([...first.records, ...second.records]).toEqual(rows);
    expect(first.text.startsWith("2 rows.\n")).toBe(true);
    expect((await ask("query_sql", { query, limit: 1 })).text.startsWith("1 row.\n")).toBe(true);
    expect((await ask("query_sql", { query: `${query} LIMIT 0` })).text).toMatch(/^Nothing found: no rows\./);
    expect((await ask("search", { query: "mouse", limit: 1 })).text).toMatch(
      /^1 record for this query, best first, of 1 found/,
    );
  });

  test("of a query have BLOBs as lists of their bytes, however long, and no vector", async () => {
    const query =
      "SELECT '\\x00\\xff'::BLOB AS b, {'in': 'x'::BLOB} AS s, ['y'::BLOB, NULL] AS l, ''::BLOB AS e, repeat('z', 2000)::BLOB AS z";
    const { records } = await ask("query_sql", { query, limit: 1 });
    expect(records[0]).toMatchObject({ b: [0, 255], s: { in: [120] }, l: [[121], null], e: [] });
    expect(plainJson({ z: new Uint8Array(2_000).fill(122) })).toEqual({ z: Array(2_000).fill(122) });
    const vectors = {
      vec: [1],
      of: new Float32Array(2),
      made: Array(1_536).fill(0.5),
      view: new DataView(new ArrayBuffer(2)),
    };
    expect(plainJson(vectors)).toEqual({});
  });
});

describe("what a model can repair is an answer", () => {
  test.each([
    ["search", { q: "mouse" }, /query: required.*q: unknown parameter/],
    ["search", { query: "mouse", freshness: "a week" }, /invalid_params.*freshness/s],
    ["get_item", { id: "1" }, /missing_platform.*short-video/s],
    ["list_items", { platform: "forum", resource: "coments" }, /did you mean.*comments\(id/s],
    ["list_items", { platform: "forum", resource: "post", id: "p1" }, /Ask get_item for post/],
    ["list_items", { platform: "forum", resource: "comments", id: "p1", q: "x" }, /does not take q/],
    ["list_items", { platform: "form", resource: "posts" }, /did you mean.*forum/s],
    ["list_items", { platform: "short-video", resource: "comments" }, /"message":"id: required"/],
    ["get_item", { platform: "short-video", id: "x" }, /"message":"id: must match/],
    ["get_trend", { platform: "global-marketplace" }, /"message":"id: required"/],
    ["query_sql", { query: "DROP TABLE records" }, /sql_refused/],
    ["search", { query: "mouse", part: "/text" }, /invalid_part/],
  ])("%s %o", async (name, input, words) => {
    const answer = await ask(name, input);
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(words);
  });
});

test("null is no value of a parameter: some models write it for what they leave out", async () => {
  const input = { query: "wireless mouse", domains: null, platforms: null, skip: null, part: null, limit: 1 };
  expect(await ask("search", input)).toMatchObject({ isError: false, structured: { shown: 1 } });
  expect((await ask("search", { query: null })).text).toContain("query: required");
  const rows = await ask("query_sql", { query: "SELECT $1 IS NULL AS none", params: [null] });
  expect(rows.text).toContain('{"none":true}');
});

describe("a call", () => {
  test("is cancelled by its signal", async () => {
    const aborted = AbortSignal.abort(new Error("enough"));
    await expect(set.get("search")!.execute({ query: "mouse" }, { signal: aborted })).rejects.toThrow(
      "enough",
    );
    const controller = new AbortController();
    const slow = "SELECT count(*) FROM range(100000000000) a, range(1000000) b";
    const running = set.get("query_sql")!.execute({ query: slow }, { signal: controller.signal });
    controller.abort(new Error("never mind"));
    await expect(running).rejects.toThrow("never mind");
  });

  test("that is late says so, with what there is by then", async () => {
    const never = { ...lake, call: () => new Promise<never>(() => {}) };
    const [search] = tools(never, { only: ["search"], deadlineMs: 5 });
    const late = await search!.execute({ query: "mouse" });
    expect(late).toMatchObject({ isError: true });
    expect(late.text).toMatch(/The time of this call, 0\.005 s, is over/);
    async function* twoRows() {
      yield [{ n: 1 }, { n: 2 }];
      await new Promise(() => {});
    }
    const [sql] = tools({ ...lake, sqlStream: twoRows as never }, { only: ["query_sql"], deadlineMs: 50 });
    const some = await sql!.execute({ query: "SELECT 1" });
    expect(some).toMatchObject({ isError: false, structured: { shown: 2 } });
    expect(some.text).toContain("this is what there was by then");
  });
});
