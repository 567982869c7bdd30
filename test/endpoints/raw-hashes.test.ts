import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RawVideo } from "../../src/contract/service/raw.js";
import {
  createLake,
  installSlices,
  type LakeClient,
  openLake,
  recordHash,
  removeRecords,
} from "../../src/index.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import { EMBEDDER, QUICK, write } from "../evolution/support.js";

const KEPT = `0x${"ab".repeat(32)}`;
const ts = "2026-05-20T12:00:00Z";
const ARTICLE = { id: "web_gnw_1", platform: "global-news", lang: "en", title: "Bridge", prov: { ts } };
const POST = { id: "soc_frm_1", platform: "forum", lang: "en", text: "bridge", extra: { source_id: "1" } };
const VIDEO_RECORD = {
  ...{ id: "soc_shv_6762129672735034629", platform: "short-video", lang: "en", text: "bridge" },
  ...{ author: { uid_hash: "u1", followers: 3 }, metrics: { likes: 5, views: 9 }, prov: { ts } },
  ...{ comment_thread: ["Fine"], extra: { topic: "bridges", published_at: "long ago", stock: 1 } },
};
const video = (id: string, hash?: string) => {
  const data = {
    ...{ id: `soc_shv_${id}`, src: "social", platform: "short-video", lang: "en", text: "tea" },
    ...{ author: { uid_hash: "u2" }, metrics: { likes: 7, comments: 1, shares: 2, plays: 90 } },
    ...{ extra: { source_id: id }, prov: { ts, source: "made" } },
  };
  return {
    ...{ platform: "short-video", resource: "video", id, lang: "en", score: 7, captured_at: ts },
    data: { ...data, prov: { ...data.prov, hash: hash ?? recordHash(data as never) } },
  };
};
const COMPUTED = video("7000000000000000001");
const OWN = video("7000000000000000002", KEPT);

let dir: string;
let path: string;
let lake: LakeClient;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-raw-hashes-"));
  path = join(dir, "lake");
  await createLake(path, [ARTICLE, POST, VIDEO_RECORD, COMPUTED, OWN] as never, QUICK);
  lake = await openLake(path, { embedder: EMBEDDER, account: "memory", limits: "off" });
});
afterAll(async () => {
  await lake?.close();
  await rm(dir, { recursive: true, force: true });
});

type Shown = { readonly id: string; readonly prov: { readonly hash: string } };
const hashOf = (shown: unknown) => recordHash(shown as never);
const one = async (id: string, params: object, of: Pick<LakeClient, "call"> = lake) => {
  const { data, headers } = await of.call(id as "raw.forum.post", params as { post_id: string });
  return { data: data as unknown as Shown, unknown: headers["x-mirrorlake-unknown"] };
};

describe("the hash of a raw answer", () => {
  it("is that of what the answer shows, whether a record or a raw item is behind it", async () => {
    const { data: page } = await lake.call("raw.global-news.articles", {});
    const [article] = (page as unknown as { items: Shown[] }).items;
    expect(article).toMatchObject({ extra: { source_id: "1" } });
    expect(article!.prov.hash).toBe(hashOf(article));
    for (const [id, params] of [
      ["raw.global-news.article", { article_id: "1" }],
      ["raw.forum.post", { post_id: "1" }],
      ["raw.short-video.video", { item_id: "6762129672735034629" }],
      ["raw.short-video.video", { item_id: COMPUTED.id }],
    ] as const) {
      const { data } = await one(id, params);
      expect(data.prov.hash, id).toBe(hashOf(data));
    }
  });

  it("is in a search that of the record, as before", async () => {
    for (const record of (await lake.search({ query: "bridge", freshness: "90d" })).data)
      expect(record.prov!.hash).toBe(hashOf(record));
  });

  it("stays where the source has hashes of its own", async () => {
    expect((await one("raw.short-video.video", { item_id: OWN.id })).data.prov.hash).toBe(KEPT);
    const own = join(dir, "own");
    const rows = [{ ...ARTICLE, prov: { ts, hash: KEPT } }];
    await createLake(own, rows as never, { ...QUICK, hashes: "keep" });
    const open = await openLake(own, { embedder: EMBEDDER, account: "memory" });
    expect((await one("raw.global-news.article", { article_id: "1" }, open)).data.prov.hash).toBe(KEPT);
    await open.close();
  });

  it("is the same in memory and through lake.fetch", async () => {
    const memory = await createTestLake({ records: [ARTICLE], raw: [] });
    const { data } = await one("raw.global-news.article", { article_id: "1" });
    expect((await one("raw.global-news.article", { article_id: "1" }, memory)).data.prov.hash).toBe(
      data.prov.hash,
    );
    await memory.close();
    const response = await lake.fetch("https://api.example.com/v1/raw/global-news/article?article_id=1", {
      headers: { "x-api-key": lake.apiKey },
    });
    const { data: fetched } = (await response.json()) as { data: Shown };
    expect(fetched.prov.hash).toBe(data.prov.hash);
  });
});

