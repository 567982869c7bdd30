import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type LakeClient, openLake, type TableFile } from "mirrorlake";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TemporaryLake } from "../support/sample-lake.js";
import { temporaryRichLake } from "./rich-lake.js";

let built: TemporaryLake;
let lake: LakeClient;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-files-"));
  built = await temporaryRichLake();
  lake = await openLake(built.path, { account: "memory" });
});
afterAll(async () => {
  await lake?.close();
  await built?.remove();
  await rm(dir, { recursive: true, force: true });
});

async function read(
  content: string | Uint8Array,
  options: Partial<TableFile> = {},
  query = "SELECT * FROM mine",
) {
  const file = join(dir, options.file ?? "mine.csv");
  await writeFile(file, content);
  return lake.sql(query, [], { tables: { mine: { ...options, file } } });
}

const failure = (...args: Parameters<typeof read>) =>
  read(...args).then(
    (rows) => rows,
    (error: unknown) => error,
  );
const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => `${line(i)}\n`).join("");

describe("a line of CSV with more or fewer cells is an error that names it", () => {
  test.each([
    ["the last", "id,title\n1,a\n2,b\n3,c, d\n", "line 4 has 3 cells, the first line 2"],
    ["the first", "id,title\n1,a, x\n2,b\n3,c\n4,d\n", "line 2 has 3 cells, the first line 2"],
    [
      "most of them",
      `id,title\n${lines(1000, (i) => (i >= 400 ? `${i},a,b` : `${i},t`))}`,
      "line 402 has 3 cells",
    ],
    [
      "one of many",
      `id,title\n${lines(30_000, (i) => (i === 29_000 ? `${i},a, b` : `${i},t${i}`))}`,
      "line 29002 has 3 cells",
    ],
    ["a short one", "id,title,x\n1,a,b\n2,b\n3\n4,d,e\n", "line 3 has 2 cells, the first line 3"],
    [
      "a short one of many",
      `id,a\n${lines(30_000, (i) => (i === 29_000 ? "1" : `${i},t`))}`,
      "line 29002 has 1 cells",
    ],
    ["an open quote", 'id,title\n1,"abc\n2,b\n3,c\n', "a quote that begins in line 2 does not end"],
    ["a title above", "My report\n\nid,title\n1,a\n2,b\n", "line 3 has 2 cells, the first line 1"],
    ["after a line end in quotes", '\n"i\nd",b\n"1\n2",3\n4,5,6\n', 'has 3 cells, the first line 2: "4,5,6"'],
  ])("%s", async (_, content, words) => {
    const error = await failure(content);
    expect(error).toMatchObject({ code: "table_unreadable", value: join(dir, "mine.csv") });
    const { message, remedy } = error as { message: string; remedy: string };
    expect(message).toContain(words);
    expect(`${message}${remedy}`).not.toMatch(/strict_mode|null_padding|sample_size|ignore_errors/);
  });

  test("where only the count is asked for", async () => {
    const content = `id,title\n${lines(30_000, (i) => (i === 29_000 ? "1,a,b" : "1,a"))}`;
    expect(await failure(content, {}, "SELECT count(*) FROM mine")).toMatchObject({
      code: "table_unreadable",
    });
  });
});

