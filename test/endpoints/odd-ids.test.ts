import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLake, installSlices, type LakeClient, openLake } from "mirrorlake";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ODD_IDS, ODD_POST, oddSlices } from "../support/odd-ids.js";

const MEMORY = { account: "memory", limits: "off" } as const;
let dir: string;
let lake: LakeClient;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-odd-ids-"));
  await installSlices([await oddSlices(dir)], { lake: join(dir, "lake") });
  lake = await openLake(join(dir, "lake"), MEMORY);
});
afterAll(async () => {
  await lake?.close();
  await rm(dir, { recursive: true, force: true });
});

it.each(Object.entries(ODD_IDS))("an article answers to its own id: %s", async (_, id) => {
  const { data } = await lake.call("raw.global-news.article", { article_id: id });
  expect(data).toMatchObject({ extra: { url: id } });
});

it.each(Object.entries(ODD_IDS))("a comment answers to the cid that its page shows: %s", async (_, id) => {
  const page = await lake.call("raw.forum.comments", { post_id: ODD_POST, count: 50 });
  const { items } = page.data as { items: readonly { cid: string }[] };
  const { cid } = items.find((item) => item.cid === `c:${id}`)!;
  const replies = await lake.call("raw.forum.replies", { post_id: ODD_POST, cid });
  expect(replies.data).toMatchObject({ items: [{ cid: `r:${id}` }], total: 1 });
});

it("an id in its stored form answers too, and one that nothing has is empty", async () => {
  const stored = await lake.call("raw.global-news.article", { article_id: "https://example.com/a%2520b" });
  expect(stored.data).toMatchObject({ extra: { url: ODD_IDS.percent } });
  for (const article_id of ["100% of it", "x".repeat(2000), "\ud800".repeat(200)]) {
    const none = await lake.call("raw.global-news.article", { article_id });
    expect(none.data).toBeNull();
  }
  await expect(lake.call("raw.global-news.article", { article_id: " \t" })).rejects.toThrow(/no space/);
});

it("a record that a program wrote as it is answers to the same id", async () => {
  const path = join(dir, "created");
  const id = `web_gnw_${ODD_IDS.percent}`;
  await createLake(path, [{ platform: "global-news", lang: "en", id, title: "Written" }]);
  const created = await openLake(path, MEMORY);
  try {
    const { data } = await created.call("raw.global-news.article", { article_id: ODD_IDS.percent });
    expect(data).toMatchObject({ id, title: "Written" });
  } finally {
    await created.close();
  }
});
