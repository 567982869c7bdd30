import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { INGEST_LIMITS } from "../../src/ingest/defaults.js";
import { parseJson } from "../../src/ingest/readers/json-text.js";
import { readJsonl } from "../../src/ingest/readers/read-jsonl.js";
import { runs } from "../support/campaign.js";
import { cut, expectIngestError, readAll, Scratch } from "./support.js";

describe("JSON lines", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await Scratch.make();
  });
  afterEach(() => scratch.remove());

  it("gives a row per line, with its number, past a byte order mark, blank lines and CRLF", async () => {
    const path = await scratch.write("a.jsonl", '\ufeff{"a":1}\r\n\r\n  \n{"a":"\u2028é"}\n[1,2]\n"x"');
    const { rows } = await readAll(path);
    expect(rows.map(({ line, value }) => [line, value])).toEqual([
      [1, { a: 1 }],
      [4, { a: "\u2028é" }],
      [5, [1, 2]],
      [6, "x"],
    ]);
    expect(rows[0]).toMatchObject({ file: "a.jsonl", source: "rows" });
  });

  it("reads NaN and infinity, which Python writes, as these numbers, and leaves texts as they are", async () => {
    const rows =
      '{"a":NaN,"b":[1,-Infinity],"c":"NaN, or \\"Infinity"}\n{"a":12345678901234567890,"b":Infinity}\n';
    expect((await readAll(await scratch.write("a.jsonl", rows))).values).toEqual([
      { a: Number.NaN, b: [1, -Infinity], c: 'NaN, or "Infinity' },
      { a: "12345678901234567890", b: Infinity },
    ]);
    const others = '{"a":1}\n{"a":Nan}\n{"a":NaNa}\n{"a":"NaN"\n{"a":+Infinity}\n';
    const { values, rejects } = await readAll(await scratch.write("b.jsonl", others));
    expect([values.length, rejects.length]).toEqual([1, 4]);
  });

  it("gives no row for an empty file", async () => {
    expect((await readAll(await scratch.write("a.jsonl", ""))).rows).toEqual([]);
    expect((await readAll(await scratch.write("b.jsonl", "\ufeff"))).rows).toEqual([]);
  });

  it("keeps integers that no double holds as text, and only those", async () => {
    const path = await scratch.write(
      "a.jsonl",
      '{"id":6996843253702542081,"n":[-9007199254740992,9007199254740991,0.12345678901234567890,1e20,123456789012345.5],"s":"x: 6996843253702542081, \\" 6996843253702542081,"}\n12345678901234567890',
    );
    const { values } = await readAll(path);
    expect(values).toEqual([
      {
        id: "6996843253702542081",
        n: ["-9007199254740992", 9007199254740991, 0.12345678901234568, 1e20, 123456789012345.5],
        s: 'x: 6996843253702542081, " 6996843253702542081,',
      },
      "12345678901234567890",
    ]);
  });

  it("rejects a broken line between good ones, and goes on", async () => {
    const path = await scratch.write("a.jsonl", '{"a":1}\n{"a":\n{"a":2} x\n{"a":3}\n');
    const { values, rejects } = await readAll(path);
    expect(values).toEqual([{ a: 1 }, { a: 3 }]);
    expect(rejects).toEqual([
      { file: "a.jsonl", line: 2, field: "", reason: expect.stringMatching(/^is not valid JSON: /) },
      { file: "a.jsonl", line: 3, field: "", reason: expect.stringMatching(/^is not valid JSON: /) },
    ]);
  });

  it("reads files that were joined with their byte order marks", async () => {
    const path = await scratch.write(
      "a.jsonl",
      '\ufeff{"a":1}\n\ufeff{"a":2}\n\ufeff\n{"a":3}\ufeff{"a":4}\n',
    );
    const { values, rejects } = await readAll(path);
    expect(values).toEqual([{ a: 1 }, { a: 2 }]);
    expect(rejects).toMatchObject([
      { line: 4, reason: expect.stringMatching(/joined here without a line end/) },
    ]);
  });

  it("throws for a broken line when nobody takes rejects", async () => {
    const path = await scratch.write("a.jsonl", '{"a":1}\n{"a":\n');
    await expectIngestError(readAll(path, { onReject: undefined as never }), {
      code: "row_rejected",
      file: "a.jsonl",
      line: 2,
    });
  });

  it("refuses a file whose first line is no JSON", async () => {
    for (const content of ["id,name\n1,x\n", '{\n  "a": 1\n}\n', "\n\nhello\n"]) {
      const path = await scratch.write("a.jsonl", content);
      await expectIngestError(readAll(path), {
        code: "not_json_lines",
        file: "a.jsonl",
        line: content.startsWith("\n") ? 3 : 1,
      });
    }
  });

  it("rejects what is nested too deep", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const path = await scratch.write("a.jsonl", `{"brackets":"${"[".repeat(5000)}"}\n${deep}\n{"a":2}\n`);
    const { values, rejects } = await readAll(path);
    expect(values.length).toBe(2);
    expect(rejects).toEqual([
      { file: "a.jsonl", line: 2, field: "", reason: "is nested deeper than 512 levels" },
    ]);
  });

  it("rejects a first line that is nested too deep, and reads the others", async () => {
    const path = await scratch.write("a.jsonl", `${"[".repeat(2000)}${"]".repeat(2000)}\n{"a":2}\n`);
    const { values, rejects } = await readAll(path);
    expect(values).toEqual([{ a: 2 }]);
    expect(rejects).toEqual([
      { file: "a.jsonl", line: 1, field: "", reason: "is nested deeper than 512 levels" },
    ]);
  });

  it("names file and line of NUL bytes and of what is not UTF-8", async () => {
    const nul = await scratch.write("nul.jsonl", '{"a":1}\n{"a":"\0"}\n');
    await expectIngestError(readAll(nul), { code: "nul_byte", file: "nul.jsonl", line: 2 });
    const latin = await scratch.write(
      "latin.jsonl",
      Buffer.from('{"a":1}\n{"a":2}\n{"a":"caf\xe9"}\n', "latin1"),
    );
    await expectIngestError(readAll(latin), { code: "invalid_utf8", file: "latin.jsonl", line: 3 });
  });

  it("refuses a line over the limit, wherever its end is", async () => {
    const limits = { maxRecordBytes: 1000 };
    const path = await scratch.write("a.jsonl", `{"a":1}\n"${"x".repeat(1000)}"\n`);
    await expectIngestError(readAll(path, { limits }), { code: "record_too_large", line: 2 });
    const open = await scratch.write("b.jsonl", `{"a":1}\n"${"x".repeat(10_000_000)}`);
    await expectIngestError(readAll(open, { limits }), { code: "record_too_large", line: 2 });
    const fits = await scratch.write("c.jsonl", `"${"x".repeat(998)}"\n`);
    expect((await readAll(fits, { limits })).rows).toHaveLength(1);
  });

  it("reads the same rows however the bytes are cut (property)", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
        fc.constantFrom("\n", "\r\n", "\n\n"),
        fc.boolean(),
        async (values, sizes, end, mark) => {
          const text = values.map((value) => JSON.stringify(value)).join(end);
          const bytes = Buffer.from(`${mark ? "\ufeff" : ""}${text}`);
          const read: unknown[] = [];
          const context = { source: "s", file: "f", limits: INGEST_LIMITS };
          for await (const { rows } of readJsonl(cut(bytes, sizes), context)) {
            read.push(...rows.map(({ value }) => value));
          }
          expect(read).toEqual(unsafeAsText(JSON.parse(JSON.stringify(values))));
        },
      ),
      runs(300),
    );
  });

  it("parses as JSON.parse does, but for integers out of range (property)", () => {
    const unsafe = fc
      .bigInt({ min: 2n ** 53n, max: 10n ** 25n })
      .chain((n) => fc.constantFrom(String(n), String(-n)));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), unsafe)), fc.jsonValue(), (pairs, value) => {
        const text = `{${pairs.map(([key, n], i) => `${JSON.stringify(`${i}${key}`)} : ${n}`).join(" , ")}${pairs.length > 0 ? "," : ""}"v":${JSON.stringify(value)}}`;
        const expected = {
          ...Object.fromEntries(pairs.map(([key, n], i) => [`${i}${key}`, n])),
          v: unsafeAsText(JSON.parse(JSON.stringify(value))),
        };
        expect(parseJson(text, 512)).toEqual(expected);
      }),
      runs(500),
    );
  });
});

/** Integers that JSON.stringify writes in digits and that are out of the safe range. */
function unsafeAsText(value: unknown): unknown {
  if (typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(String(value)))
    return String(value);
  if (Array.isArray(value)) return value.map(unsafeAsText);
  if (value !== null && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unsafeAsText(item)]));
  return value;
}
