import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import type { TestLake } from "../../src/testing/test-lake.js";

const base = { platform: "global-news", resource: "article", lang: "en" };
const article = (id: string, captured_at: string, created_at: string | undefined, title: string) => ({
  ...{ ...base, id, captured_at, created_at, data: { title } },
});
/** A capture that is newer than all that the asked platforms have. */
const ELSEWHERE = { platform: "forum", lang: "en", text: "boots", prov: { ts: "2026-05-31T22:58:30Z" } };

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-page-provenance-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe.each(["memory", "disk"])("the capture that an answer names, in %s", (place) => {
  let lake: TestLake;
  beforeAll(async () => {
    lake = await createTestLake({
      records: [
        ELSEWHERE,
        {
          ...{ platform: "sea-marketplace", lang: "en", id: "eco_sea_7", title: "Tea" },
          ...{ price: { current: 8, currency: "EUR" }, prov: { ts: "2026-05-04T10:00:00+08:00" } },
        },
      ],
      raw: [
        article("1", "2026-05-02T00:00:00Z", "2026-05-01T00:00:00Z", "war ends"),
        article("2", "2026-05-03T08:00:00+08:00", "2026-05-01T12:00:00Z", "rain"),
        article("3", "2026-05-20T00:00:00Z", undefined, "war without a date"),
      ],
      limits: "off",
      folder: place === "disk" ? join(dir, "lakes") : undefined,
    });
  });
  afterAll(() => lake?.close());

  it("is the newest of the items that a trend counts", async () => {
    for (const [params, ts] of [
      [{}, "2026-05-03T08:00:00+08:00"],
      [{ q: "WAR" }, "2026-05-02T00:00:00Z"],
      [{ to: "2026-05-01T11:00:00Z" }, "2026-05-02T00:00:00Z"],
      [{ from: "2026-05-01T11:00:00Z" }, "2026-05-03T08:00:00+08:00"],
    ] as const) {
      const { data } = await lake.raw("global-news", "trend", params);
      expect(data?.prov, JSON.stringify(params)).toMatchObject({ ts, source: "global-news/trend" });
    }
  });

  it("is the record's where a price path is made of its price", async () => {
    const { data } = await lake.raw("sea-marketplace", "price-path", { product_id: "7" });
    expect(data?.series).toMatchObject([{ points: [{ current: 8 }] }]);
    expect(data?.prov.ts).toBe("2026-05-04T10:00:00+08:00");
  });

  it("is that of points that tell a price: others, which slices may have, are left out of a price path", async () => {
    const price = { platform: "sea-marketplace", resource: "price", lang: "en" };
    const point = (id: string, parent: string, data: Record<string, string | number>) => ({
      ...{ ...price, id, parent, captured_at: `2026-05-${id}T00:00:00Z`, data },
    });
    const priced = await createTestLake({
      records: [
        {
          ...{ platform: "sea-marketplace", lang: "en", id: "eco_sea_8", title: "Tea" },
          ...{ price: { current: 8, currency: "EUR" }, prov: { ts: "2026-05-04T10:00:00Z" } },
        },
      ],
      raw: [
        point("01", "7", { current: 3, currency: "EUR" }),
        point("02", "7", { currency: "EUR" }),
        point("03", "7", { current: "3", currency: "EUR" }),
        point("05", "7", { current: 3 }),
        point("06", "8", { note: "sold out" }),
      ],
      limits: "off",
      folder: place === "disk" ? join(dir, "priced") : undefined,
    });
    const { data } = await priced.raw("sea-marketplace", "price-path", { product_id: "7" });
    expect(data?.series).toMatchObject([{ points: [{ current: 3, ts: "2026-05-01T00:00:00Z" }] }]);
    expect(data?.series[0]?.points).toHaveLength(1);
    expect(data?.prov.ts).toBe("2026-05-01T00:00:00Z");
    const record = await priced.raw("sea-marketplace", "price-path", { product_id: "8" });
    expect(record.data?.series).toMatchObject([{ points: [{ current: 8 }] }]);
    const window = { product_id: "8", from: "2026-05-01" };
    expect((await priced.raw("sea-marketplace", "price-path", window)).data).toBeNull();
    await priced.close();
  });
});
