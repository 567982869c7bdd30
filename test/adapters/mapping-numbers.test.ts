import { describe, expect, it } from "vitest";
import { compileMapping } from "../../src/ingest/mapping/compile.js";
import { convertValues, sortOut } from "./support.js";

const mapping = (rule: object) =>
  compileMapping({
    mapping: 1,
    name: "rows",
    info: { title: "Rows", licence: "CC0-1.0" },
    sources: [{ name: "rows", files: ["*"] }],
    defaults: { platform: "global-marketplace", lang: { value: "en" } },
    rules: [{ from: "rows", ...rule }],
  });

/** What the group of all rows has as `extra`. */
async function grouped(fields: Readonly<Record<string, object>>, rows: readonly object[]) {
  const extra = Object.fromEntries(Object.keys(fields).map((name) => [`extra.${name}`, name]));
  const adapter = mapping({
    group: { by: ["k"], fields, record: { id: "key[0]", fields: { title: "key[0]", ...extra } } },
  });
  const converted = await convertValues(
    adapter,
    rows.map((row) => ({ k: "x", ...row })),
  );
  return sortOut(converted).records[0]?.extra;
}

describe("min and max of a group", () => {
  const both = { low: { min: "n" }, high: { max: "n" } };
  const of = (...values: readonly unknown[]) => values.map((n) => ({ n }));

  it("compare as numbers where every value is one, and give it as it stands", async () => {
    expect(await grouped(both, of("9", "10", "100"))).toEqual({ low: "9", high: "100" });
    expect(await grouped(both, of("€ 9.50", "-1", "1e3", "0007"))).toEqual({ low: "-1", high: "1e3" });
    expect(await grouped(both, of(10, "9"))).toEqual({ low: "9", high: 10 });
    expect(await grouped(both, of("1801234567890123457", "1801234567890123456"))).toEqual({
      low: "1801234567890123456",
      high: "1801234567890123457",
    });
  });

  it("read numbers as the mapping says, and give what they read", async () => {
    const p = { path: "n", thousands: ".", decimal: "," };
    const k = { path: "n", suffixes: { k: 1000 } };
    expect(await grouped({ low: { min: p }, high: { max: p } }, of("999", "1.299", "2,5"))).toEqual({
      low: 2.5,
      high: 1299,
    });
    expect(await grouped({ low: { min: k }, high: { max: k } }, of("1.2k", "900", "7k"))).toEqual({
      low: 900,
      high: 7000,
    });
  });

  it("compare as text where a value is none, or where the mapping says that they are text", async () => {
    expect(await grouped(both, of("9", "10", "n/a"))).toEqual({ low: "10", high: "n/a" });
    expect(await grouped(both, of("2026-05-02", "2026-05-10"))).toEqual({
      low: "2026-05-02",
      high: "2026-05-10",
    });
    const text = { path: "n", type: "string" };
    expect(await grouped({ low: { min: text }, high: { max: text } }, of(9, "10"))).toEqual({
      low: "10",
      high: "9",
    });
  });
});

describe("a list reduced to a number", () => {
  it("is read as the mapping says", async () => {
    const adapter = mapping({
      record: {
        id: "id",
        fields: {
          title: "title",
          "extra.high": { path: "p", reduce: "max", thousands: ".", decimal: ",", type: "number" },
          "extra.sum": { path: "k", reduce: "sum", suffixes: { k: 1000 }, multiply: 2, type: "number" },
        },
      },
    });
    const { records } = sortOut(
      await convertValues(adapter, [{ id: 1, title: "a", p: ["1.299", "2.500"], k: ["1k", "5"] }]),
    );
    expect(records[0]!.extra).toEqual({ high: 2500, sum: 2010 });
  });
});

