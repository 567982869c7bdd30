import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import {
  BinaryView,
  Field,
  LargeList,
  Table,
  tableFromArrays,
  tableToIPC,
  Utf8View,
  vectorFromArray,
} from "apache-arrow";
import { type LakeClient, type OwnTables, openLake } from "mirrorlake";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLake as openHere } from "../../src/client/open-lake.js";
import { rowCells } from "../../src/sql/own/row-cells.js";
import { capture as run } from "../cli/capture.js";
import type { TemporaryLake } from "../support/sample-lake.js";
import { AWKWARD_RECORDS, temporaryRichLake } from "./rich-lake.js";

const IDS = AWKWARD_RECORDS.map(({ id }) => id);
let built: TemporaryLake;
let lake: LakeClient;
let dir: string;
const file = (name: string) => join(dir, name);
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-own-"));
  built = await temporaryRichLake();
  lake = await openLake(built.path, { account: "memory" });
  await writeFile(file("my.csv"), `id,note,n\n${IDS[0]},"a, b",01\n${IDS[1]},c,02\nnone,d,\n`);
  await writeFile(file("secret.csv"), "a\nsecret\n");
});
afterAll(async () => {
  await lake?.close();
  await built?.remove();
  await rm(dir, { recursive: true, force: true });
});

function cycle(): object {
  const value: Record<string, unknown> = {};
  return Object.assign(value, { value });
}

const JOINED = "SELECT m.n, r.title FROM mine m JOIN records r USING (id) ORDER BY m.n";
const ROWS = [
  { n: 1, title: "Awkward 0" },
  { n: 2, title: "Awkward 1" },
];

