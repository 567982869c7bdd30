import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { SAMPLE_CALLS, type SampleCall } from "../../src/conformance/sample/sample-calls.js";
import { formatUsd, micros } from "../../src/contract/money.js";
import { CATALOGUE, type EndpointId } from "../../src/contract/service/catalogue.js";
import { copySampleLake } from "../support/sample-lake.js";

let dir: string;
let lake: LakeClient;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-endpoints-"));
  lake = await openLake(await copySampleLake(dir), { limits: "off", account: "memory" });
});

afterAll(async () => {
  await lake?.close();
  await rm(dir, { recursive: true, force: true });
});

const rowOf = (id: EndpointId) => CATALOGUE.find((endpoint) => endpoint.id === id)!;

/** Parameters of the successful call; a key to list or revoke exists only once it has been made. */
async function successOf({ id, success }: SampleCall): Promise<Record<string, unknown>> {
  if (!id.startsWith("account.keys")) return { ...success };
  const { data } = await lake.call("account.keys.create", { name: "of the test", scopes: ["search"] });
  return id === "account.keys.revoke" ? { key_id: data.id } : { ...success };
}

describe.each(SAMPLE_CALLS.map((call) => [call.id, call] as const))("%s", (id, call) => {
  const row = rowOf(id);

  test("answers something, in the shape of its schema, for its price", async () => {
    const answer = await lake.call(id as string, await successOf(call));
    expect(answer.meta.empty, JSON.stringify(answer.data)).toBe(false);
    expect(row.data.safeParse(answer.data).error).toBeUndefined();
    expect(answer.meta.billed || answer.meta.used_free_quota).toBe(row.price > 0n);
  });

  const nothing = call.empty === undefined ? [] : [call.empty];
  test.each(nothing)("answers nothing for %j, in the shape of its schema, for nothing", async (params) => {
    const answer = await lake.call(id as string, { ...params });
    expect(answer.meta).toMatchObject({
      empty: true,
      billed: false,
      charged_usd: "0.000000",
      used_free_quota: false,
    });
    expect(row.data.safeParse(answer.data).error).toBeUndefined();
  });

  test("names the parameter that it refuses", async () => {
    await expect(lake.call(id as string, { ...call.bad.params })).rejects.toMatchObject({
      code: "invalid_params",
      message: expect.stringContaining(call.bad.param),
    });
  });
});

