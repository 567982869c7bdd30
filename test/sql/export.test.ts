import { chmod, lstat, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { displayWidth } from "../../src/cli/format/display-width.js";
import { runCli } from "../../src/cli/program.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import type { StoredRecord } from "../../src/contract/service/unified-record.js";
import { csvRecord } from "../../src/files/csv-text.js";
import { CsvParser } from "../../src/ingest/readers/csv-parser.js";
import { SQL_VIEWS } from "../../src/sql/views.js";
import { capture } from "../cli/capture.js";
import { ANY_CHARACTER } from "../support/any-character.js";
import type { TemporaryLake } from "../support/sample-lake.js";
import { AWKWARD, awkwardVector, MODEL, richItems, temporaryRichLake } from "./rich-lake.js";

let built: TemporaryLake;
let lake: LakeClient;
let dir: string;
beforeAll(async () => {
  built = await temporaryRichLake();
  lake = await openLake(built.path, { account: "memory" });
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-export-"));
});
afterAll(async () => {
  await lake?.close();
  await built?.remove();
  await rm(dir, { recursive: true, force: true });
});

const COLUMNS = SQL_VIEWS[0]!.columns;
const stored = richItems().flatMap((item) => (item.kind === "record" ? [item.record] : []));
const byId = (a: { id?: unknown }, b: { id?: unknown }) => (String(a.id) < String(b.id) ? -1 : 1);

/** What an independent reader gives, in the terms of `lake.sql`. */
function plain(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "object" && Symbol.iterator in value)
    return [...(value as Iterable<unknown>)].map(plain);
  return value;
}

function plainRow(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, plain(value)]));
}

async function readJsonLines(bytes: Buffer): Promise<StoredRecord[]> {
  const lines = bytes.toString("utf8").split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line) as StoredRecord);
}

describe("independent readers find every row as it is in the lake", () => {
  test("Parquet, by hyparquet", async () => {
    const out = join(dir, "all.parquet");
    const report = await lake.export(out, { format: "parquet", vectors: true });
    expect(report).toMatchObject({ file: out, format: "parquet", records: stored.length });
    const rows = (await parquetReadObjects({ file: await asyncBufferFromFile(out) })).map(plainRow);
    const expected = await lake.sql("SELECT * EXCLUDE (extra_note, extra_tags) FROM records");
    expect(rows.map(({ vector_model: _model, vec: _vec, ...row }) => row)).toEqual(expected);
    for (const i of AWKWARD.keys()) {
      const row = rows.find(({ id }) => id === `web_doc_awkward-${i}`)!;
      if (i === AWKWARD.length - 1) expect(row.vector_model).toBe(lake.lake.index.embedderId);
      else {
        expect(row.vector_model).toBe(MODEL);
        expect(Float32Array.from(row.vec as number[])).toEqual(awkwardVector(i));
      }
    }
  });

  test("Parquet says to Arrow's readers that vectors have a fixed size, and names every column's type", async () => {
    const out = join(dir, "typed.parquet");
    const arrow = join(dir, "typed.arrow");
    await lake.export(out, { format: "parquet", vectors: true });
    await lake.export(arrow, { format: "arrow", vectors: true });
    const file = await asyncBufferFromFile(out);
    const { key_value_metadata: metadata = [] } = await parquetMetadataAsync(file);
    const text = metadata.find(({ key }) => key === "ARROW:schema")?.value;
    const said = tableFromIPC(Buffer.from(text!, "base64")).schema;
    expect(String(said.fields.find(({ name }) => name === "vec")?.type)).toBe("FixedSizeList[1536]<Float32>");
    expect(String(said)).toBe(String(tableFromIPC(await readFile(arrow)).schema));
  });

  test("Arrow IPC, by apache-arrow", async () => {
    const out = join(dir, "all.arrow");
    await lake.export(out, { format: "arrow", vectors: true });
    const table = tableFromIPC(await readFile(out));
    const expected = await lake.sql(
      "SELECT r.* EXCLUDE (extra_note, extra_tags), v.model AS vector_model, v.vec FROM records r JOIN vectors v USING (id) ORDER BY id",
    );
    const rows = table
      .toArray()
      .map((row) => plainRow(row.toJSON()))
      .sort(byId);
    for (const row of rows) row.captured_at = new Date(row.captured_at as number).toISOString();
    expect(rows).toEqual(expected.map(plainRow).sort(byId));
    expect(String(table.schema.fields.at(-1)!.type)).toBe("FixedSizeList[1536]<Float32>");
  });

  test.each(["jsonl", "jsonl.gz"] as const)("%s, by JSON.parse", async (format) => {
    const out = join(dir, `all.${format}`);
    await lake.export(out, { format });
    const bytes = await readFile(out);
    const rows = await readJsonLines(format === "jsonl" ? bytes : gunzipSync(bytes));
    expect(rows.sort(byId)).toEqual([...stored].sort(byId));
  });

  test("JSON Lines with vectors", async () => {
    const out = join(dir, "vectors.jsonl");
    await lake.export(out, { format: "jsonl", vectors: true, platforms: ["web-docs"] });
    const rows = (await readJsonLines(await readFile(out))) as (StoredRecord & { vec: number[] })[];
    expect(rows).toHaveLength(AWKWARD.length);
    const first = rows.find(({ id }) => id === "web_doc_awkward-0")!;
    expect(Float32Array.from(first.vec)).toEqual(awkwardVector(0));
  });

  test("CSV, by the library's own reader", async () => {
    const out = join(dir, "all.csv");
    await lake.export(out, { format: "csv" });
    const parser = new CsvParser(",", '"');
    const records = [...parser.push(await readFile(out)), ...parser.end()];
    expect(records.filter(({ problem }) => problem !== undefined)).toEqual([]);
    const [header, ...lines] = records.map(({ fields }) => fields);
    expect(header).toEqual(COLUMNS.map(({ name }) => name));
    const expected = await lake.sql("SELECT * EXCLUDE (extra_note, extra_tags) FROM records");
    const text = (value: unknown) =>
      value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
    expect(lines).toEqual(expected.map((row) => Object.values(row).map(text)));
  });
});