describe("tables of the caller", () => {
  test.each(["csv", "csv.gz", "tsv", "jsonl", "json", "parquet", "arrow", "odd [1]*?.csv"])(
    "a file: %s",
    async (end) => {
      const rows = IDS.slice(0, 2).map((id, i) => ({ id, n: i + 1 }));
      const path = file(end.includes(" ") ? end : `t.${end}`);
      const lines = (mark: string) => `id${mark}n\n${rows.map(({ id, n }) => `${id}${mark}${n}\n`).join("")}`;
      if (end === "parquet") {
        const { Database } = await import("../../src/duckdb/database.js");
        const db = await Database.open(":memory:");
        await db.run(
          `COPY (SELECT unnest(?::VARCHAR[]) AS id, unnest([1, 2]) AS n) TO '${path}' (FORMAT parquet)`,
          [rows.map(({ id }) => id)],
        );
        await db.close();
      } else {
        const arrow = () => tableToIPC(tableFromArrays({ id: rows.map(({ id }) => id), n: [1, 2] }), "file");
        const text: Record<string, () => string | Uint8Array> = {
          "csv.gz": () => gzipSync(lines(",")),
          tsv: () => lines("\t"),
          jsonl: () => rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
          json: () => JSON.stringify(rows),
          arrow,
        };
        await writeFile(path, (text[end] ?? (() => lines(",")))());
      }
      expect(await lake.sql(JOINED, [], { tables: { mine: { file: path } } })).toEqual(ROWS);
    },
  );

  test("rows, and what their types become", async () => {
    const tables = {
      mine: [
        {
          id: IDS[0]!,
          n: 1,
          big: 2n ** 53n + 1n,
          half: 0.5,
          at: new Date(0),
          bytes: new Uint8Array([1]),
          deep: { a: [1] },
        },
        { id: IDS[1]!, n: 2, half: 1, tags: ["x"], vec: new Float32Array([1, 2]), yes: true, none: null },
      ],
    };
    expect(await lake.sql(JOINED, [], { tables })).toEqual(ROWS);
    const [first, second] = await lake.sql("SELECT * FROM mine ORDER BY n", [], { tables });
    expect(first).toMatchObject({ big: 2n ** 53n + 1n, half: 0.5, deep: '{"a":[1]}', vec: null });
    expect(second).toMatchObject({ half: 1, tags: ["x"], vec: [1, 2], yes: true, none: null, at: null });
    const here = await openHere(built.path, { account: "memory" });
    expect(await here.sql(JOINED, [], { tables })).toEqual(ROWS);
    await here.close();
  });

  test("rows of a generator leave others their turns", async () => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const seen: number[] = [];
    const rows = (function* () {
      for (let n = 0; n < 30_000; n++) {
        if (n % 10_000 === 9_999) seen.push(turns);
        yield { n };
      }
    })();
    const { columns, batches } = await rowCells("mine", rows);
    isOver = true;
    expect(columns).toEqual([{ name: "n", type: "BIGINT" }]);
    expect([...batches].flat().length).toBe(30_000);
    expect(seen).toEqual([...new Set(seen)]);
    expect(seen[0]).toBeGreaterThan(0);
  });

  test("an Arrow file with views of texts and bytes, and large lists, as Polars writes it", async () => {
    const long = "a text of more than the twelve bytes that a view holds itself";
    const lists = new LargeList(new Field("item", new Utf8View(), true));
    const mine = new Table({
      text: vectorFromArray(["forum", null, long], new Utf8View()),
      bytes: vectorFromArray([new Uint8Array([1]), null, new Uint8Array([2, 3])], new BinaryView()),
      tags: vectorFromArray([["a"], null, ["b", null]], lists),
    });
    await writeFile(file("views.arrow"), tableToIPC(mine, "file"));
    for (const table of [mine, { file: file("views.arrow") }])
      expect(await lake.sql("SELECT * FROM mine", [], { tables: { mine: table } })).toEqual([
        { text: "forum", bytes: new Uint8Array([1]), tags: ["a"] },
        { text: null, bytes: null, tags: null },
        { text: long, bytes: new Uint8Array([2, 3]), tags: ["b", null] },
      ]);
  });

  test("an Arrow table, and several tables", async () => {
    const mine = tableFromArrays({
      id: IDS.slice(0, 2),
      n: Int32Array.from([1, 2]),
      day: [new Date(0), null],
    });
    const other = [{ n: 2, word: "two" }];
    const rows = await lake.sql("SELECT word, id FROM mine JOIN other USING (n)", [], {
      tables: { mine, other },
    });
    expect(rows).toEqual([{ word: "two", id: IDS[1] }]);
  });

  test("ids keep their zeros where they are taken as text", async () => {
    const table = { file: file("my.csv"), text: ["n"] };
    const rows = await lake.sql("SELECT n FROM mine ORDER BY 1 NULLS LAST", [], { tables: { mine: table } });
    expect(rows.map(({ n }) => n)).toEqual(["01", "02", null]);
  });

  test("a table is for one query", async () => {
    await lake.sql("SELECT * FROM mine", [], { tables: { mine: [{ a: 1 }] } });
    await expect(lake.sql("SELECT * FROM mine")).rejects.toMatchObject({
      code: "sql_refused",
      value: "mine",
    });
  });

  test("the command line takes files, from its own folder", async () => {
    const args = [
      "sql",
      "SELECT note FROM mine ORDER BY 1",
      "--table",
      "mine=my.csv",
      "--json",
      "--lake",
      built.path,
    ];
    expect(JSON.parse((await run(args, { cwd: dir })).out)).toEqual([
      { note: "a, b" },
      { note: "c" },
      { note: "d" },
    ]);
    const bad = await run([...args, "--table", "mine"], { cwd: dir });
    expect(bad.err + bad.out).toContain("name=file");
  });
});

