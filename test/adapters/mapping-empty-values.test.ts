import { describe, expect, it } from "vitest";
import { compileMapping } from "../../src/ingest/mapping/compile.js";
import { withoutUndefined } from "../../src/ingest/mapping/without-undefined.js";
import { convertValues, sortOut } from "./support.js";

const ROW = { id: "p1", text: "A bridge", props: {}, list: [{}, { a: {} }], deep: { a: { b: {} }, c: 1 } };

const mappingOf = (platform: string, rule: object) =>
  compileMapping({
    mapping: 1,
    name: "rows",
    info: { title: "Rows", licence: "MIT" },
    sources: [{ name: "rows", files: ["*.jsonl"] }],
    defaults: { platform, lang: { value: "en" }, captured_at: { value: "2026-05-27T08:00:00Z" } },
    rules: [{ from: "rows", ...rule }],
  });

const dataOf = async (resource: string, data: object, base?: string) => {
  const adapter = mappingOf("microblog", {
    record: { id: "id", fields: { text: "text", "extra.props": "props" } },
    raw: [{ resource, id: "id", base, data }],
  });
  const { raw, records, rejects } = sortOut(await convertValues(adapter, [ROW]));
  expect(rejects).toEqual([]);
  return { data: raw()[0]!.data, record: records[0]! };
};

describe("an empty object of a source", () => {
  it("stays in the data of raw items, at every depth", async () => {
    const { data } = await dataOf("thing", { props: "props", list: "list", whole: "$", "own.none": "none" });
    expect(data).toEqual({ props: {}, list: [{}, { a: {} }], whole: ROW });
  });

  it("stays in data that starts as the record, whose hash is of it", async () => {
    const { data } = await dataOf("post", { props: "props", "extra.deep": "deep" }, "record");
    expect(data).toMatchObject({ text: "A bridge", props: {}, extra: { deep: ROW.deep } });
    const without = await dataOf("post", { "extra.deep": "deep" }, "record");
    expect((data.prov as { hash: string }).hash).not.toBe((without.data.prov as { hash: string }).hash);
  });

  it("is nothing in a record, no field of which takes one", async () => {
    const { record } = await dataOf("thing", { props: "props" });
    expect(record).not.toHaveProperty("extra");
  });
});

describe("what is undefined", () => {
  it("goes, with the object that it alone was in", () => {
    const given = { a: undefined, b: { c: { d: undefined } }, e: { f: undefined, g: {} }, h: null, i: [{}] };
    expect(Object.keys(withoutUndefined(given))).toEqual(["e", "h", "i"]);
    expect(withoutUndefined(given)).toStrictEqual({ e: { g: {} }, h: null, i: [{}] });
  });

  it("leaves what has none as it was, members named like a prototype too", () => {
    const given = JSON.parse('{"a":{"__proto__":{"b":1}}}') as object;
    expect(withoutUndefined(given)).toBe(given);
    expect(JSON.stringify(withoutUndefined({ ...given, c: undefined }))).toBe(JSON.stringify(given));
  });
});

describe("a text in parts", () => {
  const parts = [
    "See ",
    { type: "bold", text: "this" },
    " ",
    { text: "page\n" },
    { type: "none" },
    "",
    ", or\r\nso ",
  ];

  it.each([
    [{ path: "text", member: "text", join: "" }, "See this page\n, or\nso"],
    [{ path: "text", member: "text", join: " " }, "See this page , or\nso"],
    [{ path: "text[].text", join: "" }, "thispage"],
    [{ path: "text", member: "text", case: "upper", join: "" }, "SEE THIS PAGE\n, OR\nSO"],
  ] as const)("is made of %j", async (title, expected) => {
    const adapter = mappingOf("global-news", { record: { id: "id", fields: { title, text: title } } });
    const rows = [
      { id: "1", text: parts },
      { id: "2", text: " plain " },
      { id: "3", text: [" ", ""] },
    ];
    const { records, rejects } = sortOut(await convertValues(adapter, rows));
    const plain = "member" in title ? ["case" in title ? "PLAIN" : "plain"] : [];
    expect(records.map(({ text }) => text)).toEqual([expected, ...plain]);
    expect(rejects).toHaveLength(3 - records.length);
  });
});