describe("filters", () => {
  const cases = [
    [{ domains: ["social"] }, (r: StoredRecord) => r.src === "social"],
    [{ platforms: ["forum", "web-docs"] }, (r) => ["forum", "web-docs"].includes(r.platform)],
    [{ langs: ["zh"] }, (r) => r.lang === "zh" || r.lang.startsWith("zh-")],
    [{ langs: ["zh-Hant"], domains: ["web"] }, (r) => r.lang === "zh-Hant"],
    [{ to: "2026-04-12" }, (r) => Date.parse(r.prov.ts) < Date.parse("2026-04-13")],
    [
      { from: "2026-04-12T08:30:00.250+08:00", to: "2026-04-12T00:30:00.250Z" },
      (r) => r.prov.ts.startsWith("2026-04-12"),
    ],
    [{ platforms: ["nowhere"] }, () => false],
  ] as const satisfies readonly (readonly [object, (record: StoredRecord) => boolean])[];

  test.each(cases)("%j", async (filter, fits) => {
    const expected = stored
      .filter((record) => fits(record as StoredRecord))
      .map(({ id }) => id)
      .sort();
    const ids: string[] = [];
    for await (const batch of lake.arrow(filter)) {
      expect(batch.schema.fields.map(({ name }) => name)).toEqual(COLUMNS.map(({ name }) => name));
      ids.push(...[...batch.getChild("id")!]);
    }
    expect(ids.sort()).toEqual(expected);
    const out = join(dir, "some.jsonl");
    const report = await lake.export(out, { format: "jsonl", ...filter });
    expect(report.records).toBe(expected.length);
    const lines = (await readFile(out, "utf8")).split("\n").filter((line) => line !== "");
    expect(lines.map((line) => (JSON.parse(line) as StoredRecord).id).sort()).toEqual(expected);
  });

  test("a window that is none is refused", () => {
    expect(() => lake.arrow({ from: "yesterday" })).toThrow(
      expect.objectContaining({ code: "invalid_window" }),
    );
  });
});

