import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import type { RawItem } from "../../src/contract/slice/slice-item.js";
import { loadAdapter } from "../../src/ingest/adapters/load-adapter.js";
import { ingest } from "../../src/ingest/ingest.js";
import { installSlices } from "../../src/lake/install/install-slices.js";

const DATA = fileURLToPath(new URL("../../../shared/data/", import.meta.url));

/** Small collections that hold raw items of many resources. */
const SOURCES = [
  ["social_short_video_native", "short-video-native"],
  ["social_video_community_zh", "video-community"],
  ["emb_azure_products_en", "products-with-vectors"],
  ["web_news_gdelt", "gdelt"],
] as const;

describe.skipIf(!existsSync(DATA))("endpoints over real collections (needs ../shared/data)", () => {
  let dir: string;
  let lake: LakeClient;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "mirrorlake-real-endpoints-"));
    const slices: string[] = [];
    for (const [folder, adapter] of SOURCES) {
      const report = await ingest([join(DATA, folder)], {
        adapter: await loadAdapter(adapter),
        out: join(dir, folder),
        authorSalt: "salt",
        capturedAt: "2026-05-29T12:00:00Z",
      });
      slices.push(...report.slices.map((slice) => slice.dir));
    }
    await installSlices(slices, { lake: join(dir, "lake") });
    lake = await openLake(join(dir, "lake"), { limits: "off", account: "memory" });
  });

  afterAll(async () => {
    await lake?.close();
    await rm(dir, { recursive: true, force: true });
  });

  /** The best item of a resource for which `fits` holds. */
  async function best(
    platform: string,
    resource: string,
    fits: (item: RawItem) => boolean,
  ): Promise<RawItem | undefined> {
    const { items } = await lake.lake.corpus.rawPage({
      platform,
      resource,
      orderBy: "score",
      descending: true,
      offset: 0,
      limit: 500,
    });
    return items.find(fits);
  }

  const answered = [
    ["raw.short-video.video", "video", (item: RawItem) => ({ item_id: item.id })],
    ["raw.short-video.comments", "comment", (item: RawItem) => ({ item_id: item.parent })],
    [
      "raw.short-video.replies",
      "comment",
      (item: RawItem) => item.reply_to && { item_id: item.parent, cid: item.reply_to },
    ],
    ["raw.short-video.creator", "creator", (item: RawItem) => ({ creator_id: item.id })],
    ["raw.short-video.creator", "video", (item: RawItem) => item.author && { creator_id: item.author }],
    [
      "raw.short-video.creator-videos",
      "video",
      (item: RawItem) => item.author && { creator_id: item.author },
    ],
    ["raw.short-video.ranking", "video", () => ({ by: "likes" })],
    ["raw.video-community.video", "video", (item: RawItem) => ({ video_id: item.id })],
    ["raw.video-community.comments", "comment", (item: RawItem) => ({ video_id: item.parent })],
    ["raw.video-community.danmaku", "danmaku", (item: RawItem) => ({ video_id: item.parent })],
    ["raw.video-community.ranking", "video", () => ({ by: "danmaku" })],
    ["raw.global-marketplace.product", "product", (item: RawItem) => ({ product_id: item.id })],
    ["raw.global-marketplace.products", "product", () => ({ q: "boots" })],
    ["raw.global-marketplace.price-path", "price", (item: RawItem) => ({ product_id: item.parent })],
    ["raw.global-news.article", "article", (item: RawItem) => ({ article_id: item.id })],
    ["raw.global-news.articles", "article", () => ({ sort: "sentiment" })],
    ["raw.global-news.trend", "article", () => ({ unit: "day" })],
  ] as const;

  test.each(answered)(
    "%s answers with %s data in the shape of its schema",
    async (id, resource, paramsOf) => {
      const row = CATALOGUE.find((endpoint) => endpoint.id === id)!;
      const item = await best(row.platform!, resource, (candidate) => Boolean(paramsOf(candidate)));
      expect(item).toBeDefined();
      const { data, meta } = await lake.call<string>(id, { ...(paramsOf(item!) as object) });
      expect(meta.empty).toBe(false);
      expect(row.data.safeParse(data).error).toBeUndefined();
    },
  );

  test("a record that a list shows is the thing that the detail shows", async () => {
    const { data } = await lake.raw("global-marketplace", "products", { q: "boots", count: 5 });
    for (const { id, extra } of data.items) {
      const product = await lake.raw("global-marketplace", "product", {
        product_id: String(extra?.source_id),
      });
      expect(product.data?.id).toBe(id);
    }
  });
});
