import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Database, DatabaseError } from "../../src/corpus/duckdb.js";

describe("Database", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "mirrorlake-duckdb-"));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

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

  it("makes a table anew each time that it is told to", async () => {
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
