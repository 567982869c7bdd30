import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { INGEST_LIMITS } from "../../src/ingest/defaults.js";
import { CsvParser } from "../../src/ingest/readers/csv-parser.js";
import { readCsv } from "../../src/ingest/readers/read-csv.js";
import { runs } from "../support/campaign.js";
import { cut, expectIngestError, readAll, Scratch } from "./support.js";

const fieldsOf = (text: string, delimiter = ",", quote: string | null = '"') => {
  const parser = new CsvParser(delimiter, quote ?? undefined);
  return [...parser.push(Buffer.from(text)), ...parser.end()].map(({ fields }) => fields);
};

describe("CSV parser", () => {
  it("follows RFC 4180", () => {
    expect(fieldsOf('a,b,c\r\n1,"x, ""y""\r\nz",\r\n"",é,"ü"')).toEqual([
      ["a", "b", "c"],
      ["1", 'x, "y"\r\nz', ""],
      ["", "é", "ü"],
    ]);
    expect(fieldsOf("a,b\n1,")).toEqual([
      ["a", "b"],
      ["1", ""],
    ]);
    expect(fieldsOf('""\n\n\r\n"a"')).toEqual([[""], ["a"]]);
  });

  it("takes a quote inside an unquoted field as it is", () => {
    expect(fieldsOf('5" screen,a "b" c\n')).toEqual([['5" screen', 'a "b" c']]);
  });

  it("numbers records by the line they start on", () => {
    const parser = new CsvParser(",", '"');
    const records = parser.push(Buffer.from('a\n\n"x\ny\nz"\nb\n'));
    expect(records.map(({ line }) => line)).toEqual([1, 3, 6]);
  });

  it("marks text after a closing quote as a problem of that record alone", () => {
    const parser = new CsvParser(",", '"');
    const records = parser.push(Buffer.from('a,b\n"x"y,1\n"z",2\n'));
    expect(records.map(({ problem }) => problem)).toEqual([
      undefined,
      "has text after a closing quote",
      undefined,
    ]);
    expect(records[2]?.fields).toEqual(["z", "2"]);
  });

  it("knows nothing of quotes when told so", () => {
    expect(fieldsOf('"a\tb"\n"\tc', "\t", null)).toEqual([
      ['"a', 'b"'],
      ['"', "c"],
    ]);
  });

  it("takes fields apart by several characters", () => {
    expect(fieldsOf('a::b::c\n1:2:::"x::"""y"""\n::::\r\n":"::d:e::"f', "::")).toEqual([
      ["a", "b", "c"],
      ["1:2", ':"x', '"y"'],
      ["", "", ""],
      [":", "d:e", "f"],
    ]);
    expect(fieldsOf("1|~|a|b~|~|\nx|~|y|~|z", "|~|", null)).toEqual([
      ["1", "a|b~", ""],
      ["x", "y", "z"],
    ]);
    const [record] = new CsvParser("||", '"').push(Buffer.from('"a"|b||c\n'));
    expect(record?.problem).toBe("has text after a closing quote");
  });

  it("gives back what was written, however the bytes are cut (property)", async () => {
    const cell = fc.oneof(
      fc.string({
        unit: fc.constantFrom('"', ",", "\n", "\r", " ", "a", "é", "手", "😀", ";", "\t", ":", "|"),
        maxLength: 8,
      }),
      fc.string({ unit: "grapheme" }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc
          .integer({ min: 1, max: 5 })
          .chain((width) =>
            fc.tuple(
              fc.constant(Array.from({ length: width }, (_, i) => `c${i}`)),
              fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 10 }),
            ),
          ),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(",", ";", "\t", "::", "|:|"),
        fc.constantFrom("\n", "\r\n"),
        fc.boolean(),
        fc.boolean(),
        async ([names, table], sizes, delimiter, end, always, lastEnd) => {
          const write = (text: string) =>
            always || text === "" || text.includes(delimiter[0]!) || /["\r\n]/.test(text)
              ? `"${text.replaceAll('"', '""')}"`
              : text;
          const lines = [names, ...table].map((row) => row.map(write).join(delimiter));
          const text = lines.join(end) + (lastEnd ? end : "");
          if (text.includes("\0")) return;
          const read: unknown[] = [];
          const context = { source: "s", file: "f", limits: INGEST_LIMITS };
          const batches = readCsv(cut(Buffer.from(text), sizes), context, { delimiter, quote: '"' });
          for await (const { rows, rejects } of batches) {
            expect(rejects).toEqual([]);
            read.push(...rows.map(({ value }) => value));
          }
          expect(read).toEqual(
            table.map((row) => Object.fromEntries(row.map((value, i) => [names[i]!, value]))),
          );
        },
      ),
      runs(500),
    );
  });
});