describe("all or nothing", () => {
  const formats = ["parquet", "jsonl", "jsonl.gz", "csv", "arrow"] as const;

  test.each(formats)("%s: what is interrupted leaves what was there", async (format) => {
    const folder = await mkdtemp(join(dir, "interrupted-"));
    const out = join(folder, "out");
    await writeFile(out, "before");
    const controller = new AbortController();
    const reason = new Error("Ctrl-C");
    const exported = lake.export(out, {
      format,
      signal: controller.signal,
      onProgress: () => controller.abort(reason),
    });
    await expect(exported).rejects.toBe(reason);
    expect(await readFile(out, "utf8")).toBe("before");
    expect(await readdir(folder)).toEqual(["out"]);
  });

  test("a file that cannot be written is refused by name", async () => {
    await expect(lake.export(join(dir, "no", "such", "x.csv"), { format: "csv" })).rejects.toMatchObject({
      code: "unwritable_file",
    });
    await expect(lake.export(dir, { format: "csv" })).rejects.toMatchObject({ code: "unwritable_file" });
  });

  test("a file of the lake is refused and stays", async () => {
    const current = join(built.path, "CURRENT");
    const before = await readFile(current, "utf8");
    await symlink(current, join(dir, "link-to-lake"));
    for (const out of [current, join(built.path, "new.csv"), join(dir, "link-to-lake")])
      await expect(lake.export(out, { format: "csv" })).rejects.toMatchObject({
        name: "UsageError",
        code: "file_in_lake",
        value: out,
      });
    expect(await readFile(current, "utf8")).toBe(before);
  });

  test.skipIf(process.platform === "win32")("a link stays, and so do permissions", async () => {
    const folder = await mkdtemp(join(dir, "linked-"));
    await writeFile(join(folder, "target"), "before");
    await chmod(join(folder, "target"), 0o640);
    await symlink("target", join(folder, "link"));
    for (const format of formats) {
      const report = await lake.export(join(folder, "link"), { format });
      expect(report).toMatchObject({ file: join(folder, "link"), records: stored.length });
      const target = await lstat(join(folder, "target"));
      expect([target.mode & 0o777, target.size]).toEqual([0o640, report.bytes]);
    }
    expect((await lstat(join(folder, "link"))).isSymbolicLink()).toBe(true);
    expect((await readdir(folder)).sort()).toEqual(["link", "target"]);
  });
});

test("any text comes back from CSV as it was", { tags: "slow" }, () => {
  const cell = fc.oneof(
    fc.string({ unit: ANY_CHARACTER }),
    fc.constantFrom("", '"', ",", "\r\n", "\n", " x ", '""'),
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }).chain((n) => fc.array(fc.array(cell, { minLength: n, maxLength: n }))),
      (rows) => {
        const wellFormed = rows.map((row) => row.map((text) => Buffer.from(text, "utf8").toString("utf8")));
        const parser = new CsvParser(",", '"');
        const bytes = Buffer.from(wellFormed.map((row) => csvRecord(row)).join(""), "utf8");
        const records = [...parser.push(bytes), ...parser.end()];
        expect(records.map(({ fields }) => fields)).toEqual(wellFormed);
        expect(records.every(({ problem }) => problem === undefined)).toBe(true);
      },
    ),
  );
});

