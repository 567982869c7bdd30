import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import type { TestLake } from "../../src/testing/test-lake.js";

const records = Array.from({ length: 60 }, (_, i) => ({
  platform: "short-video",
  lang: i % 3 === 0 ? "zh-Hans" : "en",
  text: `clip ${i}`,
  metrics: i % 2 === 0 ? { likes: 5 } : { plays: i },
}));

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-ranking-totals-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe.each(["memory", "disk"])("a ranking of records of which half have the number, in %s", (place) => {
  let lake: TestLake;
  beforeAll(async () => {
    lake = await createTestLake({
      records,
      limits: "off",
      folder: place === "disk" ? join(dir, "lakes") : undefined,
    });
  });
  afterAll(() => lake?.close());

  it("has one total on every page, and ends where it says", async () => {
    for (const [params, total] of [
      [{ by: "plays" }, 30],
      [{ by: "plays", lang: "zh" }, 10],
      [{ by: "likes", freshness: "90d" }, 30],
      [{ by: "saves" }, 0],
    ] as const) {
      for (const [count, cursor] of [[20], [20, 20], [10, 20], [30], [30, 30], [50], [1, 9]] as const) {
        const { data } = await lake.raw("short-video", "ranking", { ...params, count, cursor });
        const left = Math.max(0, total - (cursor ?? 0));
        expect(data.items).toHaveLength(Math.min(count, left));
        expect(data).toMatchObject({ total, has_more: left > count });
      }
    }
  });

  it("asks for no page after the last", async () => {
    let pages = 0;
    for await (const { data } of lake.pages("raw.short-video.ranking", { by: "plays", count: 30 })) {
      pages += 1;
      expect(data.items).toHaveLength(30);
    }
    expect(pages).toBe(1);
  });
});
