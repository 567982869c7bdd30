import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import { makersFrom } from "../../src/testing/makers.js";
import type { TestLake } from "../../src/testing/test-lake.js";

/** Rows whose members stand in another order than a lake has them. */
const RECORDS = [
  {
    text: "boots",
    prov: { source: "test", ts: "2026-01-14T04:00:00Z" },
    extra: { zeta: ["b", "a"], topic: "walking", note_type: "normal" },
    metrics: { views: 3, likes: 2 },
    author: { followers: 5, uid_hash: "0x1" },
    entities: ["boots"],
    title: "Boots",
    lang: "en",
    platform: "forum",
  },
  {
    price: { drop_7d: -3, currency: "USD", current: 7.5 },
    text: "boots for sale",
    lang: "en",
    metrics: { bsr: 9, rating: 4.5 },
    platform: "global-marketplace",
  },
];
const VIDEO = makersFrom("bytes").aVideo();
const RAW = [{ ...VIDEO, data: Object.fromEntries(Object.entries(VIDEO.data as object).reverse()) }];

test("a lake in memory answers with the bytes of one in a folder, whatever the order of members in its rows", async () => {
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-bytes-"));
  const rows = { records: RECORDS, raw: RAW, limits: "off" } as unknown as Parameters<
    typeof createTestLake
  >[0];
  await using memory = await createTestLake(rows);
  await using folder = await createTestLake({ ...rows, folder: dir });
  const answers = async (lake: TestLake) => {
    const { data } = await lake.search({ query: "boots", format: "records" }, { omit: ["vec"] });
    const byId = [...data].sort((a, b) => (a.id < b.id ? -1 : 1));
    const video = await lake.raw("short-video", "video", { item_id: VIDEO.id! });
    return JSON.stringify([byId, video.data]);
  };
  const wanted = await answers(folder);
  expect(wanted).toContain('"boots for sale"');
  expect(await answers(memory)).toBe(wanted);
  await rm(dir, { recursive: true, force: true });
});