describe("no way out of the tables", () => {
  const mine = () => ({ mine: { file: file("my.csv") } });

  test.each([
    "x\"; COPY records TO '/tmp/stolen.csv'; --",
    "records",
    "RECORDS",
    "live_raw",
    "found_rows",
    "corpus",
    "my.csv",
    "main.mine",
    "",
    "ä",
    "read_csv('x')",
  ])("a table may not be named %s", async (name) => {
    const tables: OwnTables = { [name]: [{ a: 1 }] };
    await expect(lake.sql("SELECT 1", [], { tables })).rejects.toMatchObject({
      code: "table_invalid",
      value: name,
    });
  });

  test.each([
    () => `SELECT * FROM '${file("my.csv")}'`,
    () => `SELECT * FROM "${file("my.csv")}"`,
    () => `SELECT * FROM read_csv('${file("my.csv")}')`,
    () => `SELECT * FROM read_text('${file("secret.csv")}')`,
    () => `SELECT * FROM mine, '${file("secret.csv")}'`,
    () => `COPY mine TO '${file("out.csv")}'`,
    () => "SELECT * FROM main.mine",
    () => "SELECT * FROM found_rows",
    () => "SELECT * FROM live_records",
    () => "SELECT * FROM duckdb_views()",
    () => "SELECT sql FROM duckdb_views",
    () => "CREATE OR REPLACE VIEW mine AS SELECT 1",
    () => "INSERT INTO mine VALUES (1)",
    () => "SELECT * FROM query_table('mine')",
    () => "SELECT current_setting('allowed_paths')",
    () => "SELECT * FROM glob('/*')",
  ])("a query with a file of the caller does not get further: %s", async (text) => {
    await expect(lake.sql(text(), [], { tables: mine() })).rejects.toMatchObject({ code: "sql_refused" });
  });

  test("a file may name others, in its data, its name or by a pattern, without effect", async () => {
    await mkdir(file("b=1"), { recursive: true });
    await writeFile(file("b=1/star*.csv"), "path\n'/etc/passwd'\nread_csv('/etc/passwd')\n");
    await writeFile(file("b=1/star2.csv"), "path\nother\n");
    await writeFile(file("it's.csv"), "path\nfine\n");
    const read = (path: string) => lake.sql("SELECT * FROM mine", [], { tables: { mine: { file: path } } });
    expect(await read(file("b=1/star*.csv"))).toEqual([
      { path: "'/etc/passwd'" },
      { path: "read_csv('/etc/passwd')" },
    ]);
    expect(await read(file("it's.csv"))).toEqual([{ path: "fine" }]);
    await symlink(file("it's.csv"), file("link.csv"));
    expect(await read(file("link.csv"))).toEqual([{ path: "fine" }]);
  });

  test.skipIf(process.platform === "win32")("a name may have backslashes and marks of patterns", async () => {
    const read = (path: string) => lake.sql("SELECT * FROM mine", [], { tables: { mine: { file: path } } });
    for (const name of ["a\\b.csv", "a\\b*[c]?.csv", "\\*.json"]) {
      await writeFile(file(name), name.endsWith(".csv") ? "path\nfine\n" : '[{"path":"fine"}]');
      expect(await read(file(name)), name).toEqual([{ path: "fine" }]);
    }
    await writeFile(file("axb*[c]?.csv"), "path\nother\n");
    await expect(read(file("a\\b*[c]?.csv"))).rejects.toMatchObject({ code: "table_unreadable" });
  });

  test.each([
    ["a folder", () => ({ file: dir, format: "csv" })],
    ["no file", () => ({ file: file("none.csv") })],
    ["a pattern", () => ({ file: file("*.csv") })],
    ["an address", () => ({ file: "http://127.0.0.1:9/x.csv" })],
    ["bytes of another format", () => ({ file: file("my.csv"), format: "parquet" })],
    ["no Arrow", () => ({ file: file("my.csv"), format: "arrow" })],
  ] as const)("%s cannot be read as a table", async (_, table) => {
    const error = await lake
      .sql("SELECT * FROM mine", [], { tables: { mine: table() as never } })
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "table_unreadable" });
  });

  test.each([
    [[{ a: 1 }, { a: "x" }], "types BIGINT and VARCHAR"],
    [[1], "Row 0"],
    [[], "no columns"],
    [[{ a: 1, A: 2 }], "columns a and A"],
    ["text", 'is "text"'],
    [3, "is 3"],
    [{ file: "x.xls" }, "format"],
    [{ file: "x.csv", fromat: "csv" }, "did you mean format"],
  ])("%j cannot be a table", async (table, words) => {
    const error = await lake
      .sql("SELECT 1", [], { tables: { mine: table as never } })
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ code: "table_invalid" });
    expect(`${(error as Error).message} ${(error as { remedy: string }).remedy}`).toContain(words);
  });
});