describe("the raw video of a record without a raw item", () => {
  it("is the record in the shape of a raw video", async () => {
    const { data, unknown } = await one("raw.short-video.video", { item_id: "6762129672735034629" });
    expect(RawVideo.parse(data)).toEqual(data);
    expect(data).toMatchObject({
      author: { uid_hash: "u1", followers: 3 },
      metrics: { likes: 5, comments: 0, shares: 0, saves: 0, plays: 0 },
      extra: { source_id: "6762129672735034629", topic: "bridges" },
      prov: { source: "short-video/video" },
    });
    expect(unknown).toBe("metrics.comments,metrics.shares,metrics.saves,metrics.plays");
    expect((await lake.call("raw.short-video.video", { item_id: "999999999999999999" })).data).toBeNull();
  });
});

describe("a number that a raw video does not have", () => {
  it("is 0, named in a header", async () => {
    for (const { id } of [COMPUTED, OWN]) {
      const { data, unknown } = await one("raw.short-video.video", { item_id: id });
      expect(data).toMatchObject({ metrics: { likes: 7, comments: 1, shares: 2, saves: 0, plays: 90 } });
      expect(unknown).toBe("metrics.saves");
    }
  });
});

describe("a takedown by the hash that a raw answer shows", () => {
  it("takes down what the answer shows", async () => {
    const shown = [
      await one("raw.global-news.article", { article_id: "1" }),
      await one("raw.short-video.video", { item_id: "6762129672735034629" }),
      await one("raw.short-video.video", { item_id: COMPUTED.id }),
      await one("raw.short-video.video", { item_id: OWN.id }),
    ];
    const targets = shown.map(({ data }) => ({ kind: "hash", hash: data.prov.hash }) as const);
    const copy = join(dir, "removed");
    await createLake(copy, [ARTICLE, POST, VIDEO_RECORD, COMPUTED, OWN] as never, QUICK);
    const { hidden } = await removeRecords(targets, { lake: copy, reason: "asked for" });
    expect(hidden).toMatchObject({ records: 2, raw: 2 });
    const open = await openLake(copy, { embedder: EMBEDDER, account: "memory" });
    expect((await open.search({ query: "bridge", freshness: "90d" })).data.map(({ id }) => id)).toEqual([
      "soc_frm_1",
    ]);
    await open.close();
  });

  it("finds a product whose hash follows from its price points, by each of its hashes", {
    tags: "slow",
  }, async () => {
    const price = (at: string, current: number) => ({
      ...{
        platform: "global-marketplace",
        resource: "price",
        id: at,
        parent: "1",
        lang: "es",
        captured_at: at,
      },
      data: { ts: at, current, currency: "EUR" },
    });
    const product = {
      ...{ id: "eco_glm_1", platform: "global-marketplace", lang: "es", title: "Leche" },
      ...{ price: { current: 8, currency: "EUR" }, prov: { ts: "2026-05-31T00:00:00Z" } },
    };
    const rows = [product, price("2026-05-27T00:00:00Z", 10), price("2026-05-31T00:00:00Z", 8)];
    const hashes = { search: "", raw: "" };
    for (const name of ["search", "raw"] as const) {
      const copy = join(dir, `product-${name}`);
      await createLake(copy, rows as never, QUICK);
      const open = await openLake(copy, { embedder: EMBEDDER, account: "memory" });
      const [found] = (await open.search({ query: "leche", freshness: "90d" })).data;
      expect(found!.price!.drop_7d).toBe(-20);
      hashes.search = found!.prov!.hash;
      hashes.raw = (await one("raw.global-marketplace.product", { product_id: "1" }, open)).data.prov.hash;
      await open.close();
      const target = { kind: "hash", hash: hashes[name] } as const;
      const { hidden } = await removeRecords([target], { lake: copy, reason: "asked for" });
      expect(hidden.records, name).toBe(1);
    }
    expect(hashes.search).not.toBe(hashes.raw);
  });

  it("takes it down in slices that are installed later, too", { tags: "slow" }, async () => {
    const { data } = await one("raw.global-news.article", { article_id: "1" });
    const later = join(dir, "later");
    await createLake(later, [POST] as never, QUICK);
    const target = { kind: "hash", hash: data.prov.hash } as const;
    await removeRecords([target], { lake: later, reason: "asked for" });
    const record = { ...ARTICLE, src: "web", prov: { ts, hash: recordHash({ ...ARTICLE, src: "web" }) } };
    const slices = await write(join(dir, "slices"), [{ kind: "record", record } as never]);
    const report = await installSlices(slices, { lake: later, ...QUICK });
    expect(report).toMatchObject({ records: { added: 0 } });
  });
});