describe("comments", () => {
  const item_id = "7301234567890123456";

  test("are each seen once when paged to the end, in any page size, best liked first", async () => {
    const { data: all } = await lake.raw("short-video", "comments", { item_id, count: 50 });
    for (const count of [1, 7, 20, 50]) {
      const cids: string[] = [];
      const likes: number[] = [];
      for await (const { data } of lake.pages("raw.short-video.comments", { item_id, count })) {
        cids.push(...data.items.map(({ cid }) => cid));
        likes.push(...data.items.map((comment) => comment.likes));
        expect(data.cursor).toBe(cids.length);
        expect(data.has_more).toBe(cids.length < data.total);
      }
      expect(cids).toHaveLength(all.total);
      expect(new Set(cids).size).toBe(all.total);
      expect(likes).toEqual(likes.toSorted((a, b) => b - a));
    }
  });

  test("a page past the end keeps its shape, is empty and free", async () => {
    const { data, meta } = await lake.raw("short-video", "comments", { item_id, cursor: 10_000 });
    expect(data).toMatchObject({ items: [], cursor: 10_000, has_more: false });
    expect(meta).toMatchObject({ empty: true, billed: false });
  });

  test("a page's hash is that of its items", async () => {
    const page = async (cursor: number) =>
      (await lake.raw("short-video", "comments", { item_id, cursor })).data;
    const [first, again, second] = [await page(0), await page(0), await page(20)];
    expect(first.prov.hash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(again).toEqual(first);
    expect(second.prov.hash).not.toBe(first.prov.hash);
  });

  test("have the number of replies that the replies endpoint pages through", async () => {
    const { data } = await lake.raw("short-video", "comments", { item_id, count: 50 });
    const parent = data.items.find(({ reply_count }) => reply_count > 0)!;
    const replies = await lake.raw("short-video", "replies", { item_id, cid: parent.cid });
    expect(replies.data.total).toBe(parent.reply_count);
    const listed = new Set(data.items.map(({ cid }) => cid));
    for (const { cid } of replies.data.items) expect(listed.has(cid)).toBe(false);
  });
});

describe("search", () => {
  test("has vectors and provenance unless records alone are asked for", async () => {
    const params = { query: "lantern", freshness: "90d", limit: 3 };
    const full = await lake.search(params);
    expect(full.data).toHaveLength(3);
    for (const record of full.data) {
      expect(record.vec).toBeInstanceOf(Float32Array);
      expect(record.vec).toHaveLength(1536);
      expect(record.prov?.hash).toMatch(/^0x[0-9a-f]{64}$/);
    }
    expect(full.headers["x-mirrorlake-embedder"]).toBeTruthy();
    const bare = await lake.search({ ...params, format: "records" });
    expect(bare.data.map(({ id }) => id)).toEqual(full.data.map(({ id }) => id));
    for (const record of bare.data) expect(Object.keys(record)).not.toEqual(expect.arrayContaining(["vec"]));
    for (const record of bare.data) expect("prov" in record).toBe(false);
  });

  test("keeps to domains, platforms and freshness; a capture at as-of is inside every window", async () => {
    const { data } = await lake.search({
      query: "lantern",
      domains: ["ecommerce", "web"],
      limit: 100,
      freshness: "1h",
    });
    expect(data.length).toBeGreaterThan(0);
    const asOf = lake.lake.corpus.asOfMs;
    for (const { src, prov } of data) {
      expect(["ecommerce", "web"]).toContain(src);
      expect(Date.parse(prov!.ts)).toBeGreaterThanOrEqual(asOf - 3_600_000);
    }
    expect(data.some(({ prov }) => Date.parse(prov!.ts) === asOf)).toBe(true);
    const ofForum = await lake.search({ query: "lantern", platforms: ["forum"], domains: ["web"] });
    expect(ofForum).toMatchObject({ data: [], meta: { empty: true, billed: false } });
  });
});

describe("generic endpoints", () => {
  test("rankings are in order, ranks go on over pages", async () => {
    for (const by of ["likes", "plays"] as const) {
      const entries: { rank: number; value: number }[] = [];
      for await (const entry of lake.items("raw.short-video.ranking", { by, freshness: "90d", count: 1 }))
        entries.push(entry);
      expect(entries.length).toBeGreaterThan(2);
      expect(entries.map(({ rank }) => rank)).toEqual(entries.map((_, i) => i + 1));
      expect(entries.map(({ value }) => value)).toEqual(
        entries.map(({ value }) => value).toSorted((a, b) => b - a),
      );
    }
    const { data } = await lake.raw("global-marketplace", "ranking", { by: "bsr", freshness: "90d" });
    const ranks = data.items.map(({ value }) => value);
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  });

  test("lists of records find words, and order by a number otherwise", async () => {
    const found = await lake.raw("forum", "posts", { q: "quokka" });
    expect(found.data).toMatchObject({ total: 1, has_more: false });
    const { data } = await lake.raw("sea-marketplace", "products", { sort: "price" });
    const prices = data.items.map(({ price }) => price?.current ?? Number.NaN);
    expect(prices.length).toBeGreaterThan(1);
    expect(prices).toEqual(prices.toSorted((a, b) => a - b));
    const detail = await lake.raw("sea-marketplace", "product", {
      product_id: String(data.items[0]!.extra?.source_id),
    });
    expect(detail.data?.id).toBe(data.items[0]!.id);
  });

  test("a price path is in order of time, newest points first to stay", async () => {
    const params = { product_id: "sku-1" };
    const { data } = await lake.raw("sea-marketplace", "price-path", params);
    const [series] = data!.series;
    const times = series!.points.map(({ ts }) => Date.parse(ts));
    const prices = series!.points.map(({ current }) => current);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect([series!.low, series!.high]).toEqual([Math.min(...prices), Math.max(...prices)]);
    expect(series!.change_pct).toBeCloseTo((prices.at(-1)! / prices[0]! - 1) * 100, 1);
    const last = await lake.raw("sea-marketplace", "price-path", { ...params, count: 2 });
    expect(last.data!.series[0]!.points).toEqual(series!.points.slice(-2));
  });

  test("danmaku and transcripts are in the order of their second", async () => {
    for (const id of ["raw.video-community.danmaku", "raw.long-video.transcript"] as const) {
      const offsets: number[] = [];
      for await (const item of lake.items(id, { video_id: "v1", count: 2 })) offsets.push(item.offset_s);
      expect(offsets.length).toBeGreaterThan(2);
      expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    }
  });

  test("windows of creation bound a list at both ends", async () => {
    const { data: all } = await lake.raw("forum", "comments", { post_id: "p1", sort: "old", count: 50 });
    const [from, to] = [all.items[1]!.created_at, all.items[3]!.created_at];
    const { data } = await lake.raw("forum", "comments", { post_id: "p1", sort: "old", from, to });
    expect(data.items).toEqual(all.items.slice(1, 4));
  });

  test("a trend counts every item once, whatever the unit", async () => {
    const totals = await Promise.all(
      (["hour", "day", "week", "month"] as const).map(async (unit) => {
        const { data } = await lake.raw("microblog", "trend", { unit });
        expect(data!.buckets.reduce((sum, { count }) => sum + count, 0)).toBe(data!.total);
        return data!.total;
      }),
    );
    expect(new Set(totals).size).toBe(1);
  });

  test("a creator's graph has the creator and everyone at the end of an edge", async () => {
    for (const platform of ["creator-market", "short-video"] as const) {
      const { data } = await lake.raw(platform, "creator-graph", { creator_id: "creator-1" });
      const nodes = new Set(data!.nodes.map(({ id }) => id));
      expect(nodes.has("creator-1")).toBe(true);
      for (const { from, to } of data!.edges) expect(nodes.has(from) && nodes.has(to)).toBe(true);
      const weights = data!.edges.map(({ weight }) => weight);
      expect(weights).toEqual(weights.toSorted((a, b) => b - a));
    }
  });

  test("the directory lists social platforms and marketplaces with what they can do", async () => {
    const { data } = await lake.call("datasets.platforms", {});
    expect(data.some(({ domain }) => domain === "web")).toBe(false);
    expect(data.find(({ platform }) => platform === "sea-marketplace")).toMatchObject({
      kind: "marketplace",
      freshness_class: "daily_plus_price",
      access: ["L1", "L2", "MCP"],
      capabilities: ["search", "slices", "product", "products", "reviews", "price-path"],
    });
    const kinds = new Set(data.map(({ kind }) => kind));
    for (const kind of ["video", "messenger public channels", "short video", "long video", "marketplace"])
      expect(kinds).toContain(kind);
  });
});

describe("account endpoints", () => {
  test("a key cannot hand on what it lacks", async () => {
    const { data: weak } = await lake.call("account.keys.create", { scopes: ["account", "search"] });
    const create = (scopes: string[]) =>
      lake.service.call({ method: "POST", path: "/v1/account/keys", body: { scopes }, apiKey: weak.api_key });
    expect(await create(["search"])).toMatchObject({ status: 200 });
    for (const scopes of [["*"], ["datasets"], ["search", "raw:forum"]])
      expect(await create(scopes)).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
  });

  test("a revoked key is listed as such and no longer taken; the secret is in one answer only", async () => {
    const { data: key } = await lake.call("account.keys.create", {
      name: "short-lived",
      scopes: ["account"],
    });
    await lake.call("account.keys.revoke", { key_id: key.id });
    const { data: keys } = await lake.call("account.keys", {});
    expect(keys.find(({ id }) => id === key.id)?.revoked_at).not.toBeNull();
    expect(JSON.stringify(keys)).not.toContain(key.api_key);
    expect(
      await lake.service.call({ method: "GET", path: "/v1/account", apiKey: key.api_key }),
    ).toMatchObject({ status: 401 });
    const { data: good } = await lake.call("account.keys", { include_revoked: false });
    expect(good.some(({ id }) => id === key.id)).toBe(false);
  });

  test("the ledger pages through every entry once, and its last balance is the account's", async () => {
    const seqs: number[] = [];
    let last = "";
    for await (const entry of lake.items("account.ledger", { count: 7 })) {
      seqs.push(entry.seq);
      last = entry.balance_usd;
    }
    expect(seqs).toEqual(seqs.map((_, i) => seqs[0]! + i));
    const { data } = await lake.call("account.show", {});
    expect(last).toBe(data.balance_usd);
  });

  test("usage adds up the same however it is grouped", async () => {
    const window = { to: new Date().toISOString() };
    const spent = async (by: ("day" | "endpoint" | "key")[]) => {
      const { data } = await lake.call("account.usage", { ...window, by });
      return [data.spent_usd, data.items.reduce((sum, { charged }) => sum + charged, 0)];
    };
    expect(await spent(["day"])).toEqual(await spent(["endpoint", "key"]));
  });

  test("a top-up is honoured once a reference", async () => {
    const before = (await lake.call("account.show", {})).data;
    const params = { amount_usd: "2.500000", reference: "twice" };
    const [first, second] = [
      await lake.call("account.topup", params),
      await lake.call("account.topup", params),
    ];
    expect(second.data).toEqual(first.data);
    expect(Number(first.data.balance_usd) - Number(before.balance_usd)).toBeCloseTo(2.5, 6);
    expect(first.data).toMatchObject({ topped_up: true });
  });
});

test("a top-up that is asked again with its request id adds once, with others for itself", async () => {
  const added = async (sent: Record<string, string>, amount_usd: string, reference?: string) => {
    const before = (await lake.account.state()).balance;
    const response = await lake.fetch("https://api.example.com/v1/account/topup", {
      method: "POST",
      headers: { "x-api-key": lake.apiKey, "content-type": "application/json", ...sent },
      body: JSON.stringify({ amount_usd, reference }),
    });
    expect(response.status).toBe(200);
    const { balance } = await lake.account.state();
    const { data } = (await response.json()) as { data: { balance_usd: string } };
    expect(data.balance_usd).toBe(formatUsd(balance));
    return formatUsd(micros(balance - before));
  };
  const sent = { "x-request-id": "topup-1" };
  expect(await added(sent, "3")).toBe("3.000000");
  for (let times = 0; times < 2; times += 1) expect(await added(sent, "3")).toBe("0.000000");
  expect(await added(sent, "4")).toBe("4.000000");
  expect(await added({ "x-request-id": "topup-2" }, "3")).toBe("3.000000");
  for (let times = 0; times < 2; times += 1) expect(await added({}, "3")).toBe("3.000000");
  // A reference counts whatever the id is.
  expect(await added(sent, "3", "invoice of the test")).toBe("3.000000");
  expect(await added({ "x-request-id": "topup-3" }, "3", "invoice of the test")).toBe("0.000000");
});
