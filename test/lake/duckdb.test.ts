import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DatabaseError } from "../../src/contract/errors.js";
import { Database, type SqlValue } from "../../src/duckdb/database.js";
import { loadDuckDb } from "../../src/duckdb/load-package.js";
import { columnOfVector } from "../../src/duckdb/results/bind-columns.js";
import type { Column } from "../../src/duckdb/results/column-batch.js";
import { columnType } from "../../src/duckdb/results/column-batch.js";
import { plainBatches, plainRows } from "../../src/duckdb/results/plain-batch.js";
import { rowsOfChunk } from "../../src/duckdb/results/result-rows.js";
import { Session } from "../../src/duckdb/session.js";
import { measureShares, watchShare } from "../../src/duckdb/watch-share.js";
import { ANY_CHARACTER } from "../support/any-character.js";
import { runs } from "../support/campaign.js";
import { turnsDuring } from "../support/turns-during.js";

/** Texts of a column; the reader of apache-arrow would drop a U+FEFF itself. */
/** More time than results may be converted for in one turn of the event loop. */
const LONG_MS = 15;

function textsOf({ length, values, offsets, validity }: Column): (string | null)[] {
  return Array.from({ length }, (_, i) => {
    if (validity !== undefined && ((validity[i >> 3]! >> (i & 7)) & 1) === 0) return null;
    return Buffer.from(values!.subarray(offsets![i], offsets![i + 1]) as Uint8Array).toString("utf8");
  });
}

async function batchesOf<T>(source: AsyncIterable<T>): Promise<T[]> {
  const batches: T[] = [];
  for await (const batch of source) batches.push(batch);
  return batches;
}

describe("a statement that takes long", () => {
  it("says how far it is while it runs", async () => {
    const { DuckDBInstance } = await loadDuckDb();
    const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
    const connection = await instance.connect();
    try {
      await measureShares(connection);
      await connection.run("CREATE TABLE numbers AS FROM range(600_000) t(n)");
      const shares: number[] = [];
      const stop = watchShare(connection, (share) => shares.push(share), 1);
      await connection.run("CREATE TABLE texts AS SELECT md5(n::VARCHAR) AS text FROM numbers ORDER BY text");
      stop();
      expect(shares.length).toBeGreaterThan(1);
      expect(shares).toEqual([...new Set(shares)].sort((a, b) => a - b));
      expect(shares[0]).toBeGreaterThan(0);
      expect(shares.at(-1)).toBeLessThanOrEqual(1);
    } finally {
      connection.disconnectSync();
      instance.closeSync();
    }
  });

  it("is watched where somebody wants to know, and does what it does", async () => {
    const db = await Database.open(":memory:");
    try {
      const watched = vi.spyOn(Session.prototype, "watch");
      await db.run("CREATE TABLE one AS SELECT 1 AS n");
      expect(watched).not.toHaveBeenCalled();
      await db.run("INSERT INTO one VALUES (?)", [2], undefined, () => {});
      expect(watched).toHaveBeenCalledTimes(1);
      expect(await db.rows("SELECT sum(n) AS n FROM one")).toEqual([{ n: 3 }]);
    } finally {
      vi.restoreAllMocks();
      await db.close();
    }
  });
});

describe("a batch of a result that has many values", () => {
  it("becomes rows, columns and values to send in several turns of the event loop", async () => {
    const { DuckDBInstance } = await loadDuckDb();
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    const names = ["texts"];
    const sql = `SELECT list_transform(range(150), x -> 'a text with number ' || x) AS texts FROM range(2048)`;
    // What was read of a chunk once is kept in it.
    const chunk = async () => {
      const result = await connection.run(sql);
      return { chunk: result.getChunk(0), types: result.columnTypes() };
    };
    const [forRows, forColumns, forPlain] = [await chunk(), await chunk(), await chunk()];
    // Between two looks at the clock more time goes by than a turn may last.
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => {
      now += LONG_MS;
      return now;
    });
    const rows = await turnsDuring(() => rowsOfChunk(forRows.chunk, names));
    const column = await turnsDuring(() =>
      columnOfVector(columnType(forColumns.types[0]!), forColumns.chunk.getColumnVector(0)),
    );
    const plain = await turnsDuring(() => batchesOf(plainBatches({ names, ...forPlain })));
    clock.mockRestore();
    for (const { turns } of [rows, column, plain]) expect(turns).toBeGreaterThan(2);
    const texts = Array.from({ length: 150 }, (_, x) => `a text with number ${x}`);
    expect(rows.result).toHaveLength(2048);
    expect(rows.result.at(-1)).toEqual({ texts });
    expect(textsOf(column.result.children![0]!).slice(-150)).toEqual(texts);
    expect(plain.result.reduce((sum, { length }) => sum + length, 0)).toBe(2048);
    connection.disconnectSync();
    instance.closeSync();
  });
});