describe("CSV and TSV files", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await Scratch.make();
  });
  afterEach(() => scratch.remove());

  it("reads a byte order mark, quotes, line breaks in quotes", async () => {
    const path = await scratch.write("a.csv", '\ufeffid,text\r\n1,"a\nb"\r\n2,"say ""hi"""\r\n');
    const { rows } = await readAll(path);
    expect(rows.map(({ line, value }) => [line, value])).toEqual([
      [2, { id: "1", text: "a\nb" }],
      [4, { id: "2", text: 'say "hi"' }],
    ]);
  });

  it("reads TSV by its name, and without a header by the mapping's columns", async () => {
    const tsv = await scratch.write("a.tsv", "id\ttext\n1\tx, y\n");
    expect((await readAll(tsv)).values).toEqual([{ id: "1", text: "x, y" }]);
    const plain = await scratch.write("b.tsv", 'he said "no\tneg\nyes"\tpos\n');
    const read = { as: "csv", quote: null, columns: ["text", "label"] } as const;
    expect((await readAll(plain, { read: { ...read, columns: ["text", "label"] } })).rows).toMatchObject([
      { line: 1, value: { text: 'he said "no', label: "neg" } },
      { line: 2, value: { text: 'yes"', label: "pos" } },
    ]);
  });

  it("rejects ragged records and goes on", async () => {
    const path = await scratch.write("a.csv", 'a,b\n1,2\n1\n1,2,3\n"x"y,2\n3,4\n');
    const { values, rejects } = await readAll(path);
    expect(values).toEqual([
      { a: "1", b: "2" },
      { a: "3", b: "4" },
    ]);
    expect(rejects.map(({ line, reason }) => [line, reason])).toEqual([
      [3, "has 1 fields where the header has 2"],
      [4, "has 3 fields where the header has 2"],
      [5, "has text after a closing quote"],
    ]);
  });

  it("takes lines that all end with a delimiter which the header lacks", async () => {
    const read = { as: "csv", delimiter: ";", quote: '"' } as const;
    const { values, rejects } = await readAll(await scratch.write("a.csv", "a;b\n1;2;\n3;;\n"), { read });
    expect(values).toEqual([
      { a: "1", b: "2" },
      { a: "3", b: "" },
    ]);
    expect(rejects).toEqual([]);
    const lines = async function* () {
      for (const line of ["a;b\n", "1;2;\n", "3;;\n"]) yield Buffer.from(line);
    };
    const slow = await readAll([{ name: "slow.csv", bytes: lines() }], { read });
    expect(slow).toMatchObject({ values, rejects });
    const long = `a;b\n${"1;2;\n".repeat(60)}4;5;6\n7;8\n`;
    const late = await readAll(await scratch.write("b.csv", long), { read });
    expect(late.values.length).toBe(60);
    expect(late.rejects.map(({ line, reason }) => [line, reason])).toEqual([
      [62, "has 3 fields where the header has 2, and the lines after it end with a delimiter"],
      [63, "has 2 fields where the header has 2, and the lines after it end with a delimiter"],
    ]);
    // One such line, or some of them, may hold a delimiter without quotes.
    for (const [name, odd] of [
      ["c.csv", "a;b\nHello; world;\n"],
      ["d.csv", "a;b\nHello; world;\n1;2\n"],
    ] as const) {
      const failing = readAll(await scratch.write(name, odd), { read });
      await expect(failing).rejects.toThrow("has 3 fields where the header has 2");
    }
  });

  it("rejects a header that is repeated where files were joined", async () => {
    const text = "\ufeffid,text\n1,a\nid,text\n2,b\n\ufeffid,text\n3,id\n";
    const { values, rejects } = await readAll(await scratch.write("a.csv", text));
    expect(values.map((row) => (row as { id: string }).id)).toEqual(["1", "2", "3"]);
    expect(rejects.map(({ line, reason }) => [line, reason])).toEqual([
      [3, "repeats the header line: files were joined here"],
      [5, "repeats the header line: files were joined here"],
    ]);
    const quoted = '\ufeff"id","text"\n1,a\n\ufeff"id","text"\n';
    expect((await readAll(await scratch.write("b.csv", quoted))).values).toEqual([{ id: "1", text: "a" }]);
    expect((await readAll(await scratch.write("c.csv", "word\nword\n"))).values).toEqual([{ word: "word" }]);
  });

  it("names columns without a name by their number", async () => {
    const path = await scratch.write("a.csv", ",b\n0,x\n");
    expect((await readAll(path)).values).toEqual([{ column_1: "0", b: "x" }]);
  });

  it.each([
    ["an empty file", "", { code: "csv_no_header" }],
    ["a column named twice", "a,b,a\n", { code: "csv_bad_header", line: 1, reason: /"a" twice/ }],
    ["__proto__", "a,__proto__\n", { code: "csv_bad_header", line: 1 }],
    ["another delimiter", "a;b;c\n1;2;3\n", { code: "csv_wrong_delimiter", line: 1, reason: /";"/ }],
    ["a delimiter of two", "a::b::c\n1::2::3\n", { code: "csv_wrong_delimiter", line: 1, reason: /"::"/ }],
    ["bare carriage returns", "a,b\r1,2\r3,4\r", { code: "csv_line_ends", line: 1 }],
    ["bare carriage returns behind quotes", 'a,b\r1,"2"\r3,4\r', { code: "csv_line_ends", line: 1 }],
    ["a quote that never closes", 'a,b\n1,2\n3,"x\n5,6\n7,8\n', { code: "csv_open_quote", line: 3 }],
    ["JSON lines", '{"a":1,"b":2}\n', { code: "wrong_format", reason: /is JSON/ }],
    ["a JSON array", '[\n {"a":1}\n]\n', { code: "wrong_format", reason: /is JSON/ }],
    [
      "a record of commas",
      `a,b\n1,2\n${",".repeat(3_000_000)}\n`.slice(4),
      { code: "not_csv", reason: /fields/ },
    ],
    ["a first record that does not fit", "a,b\n1,2,3\n", { code: "not_csv", line: 2, reason: /3 fields/ }],
  ])("refuses %s", async (_, content, expected) => {
    const path = await scratch.write("a.csv", content);
    await expectIngestError(readAll(path), { file: "a.csv", ...expected });
  });

  it("bounds a quoted field that never ends", async () => {
    const path = await scratch.write("a.csv", `a,b\n1,2\n3,"${"x\n".repeat(500_000)}`);
    await expectIngestError(readAll(path, { limits: { maxRecordBytes: 300_000 } }), {
      code: "csv_open_quote",
      line: 3,
    });
  });
});
