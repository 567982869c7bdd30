import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { INGEST_LIMITS } from "../../src/ingest/defaults.js";
import { readJson } from "../../src/ingest/readers/read-json.js";
import { runs } from "../support/campaign.js";
import { cut, expectIngestError, readAll, Scratch } from "./support.js";

const rowsOf = async (text: string, path: readonly string[], sizes: readonly number[] = [1 << 20]) => {
  const values: unknown[] = [];
  const context = { source: "s", file: "f.json", limits: INGEST_LIMITS };
  for await (const batch of readJson(cut(Buffer.from(text), sizes), context, path)) {
    values.push(...batch.rows.map(({ value }) => value));
  }
  return values;
};

describe("JSON documents", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await Scratch.make();
  });
  afterEach(() => scratch.remove());

  it("gives a row per element of the array at the path, with its line and number", async () => {
    const text =
      '\ufeff{"code":200,"data":{"a":[9],"comments":[{"cid":"1"},\n 2 ,"x",[3],null],"n":1},"z":{"comments":[4]}}';
    const path = await scratch.write("a.json", text);
    const { rows } = await readAll(path, { read: { as: "json", rows: "data.comments" } });
    expect(rows.map(({ line, element, value }) => [line, element, value])).toEqual([
      [1, 1, { cid: "1" }],
      [2, 2, 2],
      [2, 3, "x"],
      [2, 4, [3]],
      [2, 5, null],
    ]);
  });

  it("takes the document itself without a path: an array's elements, or one object, or several", async () => {
    expect(await rowsOf(' [ {"a":1} , {"a":2} ] ', [])).toEqual([{ a: 1 }, { a: 2 }]);
    expect(await rowsOf('[{"a":NaN},{"a":-Infinity}]', [])).toEqual([{ a: Number.NaN }, { a: -Infinity }]);
    expect(await rowsOf('{"a":[1]}', [])).toEqual([{ a: [1] }]);
    expect(await rowsOf('{"a":1}\n{"a":2}{"a":3}', [])).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
    expect(await rowsOf("[]", [])).toEqual([]);
  });

  it("follows stars, element numbers and objects", async () => {
    const pages = '{"pages":[{"items":[1,2]},{"other":[9]},{"items":[]},{"items":[3]}]}';
    expect(await rowsOf(pages, ["pages", "*", "items"])).toEqual([1, 2, 3]);
    expect(await rowsOf(pages, ["pages", "3", "items"])).toEqual([3]);
    expect(await rowsOf('{"a":{"x":{"v":1},"y":{"v":2}}}', ["a", "*"])).toEqual([{ v: 1 }, { v: 2 }]);
    expect(await rowsOf('{"pages":[]}', ["pages", "*", "items"])).toEqual([]);
  });

  it("is not misled by keys and brackets in strings", async () => {
    const text = '{"x":"\\"data\\":[1]","d\\u0061ta":["]}\\\\\\"",{"k":"[{"}]}';
    expect(await rowsOf(text, ["data"])).toEqual([']}\\"', { k: "[{" }]);
  });

  it.each([
    ["a CSV file", "id,name\n1,x\n", { code: "wrong_format", line: 1, reason: /starts with "id,name"/ }],
    ["a truncated array", '[{"a":1},{"a":2', { code: "json_truncated", line: 1 }],
    ["a truncated string", '{"a":1,\n"b":"xyz', { code: "json_truncated", line: 2 }],
    ["an empty file", " \n", { code: "json_truncated", line: 2, reason: /is empty/ }],
    ["something after the document", "[1]\n\n[2]", { code: "json_malformed", line: 3, reason: /the end/ }],
    ["a missing comma", '[{"a":1}\n{"a":2}]', { code: "json_malformed", line: 2, reason: /","/ }],
    [
      "an element that is no JSON",
      '[{"a":1},\n{"a":tru}]',
      { code: "json_malformed", line: 2, reason: /element 2/ },
    ],
    ["a trailing comma", "[1,]", { code: "json_malformed", line: 1, reason: /has \]/ }],
    ["a bare scalar", "12", { code: "wrong_format", reason: /starts with "12"/ }],
    ["control characters", "[1]\n\u0001", { code: "json_malformed", reason: /byte 0x01/ }],
  ])("refuses %s", async (_, content, expected) => {
    const path = await scratch.write("a.json", content);
    await expectIngestError(readAll(path), { file: "a.json", ...expected });
  });

  it("says what there is where the path leads nowhere", async () => {
    const path = await scratch.write("a.json", '{"code":0,"data":{"items":[]},"n":1}');
    await expectIngestError(readAll(path, { read: { as: "json", rows: "data.comments" } }), {
      code: "json_path",
      reason: /nothing at data\.comments; its top level has code, data, n/,
    });
    await expectIngestError(readAll(path, { read: { as: "json", rows: "n" } }), {
      code: "json_path",
      reason: /neither array nor object/,
    });
  });

  it("refuses an element that is too large without holding it", async () => {
    const path = await scratch.write("a.json", `[{"a":1},{"b":"${"x".repeat(5_000_000)}"}]`);
    await expectIngestError(readAll(path, { limits: { maxRecordBytes: 1000 } }), {
      code: "record_too_large",
      reason: /element 2/,
    });
  });

  it("rejects a first element nested too deep, and reads the others", async () => {
    const deep = await scratch.write("a.json", `[${"[".repeat(2000)}${"]".repeat(2000)},3]`);
    const { values, rejects } = await readAll(deep);
    expect(values).toEqual([3]);
    expect(rejects).toMatchObject([{ line: 1, reason: "is nested deeper than 512 levels" }]);
  });

  it("rejects an element nested too deep, refuses one that is not UTF-8", async () => {
    const deep = await scratch.write("a.json", `[1,${"[".repeat(2000)}${"]".repeat(2000)},3]`);
    const { values, rejects } = await readAll(deep);
    expect(values).toEqual([1, 3]);
    expect(rejects).toEqual([
      { file: "a.json", line: 1, element: 2, field: "", reason: "is nested deeper than 512 levels" },
    ]);
    const latin = await scratch.write("b.json", Buffer.from('["a",\n"\xe9"]', "latin1"));
    await expectIngestError(readAll(latin), { code: "invalid_utf8", file: "b.json", line: 2 });
  });

  it("finds the same rows as JSON.parse, however the bytes are cut (property)", async () => {
    const key = fc.oneof(
      fc.constantFrom("data", "items", "x", "*", '"', "\\"),
      fc.string({ unit: "grapheme" }),
    );
    const filler = fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 3 }).filter(isSafe), { maxLength: 6 }),
        filler,
        filler,
        fc.constantFrom(undefined, 1, "\t"),
        fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 4 }),
        async (rows, before, after, indent, sizes) => {
          const { data: _d, ...outerBefore } = before;
          const { data: _e, ...outerAfter } = after;
          const { items: _i, ...innerBefore } = after;
          const document = { ...outerBefore, data: { ...innerBefore, items: rows }, ...outerAfter };
          const text = JSON.stringify(document, null, indent);
          expect(await rowsOf(text, ["data", "items"], sizes)).toEqual(JSON.parse(JSON.stringify(rows)));
        },
      ),
      runs(500),
    );
  });

  it("never gives rows of a document cut short (property)", async () => {
    const text = '{"a":{"b":"\\u00e9\\\\"},"rows":[{"k":[1,{"z":null}]},true,-1.5e3,"é"],"c":[[]]}';
    const bytes = Buffer.from(text);
    for (let end = 0; end < bytes.length; end++) {
      const work = rowsOf(bytes.subarray(0, end).toString("latin1"), ["rows"], [7]);
      await expectIngestError(work, { code: "json_truncated" });
    }
    expect(await rowsOf(text, ["rows"], [7])).toHaveLength(4);
  });
});

function isSafe(value: unknown): boolean {
  return !/\d{16}/.test(JSON.stringify(value) ?? "");
}
