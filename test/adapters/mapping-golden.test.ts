import { describe, expect, it } from "vitest";
import { loadAdapter } from "../../src/ingest/adapters/load-adapter.js";
import { convertFolder, convertValues, golden, lines, sortOut } from "./support.js";

describe("mapping files, on invented data", () => {
  it("a forum: types, enumerations, times and zones, lists, templates, rejects by field", async () => {
    const adapter = await loadAdapter(golden("forum/mapping.json"));
    const converted = await convertFolder(adapter, golden("forum"), { capturedAt: undefined as never });
    await expect(lines(converted)).toMatchFileSnapshot(golden("forum/expected.jsonl"));
    const { records, rejects, unused } = sortOut(converted);
    // Every row has one fate.
    expect(records.length + rejects.length + unused.length).toBe(13);
    expect(rejects.map(({ line, field }) => [line, field])).toEqual([
      [4, "author.uid_hash"],
      [5, "stats"],
      [6, "lang"],
      [7, "prov.ts"],
      [8, "metrics.likes"],
      [9, "metrics.comments"],
      [10, "aroma"],
      [11, "id"],
      [12, "prov.ts"],
      [13, ""],
    ]);
  });

  it("a shop: two sources grouped by product, every aggregate, a group that does not come about", async () => {
    const adapter = await loadAdapter(golden("shop/mapping.json"));
    const converted = await convertFolder(adapter, golden("shop"), { capturedAt: undefined as never });
    await expect(lines(converted)).toMatchFileSnapshot(golden("shop/expected.jsonl"));
    const { records, rejects, raw } = sortOut(converted);
    expect(records.map(({ id }) => id)).toEqual(["eco_glm_kettle", "eco_glm_mug"]);
    expect(records[0]).toMatchObject({
      price: { current: 17.99 },
      metrics: { rating: 4, reviews: 4 },
      review_sample: ["Boils fast", "Leaks a little"],
      extra: {
        first_price: 20.5,
        low: 17.99,
        high: 20.5,
        stars: 16,
        written: 3,
        days: ["mon", "tue", "wed"],
      },
    });
    expect(raw("review")).toHaveLength(6);
    expect(rejects.map(({ line, field, rows = 1 }) => [line, field, rows])).toEqual([
      [8, "data.rating", 1],
      [9, "by[0]", 1],
      // No price names the product: its review is in, so no row is lost with its record.
      [7, "title", 0],
    ]);
  });

  it("takes the caller's word for capture, language and platform", async () => {
    const adapter = await loadAdapter(golden("forum/mapping.json"));
    const row = { no: 1, kind: "q", language: "eng", seen: 0, body: "x", user: { id: "u" }, stats: "{}" };
    const options = { capturedAt: "2026-03-04", language: "fr", platform: "microblog" };
    const [record] = sortOut(await convertValues(adapter, [row], options)).records;
    expect(record).toMatchObject({ id: "soc_mbl_1", lang: "fr", prov: { ts: "2026-03-04T00:00:00+00:00" } });
    await expect(convertValues(adapter, [row], { platform: "weblog" })).rejects.toMatchObject({
      code: "unknown_platform",
    });
  });

  it("asks for the capture instant where nobody tells it", async () => {
    const adapter = await loadAdapter("beir");
    await expect(
      convertValues(adapter, [{ _id: "1", text: "x" }], { capturedAt: undefined as never }),
    ).rejects.toMatchObject({
      code: "captured_at_missing",
      remedy: expect.stringContaining("--captured-at"),
    });
  });

  it("groups in bounded memory, the same as without a bound", async () => {
    const adapter = await loadAdapter("marketplace-reviews");
    const rows = Array.from({ length: 3000 }, (_, i) => ({
      Category: "c",
      "Product Name": `p${(i * 13) % 700}`,
      Location: "l",
      Price: "1,000",
      "Overall Rating": "4.5",
      "Number Sold": String(i),
      "Total Review": "7",
      "Customer Rating": "5",
      "Customer Review": `r${i}`,
      Sentiment: i % 2 ? "Positive" : "Negative",
      Emotion: "Happy",
    }));
    const { records, raw, rejects } = sortOut(await convertValues(adapter, rows));
    expect([records.length, raw("review").length, rejects.length]).toEqual([700, 3000, 0]);
    const p0 = records.find(({ title }) => title === "p0");
    expect(p0).toMatchObject({ metrics: { sold: 2800 }, price: { current: 1000, currency: "IDR" } });
    expect(p0!.review_sample).toEqual(["r0", "r700", "r1400", "r2100", "r2800"]);
  });
});