describe("CSV that is read", () => {
  test.each<[string, string | Uint8Array, Record<string, unknown>[], Partial<TableFile>?]>([
    ["semicolons", "id;n\n1;2,5\n", [{ id: 1, n: "2,5" }]],
    ["bars", "id|n\n1|2\n", [{ id: 1, n: 2 }]],
    ["tabs", "id\tn\n1\ta,b\n", [{ id: 1, n: "a,b" }]],
    ["tabs by format", "a,b\tn\n1\t2\n", [{ "a,b": 1, n: 2 }], { format: "tsv" }],
    [
      "semicolons in cells",
      "id,text\n1,a;b;c\n2,d;e;f\n",
      [
        { id: 1, text: "a;b;c" },
        { id: 2, text: "d;e;f" },
      ],
    ],
    ["one column", "id\n1\n\n3\n", [{ id: 1 }, { id: null }, { id: 3 }]],
    ["text alone", "name,owner\nann,bo\n", [{ name: "ann", owner: "bo" }]],
    [
      "no names",
      "1,ann\n2,bo\n",
      [
        { column0: 1, column1: "ann" },
        { column0: 2, column1: "bo" },
      ],
    ],
    ["names alone", "id,title\n", []],
    [
      "empty lines",
      "\n\nid,n\n1,2\n\n3,4\n\n",
      [
        { id: 1, n: 2 },
        { id: 3, n: 4 },
      ],
    ],
    ["a remark", "# by x\nid,n\n1,2\n", [{ id: 1, n: 2 }]],
    [
      "a hash",
      "#,n\n#1,2\n#2,3\n",
      [
        { "#": "#1", n: 2 },
        { "#": "#2", n: 3 },
      ],
    ],
    [
      "quotes in a cell",
      'id,title\n1,say "hi"\n2,"""b"", c"\n',
      [
        { id: 1, title: 'say "hi"' },
        { id: 2, title: '"b", c' },
      ],
    ],
    [
      "CR LF",
      'id,a\r\n1,x\r\n2,"y\r\nz"\r\n',
      [
        { id: 1, a: "x" },
        { id: 2, a: "y\r\nz" },
      ],
    ],
    ["CR", "id,a\r1,x\r", [{ id: 1, a: "x" }]],
    ["a byte order mark", "\uFEFFid,a\n1,x", [{ id: 1, a: "x" }]],
    ["names in quotes", '"i\nd","a, ""b"""\n1,2\n', [{ "i\nd": 1, 'a, "b"': 2 }]],
    [
      "a separator at the end",
      "id,a\n1,x,\n2,y,\n",
      [
        { id: 1, a: "x" },
        { id: 2, a: "y" },
      ],
    ],
    ["dates", "d,t\n31/12/2024,2024-01-01 10:00:00\n", [{ d: "2024-12-31", t: "2024-01-01T10:00:00.000" }]],
    ["zip", gzipSync("id;n\n1;2\n"), [{ id: 1, n: 2 }], { file: "mine.csv.gz" }],
    [
      "empty texts",
      'a,n\n"",1\n,2\nx,""\n',
      [
        { a: "", n: 1 },
        { a: null, n: 2 },
        { a: "x", n: null },
      ],
    ],
    [
      "empty texts as text",
      'a,n\n"",1\n,2\n',
      [
        { a: "", n: "1" },
        { a: null, n: "2" },
      ],
      { text: true },
    ],
    ["empty dates", 'd\n"31/12/2024"\n""\n', [{ d: "2024-12-31" }, { d: null }]],
  ])("%s", async (_, content, rows, options) => {
    expect(await read(content, options)).toEqual(rows);
  });

  test("what the library writes comes back", async () => {
    const query =
      "SELECT '' AS a, NULL AS b, 'x' AS c, 1 AS n UNION ALL SELECT 'y', 'z', '', NULL ORDER BY a";
    const rows = await lake.sql(query);
    const { csvRecord } = await import("../../src/files/csv-text.js");
    const content = [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))]
      .map((row) => csvRecord(row))
      .join("");
    expect(await read(content)).toEqual(rows);
  });
});

describe("types are found in the whole file", () => {
  test("a text after many numbers", async () => {
    const content = `a\n${lines(30_000, (i) => (i === 29_000 ? "x" : String(i)))}`;
    const rows = await read(content, {}, "SELECT count(*) AS n, max(a) AS last FROM mine");
    expect(rows).toEqual([{ n: 30_000, last: "x" }]);
  });

  test("a key that only a late line of JSON has", async () => {
    const content = lines(30_000, (i) => JSON.stringify(i === 29_999 ? { id: i, late: "yes" } : { id: i }));
    const rows = await read(
      content,
      { file: "mine.jsonl" },
      "SELECT id, late FROM mine WHERE late IS NOT NULL",
    );
    expect(rows).toEqual([{ id: 29_999, late: "yes" }]);
  });

  test("where a file is too large for that, the remedy names the option", { tags: "slow" }, async () => {
    const wide = "x".repeat(1500);
    const content = `a,b\n${lines(30_000, (i) => `${i === 29_000 ? "x" : i},${wide}`)}`;
    const error = await failure(content, {}, "SELECT sum(a) FROM mine");
    expect(error).toMatchObject({
      code: "table_unreadable",
      message: expect.stringContaining('line 29002 has "x" in the column a, which is BIGINT before it'),
      remedy: expect.stringContaining('text: ["a"]'),
    });
    const text = await read(content, { text: ["a"] }, "SELECT max(a) AS last FROM mine");
    expect(text).toEqual([{ last: "x" }]);
  });

  test.each([
    [
      "a line that is no JSON",
      `{"id":1}\n${lines(30_000, () => '{"id":2}')}{bad}\n`,
      "mine.jsonl",
      "near line 3000",
    ],
    ["a list that does not end", '[{"id":1},{"id":2}', "mine.json", "record"],
  ])("%s is named", async (_, content, file, words) => {
    expect(await failure(content, { file })).toMatchObject({
      code: "table_unreadable",
      message: expect.stringContaining(words),
    });
  });
});