describe("collect with unique and top_by", () => {
  const ranked = (text: string) => text.split(" ").map((pair) => ({ c: pair[0], l: Number(pair.slice(2)) }));
  const top = (limit: number, text: string) =>
    grouped({ top: { collect: "c", unique: true, top_by: "l", limit } }, ranked(text));

  it("ranks a value by the highest of its numbers", async () => {
    expect(await top(2, "a:1 b:5 c:6 a:100")).toEqual({ top: ["a", "c"] });
    expect(await top(1, "a:1 b:5 a:100")).toEqual({ top: ["a"] });
    expect(await top(3, "a:9 b:5 a:1 c:6")).toEqual({ top: ["a", "c", "b"] });
    expect(await top(2, "a:5 b:5 c:5 b:5 a:1")).toEqual({ top: ["a", "b"] });
  });

  it("gives the same for any number of values between", async () => {
    const values = Array.from(
      { length: 600 },
      (_, i) => [String.fromCharCode(97 + (i % 26)), (i * 7919) % 997] as const,
    );
    const best = new Map<string, { l: number; i: number }>();
    for (const [i, [c, l]] of values.entries()) if (l > (best.get(c)?.l ?? -1)) best.set(c, { l, i });
    const expected = [...best].sort(([, a], [, b]) => b.l - a.l || a.i - b.i).slice(0, 4);
    expect(await top(4, values.map(([c, l]) => `${c}:${l}`).join(" "))).toEqual({
      top: expected.map(([c]) => c),
    });
  });
});

describe("options about numbers", () => {
  const only = async (fields: object, row: object) => {
    const raw = [{ resource: "lot", id: "id", data: fields }];
    const extra = Object.fromEntries(Object.entries(fields).map(([name, value]) => [`extra.${name}`, value]));
    const adapter = mapping({ record: { id: "id", fields: { title: "id", ...extra } }, raw });
    const { records, raw: items, rejects } = sortOut(await convertValues(adapter, [{ id: 1, ...row }]));
    return { extra: records[0]?.extra, data: items()[0]?.data, rejects };
  };

  it("make numbers in extra and raw data, where no type is named", async () => {
    const fields = {
      scaled: { path: "cents", multiply: 0.01, round: 2 },
      written: { path: "price", thousands: ".", decimal: "," },
      short: { path: "sold", suffixes: { k: 1000 } },
      each: { path: "history", multiply: 0.01, round: 2 },
      reduced: { path: "history", reduce: "max", multiply: 2 },
      joined: { path: "history", round: 0, multiply: 0.1, join: "," },
    };
    const expected = {
      scaled: 12.99,
      written: 1299.5,
      short: 1200,
      each: [1.99, 2.49],
      reduced: 498,
      joined: "20,25",
    };
    const row = { cents: 1299, price: "1.299,50", sold: "1.2k", history: ["199", 249] };
    expect(await only(fields, row)).toEqual({ extra: expected, data: expected, rejects: [] });
  });

  it("reject what is no number, and let an absent one stand for none", async () => {
    const fields = { scaled: { path: "cents", multiply: 0.01, absent: ["-"] } };
    expect((await only(fields, { cents: "-" })).data).toEqual({});
    const { rejects } = await only(fields, { cents: "n/a" });
    expect(rejects).toEqual([
      expect.objectContaining({ field: "extra.scaled", reason: 'is not a number, got "n/a"' }),
    ]);
  });

  it("scale what a group has first, last and in a list", async () => {
    const cents = { path: "n", multiply: 0.01 };
    const rows = [{ n: 100 }, { n: "250" }];
    expect(await grouped({ a: { first: cents }, b: { last: cents }, c: { collect: cents } }, rows)).toEqual({
      a: 1,
      b: 2.5,
      c: [1, 2.5],
    });
  });

  it("are not needed to name what reads a number of the source's text", async () => {
    const data = { ts: { value: "2026-05-30T00:00:00Z" }, current: "p", currency: { value: "EUR" } };
    const price = (current: unknown) =>
      mapping({ raw: [{ resource: "price", id: "id", data: { ...data, current } }] });
    const row = { id: 1, p: "92.99" };
    const { rejects } = sortOut(await convertValues(price("p"), [row]));
    expect(rejects).toMatchObject([
      { field: "data.current", reason: expect.stringContaining('"type": "number" in the mapping reads one') },
    ]);
    const { raw } = sortOut(await convertValues(price({ path: "p", type: "number" }), [row]));
    expect(raw()[0]?.data.current).toBe(92.99);
  });

  it("are refused where the value is text", () => {
    const rule = { record: { id: "id", fields: { title: { path: "t", multiply: 2 } } } };
    expect(() => mapping(rule)).toThrow(
      "rules[0].record.fields.title.multiply: is for numbers, and this value is a string: leave it out",
    );
  });
});