test.each([
  ["=1+1", "'=1+1"],
  ["+49 30 1234", "'+49 30 1234"],
  ["-2", "'-2"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["＝1", "'＝1"],
  ["\t=1", "'\t=1"],
  ["a=1", "a=1"],
  [-2, "-2"],
  [["=1"], '"[""=1""]"'],
])("the cell %j is written as %s where formulas are escaped", (value, cell) => {
  expect(csvRecord([value], { escapeFormulas: true })).toBe(`${cell}\r\n`);
});

describe("the command line", () => {
  const run = (...args: string[]) => capture([...args, "--lake", built.path], { cwd: dir });

  test("sql prints a table, or row objects", async () => {
    const query = "SELECT id, sentiment_score AS score FROM records WHERE platform = $p ORDER BY id LIMIT 2";
    const table = await run("sql", query, "--param", "p=web-docs");
    expect(table.err).toBe("");
    expect(table.out).toMatch(
      /^id +score\n─+ +─+\nweb_doc_awkward-0 +-0.5\nweb_doc_awkward-1 +-0.375\n2 rows, /,
    );
    const json = await run("sql", query, "--param", "p=web-docs", "--json");
    expect(JSON.parse(json.out)).toEqual([
      { id: "web_doc_awkward-0", score: -0.5 },
      { id: "web_doc_awkward-1", score: -0.375 },
    ]);
    const formulas = "SELECT '=1+1' AS \"=a\", -1 AS b";
    expect((await run("sql", formulas, "--format", "csv")).out).toBe("=a,b\n=1+1,-1\n");
    expect((await run("sql", formulas, "--format", "csv", "--escape-formulas")).out).toBe(
      "'=a,b\n'=1+1,-1\n",
    );
    const limited = await run(
      "sql",
      "SELECT * FROM range(10) WHERE range >= ?",
      "--param",
      "3",
      "--limit",
      "2",
      "--json",
    );
    expect(JSON.parse(limited.out)).toEqual([{ range: 3 }, { range: 4 }]);
  });

  test("sql --format csv has its header without a row, and numbers as they are", async () => {
    const empty = await run("sql", "SELECT id, title FROM records WHERE false", "--format", "csv");
    expect(empty.out).toBe("id,title\n");
    const numbers =
      "SELECT sum(-1.5::DECIMAL(18,2)) AS d, {'a': 9007199254740993} AS s, '-1' AS t, 2 AS \"2\", 1 AS \"1\"";
    expect((await run("sql", numbers, "--format", "csv", "--escape-formulas")).out).toBe(
      'd,s,t,2,1\n-1.50,"{""a"":9007199254740993}",\'-1,2,1\n',
    );
  });

  test("sql --json has every digit of a whole number", async () => {
    const ids = "SELECT 7400000000000000123 AS id UNION ALL SELECT 7400000000000000124 ORDER BY 1";
    const { out } = await run("sql", ids, "--json");
    expect(out).toBe('[{"id":7400000000000000123},{"id":7400000000000000124}]\n');
  });

  test("sql puts rows below each other where a table would be too wide, and on request", async () => {
    const wide = await run("sql", "SELECT * FROM records ORDER BY id LIMIT 2");
    expect(wide.out).toMatch(/^── 1 ─+\nid +\S+\n/);
    expect(wide.out).toContain("\n── 2 ─");
    expect(wide.out).toContain("2 rows, ");
    for (const line of wide.out.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(120);
    const asked = await run("sql", "SELECT 1 AS a, 'x' AS b", "--format", "vertical");
    expect(asked.out).toMatch(/^── 1 ─+\na {2}1\nb {2}x\n1 row, /);
    const table = await run("sql", "SELECT * FROM records ORDER BY id LIMIT 2", "--format", "table");
    expect(table.out).toMatch(/^id +/);
  });

  test("sql writes CSV and JSON, and says when there is more than it was asked for", async () => {
    const query = "SELECT range AS n, 'a \"b\", c' AS text, NULL AS none, [1, 2] AS list FROM range(3)";
    const csv = await run("sql", query, "--format", "csv", "--limit", "2");
    expect(csv.out).toBe('n,text,none,list\n0,"a ""b"", c",,"[1,2]"\n1,"a ""b"", c",,"[1,2]"\n');
    const nothing = await run(
      "sql",
      "SELECT NULL AS a, '' AS b, ' ' AS c UNION ALL SELECT '', NULL, ''",
      "--format",
      "csv",
    );
    expect(nothing.out).toBe('a,b,c\n,"", \n"",,""\n');
    expect((await run("sql", "SELECT NULL AS a", "--format", "csv")).out).toBe('a\n""\n');
    expect(csv.err).toBe("2 rows shown, more exist: --limit 0 for all\n");
    const json = await run("sql", query, "--format", "json", "--limit", "3");
    expect(JSON.parse(json.out)).toHaveLength(3);
    expect(json.err).toBe("");
    const cut = await run("sql", "SELECT * FROM range(3)", "--limit", "1");
    expect(cut.out).toContain("1 row shown, more exist: --limit 0 for all, ");
  });

  test.each(["csv", "json"])("sql writes %s of any length as its rows come", async (format) => {
    const numbers = (n: number) => Array.from({ length: n }, (_, i) => i);
    const args = ["sql", "SELECT range AS n FROM range(50000)", "--limit", "0", "--format", format];
    const { out } = await run(...args);
    expect(out).toBe(
      format === "csv"
        ? `n\n${numbers(50_000).join("\n")}\n`
        : `${JSON.stringify(numbers(50_000).map((n) => ({ n })))}\n`,
    );
    const none = await run("sql", "SELECT 1 AS n WHERE false", "--format", format);
    expect(none.out).toBe(format === "csv" ? "n\n" : "[]\n");
  });

  test.each(["csv", "json"])("sql waits for the reader of %s, and ends with it", async (format) => {
    const stop = new AbortController();
    let waiting = false;
    let pieces = 0;
    let err = "";
    const out = {
      write: () => {
        expect(waiting).toBe(false);
        if (!stop.signal.aborted) pieces++;
      },
      drained: async () => {
        waiting = true;
        await new Promise((taken) => setTimeout(taken, 20));
        waiting = false;
        if (pieces === 5) stop.abort();
      },
      isTty: false,
      columns: 80,
      color: false,
    };
    const quiet = {
      ...out,
      drained: undefined,
      write: (text: string) => {
        err += text;
      },
    };
    const code = await runCli(
      [
        "sql",
        "SELECT range AS n FROM range(1000000000000)",
        "--limit",
        "0",
        "--format",
        format,
        "--lake",
        built.path,
      ],
      { out, err: quiet, env: {}, cwd: dir, signal: stop.signal },
    );
    expect({ code, err, pieces }).toEqual({ code: 130, err: "Interrupted.\n", pieces: 5 });
  });

  test("sql puts an error that comes late on a line of its own", async () => {
    const late = "SELECT CASE WHEN range = 400000 THEN error('late') ELSE range END AS n FROM range(500000)";
    const { code, out, err } = await run("sql", late, "--limit", "0", "--format", "json");
    expect(code).toBe(1);
    // An array without its end: no reader takes it for the whole.
    expect(() => JSON.parse(out)).toThrow();
    const written = (JSON.parse(`${out}]`) as unknown[]).length;
    expect(err).toContain(`The output is cut after ${written.toLocaleString("en")} rows\nError sql_failed: `);
    for (const format of ["csv", "jsonl"]) {
      const cut = await run("sql", late, "--limit", "0", "--format", format);
      expect(cut.code).toBe(1);
      const lines = cut.out.trimEnd().split("\n");
      expect(cut.out).toMatch(/[\d}]\r?\n$/);
      const count = format === "csv" ? lines.length - 1 : lines.length;
      expect(cut.err).toContain(
        `The output is cut after ${count.toLocaleString("en")} rows\nError sql_failed: `,
      );
      if (format === "jsonl") expect(lines.map((line) => JSON.parse(line))[7]).toEqual({ n: 7 });
    }
  });

  test("sql --json prints one value: all rows or an error, early or late", async () => {
    const failing = (at: number, n: number) =>
      `SELECT CASE WHEN range = ${at} THEN error('now') ELSE range END AS n FROM range(${n})`;
    for (const query of [failing(0, 2000), failing(400_000, 500_000)]) {
      const { code, out, err } = await run("sql", query, "--limit", "0", "--json");
      expect({ code, err }).toEqual({ code: 1, err: "" });
      expect(JSON.parse(out)).toMatchObject({ error: { code: "sql_failed" } });
    }
    const { out } = await run("sql", failing(-1, 50_000), "--limit", "0", "--json");
    expect(out).toBe((await run("sql", failing(-1, 50_000), "--limit", "0", "--format", "json")).out);
  });

  test("sql prints bytes as DuckDB does", async () => {
    const bytes = `SELECT '\\xAA\\x00a\\x22'::BLOB AS b, ['\\xFF'::BLOB] AS l, '\\xAAa'::BLOB::VARCHAR AS own`;
    const csv = await run("sql", bytes, "--format", "csv");
    expect(csv.out).toBe('b,l,own\n\\xAA\\x00a\\x22,"[""\\\\xFF""]",\\xAAa\n');
    for (const format of ["table", "vertical"])
      expect((await run("sql", bytes, "--format", format)).out).toContain("\\xAA\\x00a\\x22");
    expect(JSON.parse((await run("sql", bytes, "--json")).out)).toMatchObject([{ b: [170, 0, 97, 34] }]);
  });

  test("sql refuses with exit code 1, and wants a query", async () => {
    const refused = await run("sql", "COPY records TO 'x'", "--json");
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out)).toMatchObject({ error: { code: "sql_refused" } });
    expect((await run("sql")).code).toBe(2);
    expect((await run("sql", "SELECT ?, $a", "--param", "1", "--param", "a=2")).code).toBe(2);
  });

  test("sql --schema says what every column is", async () => {
    const { out } = await run("sql", "--schema");
    for (const { name, columns } of SQL_VIEWS) {
      expect(out).toContain(`${name}: `);
      for (const column of columns) expect(out).toContain(column.name);
    }
    const json = JSON.parse((await run("sql", "--schema", "--json")).out) as { name: string }[];
    expect(json.map(({ name }) => name)).toEqual(SQL_VIEWS.map(({ name }) => name));
  });

  test("sql and export need no account", async () => {
    const env = { MIRRORLAKE_ACCOUNT: "postgres://me@127.0.0.1:1/lake" };
    for (const args of [
      ["sql", "SELECT 1"],
      ["export", "--format", "csv", "--out", "without-account.csv"],
    ])
      expect(await capture([...args, "--lake", built.path], { cwd: dir, env })).toMatchObject({
        code: 0,
        err: "",
      });
  });

  test("export writes and reports", async () => {
    const { code, out } = await run(
      "export",
      "--format",
      "csv",
      "--out",
      "cli.csv",
      "--platform",
      "web-docs",
      "--json",
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      file: join(dir, "cli.csv"),
      records: AWKWARD.length,
      format: "csv",
    });
    const misspelt = ["--platform", "web-dosc", "--lang", "qya"];
    const none = await run("export", "--format", "csv", "--out", "none.csv", ...misspelt);
    expect(none).toMatchObject({ code: 0, out: expect.stringContaining("0 records written") });
    expect(none.err).toBe(
      'Hint: no platform "web-dosc" in this lake; did you mean "web-docs"? nothing in the language qya in this lake\n',
    );
    expect((await run("export", "--format", "xml", "--out", "x")).code).toBe(2);
    expect((await run("export", "--format", "csv", "--out", "x.csv", "--from", "soon")).code).toBe(2);
  });

  test("export prints text where it is to go to standard output, and makes no file of that name", async () => {
    for (const format of ["csv", "jsonl"]) {
      await run("export", "--format", format, "--out", `printed.${format}`);
      const printed = await run("export", "--format", format, "--out", "-");
      expect(printed).toMatchObject({ code: 0, err: "" });
      expect(printed.out).toBe(await readFile(join(dir, `printed.${format}`), "utf8"));
    }
    for (const args of [["parquet"], ["jsonl.gz"], ["jsonl", "--json"]]) {
      const refused = await run("export", "--out", "-", "--format", ...args);
      expect(refused.code).toBe(2);
      expect(refused.err + refused.out).toContain("invalid_argument");
    }
    expect(await readdir(dir)).not.toContain("-");
  });
});