test.each([
  ["an object that is in itself", cycle()],
  ["a bigint inside an object", { n: 1n }],
])("%s cannot be in a table", async (_what, value) => {
  const tables: OwnTables = { mine: [{ a: { fine: true } }, { a: value }] };
  for (const ask of [
    () => lake.sql("SELECT * FROM mine", [], { tables }),
    () => lake.sqlStream("SELECT 1", [], { tables }).next(),
  ])
    await expect(ask()).rejects.toMatchObject({
      code: "table_invalid",
      value: 1,
      message: "The column a of the table mine has a value that has no JSON (row 1)",
    });
});

test("a whole number beyond 64 bits cannot be in a table, but in a column of fractions", async () => {
  const ask = (rows: readonly object[]) =>
    lake.sql("SELECT max(a) AS a FROM mine", [], { tables: { mine: rows as never } });
  await expect(ask([{ a: 1n }, { a: 1n << 70n }])).rejects.toMatchObject({
    code: "table_invalid",
    message: expect.stringContaining("1180591620717411303424, which 64 bits do not hold (row 1)"),
  });
  expect(await ask([{ a: 0.5 }, { a: 1n << 70n }])).toEqual([{ a: 2 ** 70 }]);
});

describe("search in FROM", () => {
  test("gives ids with ranks and scores, best first, as a search does", async () => {
    const text =
      "SELECT s.id, s.rank, s.score, r.title FROM search('Awkward 1', 5) s JOIN records r USING (id) ORDER BY s.rank";
    const rows = await lake.sql(text);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThanOrEqual(5);
    expect(rows.map(({ rank }) => rank)).toEqual(rows.map((_, i) => i + 1));
    expect([...rows].sort((a, b) => (b.score as number) - (a.score as number))).toEqual(rows);
    const named = "SELECT id FROM search($words, $n) ORDER BY rank";
    expect(await lake.sql(named, { words: "Awkward 1", n: 5 })).toEqual(rows.map(({ id }) => ({ id })));
    const joined = "SELECT m.n FROM search(?) s JOIN mine m USING (id)";
    const tables = { mine: [{ id: rows[0]!.id as string, n: 7 }] };
    expect(await lake.sql(joined, ["Awkward 1"], { tables })).toEqual([{ n: 7 }]);
    const here = await openHere(built.path, { account: "memory" });
    expect(await here.sql(text)).toEqual(rows);
    await here.close();
  });

  test("two searches in a query, and none left over for the next", async () => {
    const both = "SELECT count(*) AS n FROM search('Awkward', 3) a, search('Awkward', 2) b";
    expect(await lake.sql(both)).toEqual([{ n: 6 }]);
    expect(await lake.sql("SELECT count(*) AS n FROM search('zzqqxxyy')")).toEqual([{ n: 0 }]);
    for (const n of ["3", "3.0", "3e0"])
      expect(await lake.sql(`SELECT count(*) AS n FROM search('Awkward', ${n})`)).toEqual([{ n: 3 }]);
  });

  test.each([
    ["SELECT * FROM search(lower('a'))"],
    ["SELECT * FROM records r, search(r.title)"],
    ["SELECT * FROM search()"],
    ["SELECT * FROM search('a', 0)"],
    ["SELECT * FROM search('a', 1, 2)"],
    ["SELECT * FROM search(NULL)"],
    ["SELECT * FROM search('a', 2.5)"],
    ["SELECT * FROM search('a', 0.5)"],
    ["SELECT * FROM search('a', NULL)"],
    ["SELECT * FROM search('a', 99999999999999999999)"],
    [`SELECT * FROM ${Array.from({ length: 17 }, (_, i) => `search('a', ${i + 1}) t${i}`).join(", ")}`],
  ])("%s is refused", async (text) => {
    await expect(lake.sql(text)).rejects.toMatchObject({ code: "sql_refused" });
  });
});

test("keys of extra that occur often are columns", async () => {
  const rows = await lake.sql("SELECT extra_note, extra_tags FROM records WHERE id = ?", [IDS[2]!]);
  expect(rows).toEqual([
    { extra_note: 'a "quoted" word, and a comma', extra_tags: '["a \\"quoted\\" word, and a comma"]' },
  ]);
  await expect(lake.sql("SELECT extra_nothing FROM records")).rejects.toMatchObject({ code: "sql_failed" });
});