describe("Database", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "mirrorlake-duckdb-"));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it("sends rows of long lists in small batches, and others as they come", async () => {
    const db = await Database.open(":memory:");
    const sent = (sql: string) => batchesOf(db.plain(sql));
    const lists = `SELECT i, range(i % 700) AS list, [{a: i, b: 'text'}] AS structs, map([i], [i]) AS map,
      (CASE WHEN i % 3 > 0 THEN [i, -i] END)::FLOAT[2] AS vector, [i, i]::FLOAT[2] AS pair, nullif(i % 5, 0) AS some FROM range(2000) t(i)`;
    const batches = await sent(lists);
    expect(batches.flatMap((batch) => plainRows(batch))).toEqual(await db.rows(lists));
    const longest = batches.map(({ columns }) => JSON.stringify(columns[1]).split(",").length);
    expect(Math.max(...longest)).toBeLessThan(70_000);
    expect(await sent("SELECT i, 'text' AS t FROM range(2000) t(i)")).toHaveLength(1);
    expect(await sent("SELECT 1 AS a, [2] AS b WHERE false")).toMatchObject([
      { names: ["a", "b"], length: 0 },
    ]);
    await db.close();
  });

  it("keeps values without a name, and those of the name __proto__", async () => {
    const db = await Database.open(":memory:");
    const [row] = await db.rows(`SELECT (1, 2) AS pair, 7 AS "__proto__"`);
    expect(JSON.stringify(row)).toBe('{"pair":[1,2],"__proto__":7}');
    await db.close();
  });

  it("turns every type into a plain JS value", async () => {
    const db = await Database.open(":memory:");
    const [row] = await db.rows(`SELECT
      42::BIGINT AS safe, 9007199254740993::BIGINT AS big, 1.5::DOUBLE AS double, true AS flag, 'é'::VARCHAR AS text,
      TIMESTAMP '2026-05-27 01:02:03' AS ts, TIMESTAMPTZ '2026-05-27 01:02:03.000004+02' AS tz,
      TIMESTAMP '1969-12-31 23:59:59.9999' AS before, DATE '2026-05-27' AS day, 12.34::DECIMAL(10,2) AS money,
      ['a', NULL]::VARCHAR[] AS list, {'a': 1::BIGINT, 'b': ['x']} AS struct, MAP {'k': 1} AS map,
      'ab'::BLOB AS bytes, NULL AS nothing, [1.5, 2.5]::FLOAT[2] AS pair`);
    expect(row).toEqual({
      safe: 42,
      big: 9007199254740993n,
      double: 1.5,
      flag: true,
      text: "é",
      ts: "2026-05-27T01:02:03.000",
      tz: "2026-05-26T23:02:03.000004Z",
      before: "1969-12-31T23:59:59.999900",
      day: "2026-05-27",
      money: 12.34,
      list: ["a", null],
      struct: { a: 1, b: ["x"] },
      map: { k: 1 },
      bytes: new Uint8Array([97, 98]),
      nothing: null,
      pair: [1.5, 2.5],
    });
    await db.close();
  });

  it("gives a kept engine's next database nothing of those before", async () => {
    const settings = `SELECT current_setting('threads') AS threads, current_setting('memory_limit') AS memory,
      current_setting('temp_directory') AS spill, current_setting('preserve_insertion_order') AS ordered`;
    const [first, second] = [join(dir, "first.duckdb"), join(dir, "it's second.duckdb")];
    const own = await Database.open(first);
    await own.run("CREATE TABLE t AS SELECT 7 AS n");
    await own.close();
    const fresh = await Database.open(":memory:");
    const [usual] = await fresh.rows(settings);
    await fresh.close();
    for (let time = 0; time < 2; time++) {
      const db = await Database.openKept(":memory:", {
        threads: 1,
        memoryLimit: "100MB",
        tempDirectory: dir,
      });
      await db.attach(first, "beside");
      await db.run("CREATE TABLE t AS SELECT * FROM beside.t");
      await db.run("CREATE TEMP TABLE u AS SELECT 1 AS n");
      await db.set({ ordered: false, memoryLimit: "50MB" });
      expect((await db.rows(settings))[0]).toMatchObject({ threads: 1, memory: "47.6 MiB", ordered: false });
      expect(await db.rows("SELECT n FROM t")).toEqual([{ n: 7 }]);
      // Nobody reads it to its end.
      for await (const _ of db.stream("SELECT * FROM range(100000)")) break;
      await db.close();
      const next = await Database.openKept(second, { blockBytes: 16_384 });
      expect(await next.rows("SELECT table_name FROM duckdb_tables()")).toEqual(
        time === 0 ? [] : [{ table_name: "v" }],
      );
      expect(await next.rows("SELECT database_name FROM duckdb_databases() WHERE NOT internal")).toHaveLength(
        2,
      );
      expect((await next.rows(settings))[0]).toEqual({ ...usual, spill: `${second}.tmp` });
      await next.run("CREATE OR REPLACE TABLE v AS SELECT TIMESTAMPTZ '2026-05-27 01:02:03+02' AS t");
      expect(await next.rows("SELECT t::VARCHAR AS t FROM v")).toEqual([{ t: "2026-05-26 23:02:03+00" }]);
      await next.close();
      expect(existsSync(`${second}.wal`)).toBe(false);
      const other = await Database.open(second);
      expect(await other.rows("SELECT block_size FROM pragma_database_size()")).toEqual([
        { block_size: 16_384 },
      ]);
      await other.close();
    }
  });

  it("keeps nothing in memory of the files that an engine has read", async () => {
    const file = join(dir, "items.parquet");
    const db = await Database.openKept(":memory:");
    await db.run(`COPY (SELECT range AS n FROM range(1000)) TO '${file}'`);
    expect(await db.rows("SELECT sum(n)::INT AS sum FROM read_parquet(?)", [file])).toEqual([
      { sum: 499_500 },
    ]);
    expect(await db.rows("SELECT path FROM duckdb_external_file_cache()")).toEqual([]);
    await db.close();
  });

  it("says of a kept engine's file that it is no database, or is not there", async () => {
    const path = join(dir, "text.duckdb");
    await writeFile(path, "no database ".repeat(1000));
    for (const file of [path, join(dir, "none.duckdb")])
      await expect(Database.openKept(file, { readOnly: true })).rejects.toMatchObject({
        code: "database_open_failed",
        value: file,
      });
    await expect(Database.openKept(join(dir, "a?b.duckdb"))).rejects.toMatchObject({
      code: "database_path_unsupported",
    });
  });

  it("binds every kind of parameter", async () => {
    const db = await Database.open(":memory:");
    const params = [
      null,
      true,
      7,
      1.25,
      9007199254740993n,
      "x'; DROP",
      new Uint8Array([1, 2]),
      ["a", "b"],
      [1, 2],
    ];
    const [row] = await db.rows("SELECT ? a, ? b, ? c, ? d, ? e, ? f, ? g, ? h, ? i", params);
    expect(Object.values(row!)).toEqual(params);
    await db.close();
  });

  it("appends many rows in several turns of the event loop", async () => {
    const db = await Database.open(":memory:");
    await db.run("CREATE TABLE t (n INTEGER)");
    function* rows() {
      for (let n = 0; n < 10_000; n++) yield [n];
    }
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => {
      now += LONG_MS;
      return now;
    });
    const { turns } = await turnsDuring(() => db.append("t", rows()));
    clock.mockRestore();
    expect(turns).toBeGreaterThanOrEqual(4);
    expect(await db.rows("SELECT count(*) AS count, max(n) AS last FROM t")).toEqual([
      { count: 10_000, last: 9999 },
    ]);
    await db.close();
  });

  it("appends rows and streams them back in order, in batches", async () => {
    const db = await Database.open(join(dir, "a.duckdb"));
    await db.run("CREATE TABLE t (id VARCHAR, n BIGINT, x DOUBLE, l VARCHAR[], made TIMESTAMPTZ, b BLOB)");
    const rows = Array.from({ length: 5000 }, (_, i) => [
      `id${i}`,
      i,
      i / 2,
      i % 2 ? [`l${i}`] : null,
      i * 1000,
      new Uint8Array([i % 256]),
    ]);
    await db.append("t", rows);
    let seen = 0;
    for await (const batch of db.stream("SELECT * FROM t ORDER BY n")) {
      expect(batch.length).toBeLessThanOrEqual(2048);
      for (const row of batch) {
        expect(row.n).toBe(seen);
        expect(row.l).toEqual(seen % 2 ? [`l${seen}`] : null);
        expect(row.made).toBe(new Date(seen * 1000).toISOString());
        seen++;
      }
    }
    expect(seen).toBe(5000);
    await db.close();
  });

  const MARK = "\ufeff";
  const marked = [
    `${MARK}short`,
    `${MARK}${MARK}longer than twelve bytes`,
    MARK,
    "",
    `in${MARK}side`,
    "a\0b",
    null,
  ];

  it("keeps a text that starts with U+FEFF, wherever it stands", async () => {
    const db = await Database.open(":memory:");
    await db.run("CREATE TABLE t (n BIGINT, a VARCHAR, l VARCHAR[])");
    await db.append(
      "t",
      marked.map((text, i) => [i, text, [text, text]]),
    );
    const nested = `SELECT a, l, {'k': a} AS s, map {'m': a} AS m, array_value(a, a) AS r, [{'d': l}] AS deep,
      union_value(u := a) AS u FROM t ORDER BY n`;
    const expected = marked.map((a) => ({
      a,
      l: [a, a],
      s: { k: a },
      m: { m: a },
      r: [a, a],
      deep: [{ d: [a, a] }],
      u: a,
    }));
    expect(await db.rows(nested)).toEqual(expected);
    const [bound] = await db.rows("SELECT ? AS a, ? AS l", [marked[1]!, marked]);
    expect(bound).toEqual({ a: marked[1], l: marked });
    for await (const { columns } of db.columns("SELECT a, l, {'k': a} AS s FROM t ORDER BY n")) {
      const [text, list, struct] = columns;
      expect(textsOf(text!)).toEqual(marked);
      expect(textsOf(list!.children![0]!)).toEqual(marked.flatMap((a) => [a, a]));
      expect(textsOf(struct!.children![0]!)).toEqual(marked);
    }
    await db.close();
  });

  it("writes and reads back any value of the types that tables use", { tags: "slow" }, async () => {
    const db = await Database.open(":memory:");
    const text = fc.option(fc.string({ unit: ANY_CHARACTER }).map((s) => s.toWellFormed()));
    const cells = fc.tuple(
      text,
      fc.option(fc.maxSafeInteger()),
      fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
      fc.option(fc.double({ noNaN: true })),
      fc.option(fc.boolean()),
      fc.option(fc.array(text, { maxLength: 5 })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(cells, { maxLength: 70 }), async (rows) => {
        await db.run(
          "CREATE OR REPLACE TABLE t (n BIGINT, a VARCHAR, b BIGINT, i INTEGER, d DOUBLE, f BOOLEAN, l VARCHAR[])",
        );
        await db.append(
          "t",
          rows.map((row, i) => [i, ...row]),
        );
        const found = await db.rows<Record<string, unknown>>("SELECT * FROM t ORDER BY n");
        expect(found.map((row) => Object.values(row).slice(1))).toEqual(rows);
      }),
      runs(60),
    );
    await db.close();
  });

  it("refuses a cell that its column cannot hold", async () => {
    const db = await Database.open(":memory:");
    await db.run("CREATE TABLE t (i INTEGER, b BIGINT, d DOUBLE, f BOOLEAN, a VARCHAR, l VARCHAR[])");
    const good = [1, 1, 1, true, "a", ["a"]] as const;
    for (const [column, value] of [
      [0, 2 ** 31],
      [0, 1.5],
      [1, 0.5],
      [1, 2n ** 63n],
      [2, "x"],
      [3, 1],
      [4, 7],
      [5, "x"],
    ] as const) {
      const row: SqlValue[] = [...good];
      row[column] = value;
      await expect(db.append("t", [row]), `${column}: ${value}`).rejects.toThrow(DatabaseError);
    }
    expect(await db.rows("SELECT * FROM t")).toEqual([]);
    await db.close();
  });

  it("makes a table again each time that it is asked to", async () => {
    const db = await Database.open(":memory:");
    for (let i = 0; i < 3; i++) {
      await db.run("CREATE OR REPLACE TEMP TABLE t (id VARCHAR, n BIGINT)");
      await db.append("t", [["a", i]]);
      expect(await db.rows("SELECT * FROM t")).toEqual([{ id: "a", n: i }]);
    }
    await db.close();
  });

  it("answers concurrent reads and streams of a read-only database", async () => {
    const path = join(dir, "b.duckdb");
    const writer = await Database.open(path);
    await writer.run("CREATE TABLE t AS SELECT i FROM range(10000) r(i)");
    await writer.close();
    const db = await Database.open(path, { readOnly: true, threads: 2 });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => db.rows<{ i: number }>("SELECT i FROM t WHERE i = ?", [i])),
    );
    expect(answers.map(([row]) => row!.i)).toEqual(Array.from({ length: 200 }, (_, i) => i));
    const streams = await Promise.all(
      [0, 1, 2].map(async () => {
        let sum = 0;
        for await (const batch of db.stream<{ i: number }>("SELECT i FROM t")) {
          for (const row of batch) sum += row.i;
        }
        return sum;
      }),
    );
    expect(streams).toEqual([49995000, 49995000, 49995000]);
    await expect(db.run("CREATE TABLE u (a INTEGER)")).rejects.toThrow(DatabaseError);
    await db.close();
  });

  it.each(["stream", "run"] as const)("heeds an abort while it connects: %s", async (how) => {
    const db = await Database.open(":memory:");
    const controller = new AbortController();
    const endless = "SELECT count(*) FROM range(1000000) a, range(1000000) b";
    const asked =
      how === "run"
        ? db.run(endless, [], controller.signal)
        : db.stream(endless, [], controller.signal).next();
    controller.abort(new Error("enough"));
    await expect(asked).rejects.toThrow("enough");
    await db.close();
  });

  it.each([
    ["stream", "an error", "error('boom')", "boom"],
    ["columns", "a value", "('x' || range)::INT::VARCHAR", "Could not convert string 'x250000'"],
    ["plain", "a value", "('x' || range)::INT::VARCHAR", "Could not convert string 'x250000'"],
  ] as const)(
    "throws what ends a stream half-way, never a part of its rows: %s, %s",
    async (how, _, end, says) => {
      const db = await Database.open(":memory:");
      const sql = `SELECT CASE WHEN range = 250000 THEN ${end} ELSE range::VARCHAR END AS x FROM range(300000) WHERE range > $least`;
      let rows = 0;
      const read = async () => {
        for await (const batch of db[how](sql, { least: -1 }))
          rows += Array.isArray(batch) ? batch.length : (batch as { readonly length: number }).length;
      };
      await expect(read()).rejects.toMatchObject({
        code: "sql_failed",
        message: expect.stringContaining(says),
      });
      expect(rows).toBeLessThan(250_000);
      expect(await db.rows("SELECT 1 AS one")).toEqual([{ one: 1 }]);
      await db.close();
    },
  );

  it("stops a stream when the signal aborts, and goes on working", async () => {
    const db = await Database.open(":memory:");
    const controller = new AbortController();
    const run = async () => {
      for await (const _ of db.stream("SELECT * FROM range(100000000)", [], controller.signal))
        controller.abort();
    };
    await expect(run()).rejects.toMatchObject({ name: "AbortError" });
    expect(await db.rows("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await db.close();
  });

  it("says that its memory is not enough, without advice that nobody can follow", async () => {
    const db = await Database.open(":memory:", { memoryLimit: "10MB", tempDirectory: "", threads: 1 });
    await expect(
      db.run("CREATE TABLE big AS SELECT repeat('x', 1000) || i AS text FROM range(100000) t(i)"),
    ).rejects.toMatchObject({
      name: "DatabaseError",
      code: "database_memory",
      message: expect.stringMatching(/^The engine needs more memory than it may take: .*$/),
      remedy: expect.stringContaining("smaller parts"),
      value: expect.stringContaining("CREATE TABLE big"),
    });
    await db.close();
  });

  it("names the statement that failed, and refuses use after close", async () => {
    const db = await Database.open(":memory:");
    await expect(db.rows("SELEC 1")).rejects.toMatchObject({ code: "sql_failed", value: "SELEC 1" });
    await expect(db.rows("INSTALL httpfs")).rejects.toThrow();
    await db.close();
    await db.close();
    await expect(db.rows("SELECT 1")).rejects.toMatchObject({ code: "database_closed" });
    await expect(Database.open(join(dir, "none.duckdb"), { readOnly: true })).rejects.toMatchObject({
      code: "database_open_failed",
    });
  });
});
