import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Database } from "../../src/duckdb/database.js";
import { ingest } from "../../src/ingest/ingest.js";
import type { IngestInput } from "../../src/ingest/input-rows.js";
import { compileMapping } from "../../src/ingest/mapping/compile.js";
import { Scratch } from "./support.js";

let scratch: Scratch;
beforeEach(async () => {
  scratch = await Scratch.make();
});
afterEach(() => scratch.remove());

async function ingested(
  input: IngestInput,
  { record = {}, data = { x: "x" } }: { record?: object; data?: object } = {},
) {
  const adapter = compileMapping({
    mapping: 1,
    name: "rows",
    info: { title: "Rows", licence: "CC0-1.0" },
    sources: [{ name: "rows", files: ["*"] }],
    defaults: { platform: "global-news", lang: { value: "en" } },
    rules: [
      {
        from: "rows",
        record: { id: "id", fields: { title: "title" }, ...record },
        raw: [{ resource: "thing", id: "title", data }],
      },
    ],
  });
  const out = join(scratch.dir, "out");
  const report = await ingest(input, {
    adapter,
    out,
    replace: true,
    authorSalt: "a salt of this test",
    capturedAt: "2026-05-29T12:00:00Z",
  });
  const rejects = (await readFile(report.rejectsFile, "utf8"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { line: number; field: string; reason: string });
  const db = await Database.open(":memory:");
  const rows = <T>(file: string) =>
    report.slices.length === 0
      ? Promise.resolve([])
      : db.rows<Record<string, T>>(`SELECT * FROM read_parquet(?, union_by_name = true) ORDER BY id`, [
          `${out}/*/${file}.parquet`,
        ]);
  try {
    const raw = report.raw === 0 ? [] : await rows<string>("raw");
    const records = report.records === 0 ? [] : await rows<string>("records");
    const things = Object.fromEntries(
      raw.map(({ id, data }) => [id, (JSON.parse(data!) as { x?: unknown }).x]),
    );
    return {
      report,
      rejects: rejects.map(({ line, field, reason }) => [line, field, reason]),
      things,
      records,
    };
  } finally {
    await db.close();
  }
}

async function* one(...rows: readonly unknown[]) {
  yield* rows;
}

describe("a source that reuses what it gives", () => {
  it("may use one object for all rows", async () => {
    async function* rows() {
      const row = { id: 0, title: "", tags: [""] };
      for (let i = 0; i < 5; i++) {
        row.id = i;
        row.title = `t${i}`;
        row.tags[0] = `tag ${i}`;
        yield row;
        await setTimeout(1);
      }
    }
    const { report, things } = await ingested(rows(), { data: { x: "tags" } });
    expect(report).toMatchObject({ read: 5, records: 5, raw: 5, duplicates: 0, rejected: 0 });
    expect(things).toEqual({ t0: ["tag 0"], t1: ["tag 1"], t2: ["tag 2"], t3: ["tag 3"], t4: ["tag 4"] });
  });

  it("may use one buffer for all bytes", async () => {
    const text = Array.from(
      { length: 4000 },
      (_, i) => `${JSON.stringify({ id: i, title: `number ${i}` })}\n`,
    ).join("");
    async function* bytes() {
      const whole = Buffer.from(text);
      const buffer = Buffer.alloc(1000);
      for (let from = 0; from < whole.length; from += buffer.length) {
        const length = whole.copy(buffer, 0, from);
        yield buffer.subarray(0, length);
      }
    }
    const { report } = await ingested([{ name: "rows.jsonl", bytes: bytes() }]);
    expect(report).toMatchObject({ read: 4000, records: 4000, duplicates: 0, rejected: 0 });
  });
});

/** A number of a library: its members are its own business. */
class Decimal {
  readonly s = 1;
  constructor(readonly d: number[]) {}
  toJSON() {
    return String(this.d[0]);
  }
}

describe("values that JSON does not have", () => {
  it("are what JSON would say of them: a date is its text, a big integer its digits", async () => {
    const { report, things } = await ingested(
      one(
        { id: 1n, title: "date", x: new Date("2026-05-01T00:00:00Z") },
        { id: 2n, title: "nested", x: { at: [new Date(1)], none: undefined } },
        { id: 3n, title: "big", x: [123456789012345678901n, 5n] },
        { id: 4n, title: "decimal", x: new Decimal([3.5]) },
        { id: 5n, title: "url", x: new URL("http://a.example/c") },
        { id: 6n, title: "numbers", x: new Float32Array([1, 2]) },
        {
          id: 1801234567890123457n,
          title: "bare",
          x: Object.assign(Object.create(null), { a: 1 }) as object,
        },
      ),
    );
    expect(report).toMatchObject({ read: 7, raw: 7, rejected: 0 });
    expect(things).toEqual({
      date: "2026-05-01T00:00:00.000Z",
      nested: { at: ["1970-01-01T00:00:00.001Z"] },
      big: ["123456789012345678901", 5],
      decimal: "3.5",
      url: "http://a.example/c",
      numbers: [1, 2],
      bare: { a: 1 },
    });
  });

  it("differ where they differ: a hash of the row and a time see a date", async () => {
    const rows = [
      { title: "a", seen: new Date(1) },
      { title: "a", seen: new Date(2) },
    ];
    const { report } = await ingested(one(...rows), {
      record: { id: { hash: ["$"] }, fields: { title: "title", "extra.at": { path: "seen", time: "iso" } } },
      data: { x: "title" },
    });
    expect(report).toMatchObject({ read: 2, records: 2, rejected: 0 });
  });

  it("reject their row where it is used, and say what they are", async () => {
    const { report, rejects } = await ingested(
      one(
        { id: 1, title: "map", x: new Map([["a", 1]]) },
        { id: 2, title: "set", x: { deep: [new Set([1])] } },
        { id: 3, title: "invalid", x: new Date(Number.NaN) },
        { id: 4, title: new Map(), x: 1 },
        { id: 5, title: "fine", x: 1, unused: new Map(), never: () => 1, when: new Date(Number.NaN) },
        new Map([["id", 6]]),
        {
          id: 7,
          get title() {
            throw new Error("no connection");
          },
        },
        { id: 8, title: new Date(Number.NaN) },
      ),
    );
    expect(report).toMatchObject({ read: 8, records: 1, rejected: 7 });
    expect(rejects.sort(([a], [b]) => (a as number) - (b as number))).toEqual([
      [1, "data.x", "is not a JSON value, got [Map]"],
      [2, "data.x", "is not a JSON value, got [Set]"],
      [3, "data.x", "is an invalid date"],
      [4, "title", "is not text, got [Map]"],
      [6, "", "is of the class Map, not a plain object"],
      [7, "", "cannot be read: no connection"],
      [8, "title", "is not text, got [invalid date]"],
    ]);
  });

  it("may be the row itself, as rows of some databases are of a class", async () => {
    class RowPacket {
      readonly x = 1;
      constructor(
        readonly id: number,
        readonly title: string,
      ) {}
    }
    const { things } = await ingested(one(new RowPacket(1, "a"), new RowPacket(2, "b")));
    expect(things).toEqual({ a: 1, b: 1 });
  });
});

describe("a row that is nested too deep", () => {
  it("is rejected alone, as a line of a file is", async () => {
    const cyclic: Record<string, unknown> = { id: 1, title: "cyclic" };
    cyclic.x = { back: [cyclic] };
    const deep: Record<string, unknown> = { id: 2, title: "deep" };
    let inner = deep;
    for (let i = 0; i < 20_000; i++) {
      const next = {};
      inner.x = next;
      inner = next;
    }
    let most: object = {};
    for (let i = 2; i < 512; i++) most = { most };
    const { report, rejects } = await ingested(
      one(cyclic, deep, { id: 3, title: "as deep as may be", x: most }),
      {
        record: { id: { hash: ["$"] } },
      },
    );
    expect(report).toMatchObject({ read: 3, records: 1, rejected: 2 });
    const reason = "is nested deeper than 512 levels";
    expect(rejects).toEqual([
      [1, "", reason],
      [2, "", reason],
    ]);
  });

  it("is rejected alone, where the data around it is one level too deep", async () => {
    let most: object = {};
    for (let i = 2; i < 512; i++) most = { most };
    const rows = one({ id: 1, title: "most", x: most }, { id: 2, title: "good", x: 1 });
    const { report, rejects } = await ingested(rows, { data: { x: "x", whole: "$" } });
    expect(report).toMatchObject({ read: 2, records: 1, raw: 1, rejected: 1 });
    const rule = expect.stringContaining("at most 512 levels");
    expect(rejects).toEqual([[1, expect.stringMatching(/^data\./), rule]]);
  });
});
