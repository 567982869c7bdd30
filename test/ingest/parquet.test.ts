import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Database } from "../../src/duckdb/database.js";
import { readSource } from "../../src/ingest/readers/read-source.js";
import { expectIngestError, readAll, Scratch } from "./support.js";
import { zipOf } from "./zip-writer.js";

describe("Parquet", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await Scratch.make();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await scratch.remove();
  });

  const write = async (name: string, select: string) => {
    const path = join(scratch.dir, name);
    const db = await Database.open(":memory:");
    await db.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
    await db.close();
    return path;
  };

  it("gives plain values: nested, big, dates, bytes, NULL", async () => {
    const path = await write(
      "a.parquet",
      `SELECT 'é' AS text, 9007199254740993::BIGINT AS big, 7::BIGINT AS small, DATE '2026-05-27' AS day,
       TIMESTAMPTZ '2026-05-27 10:00:00+02' AS at, [{'id': 9007199254740995::BIGINT, 'tags': ['a', NULL]}] AS nested,
       'ab'::BLOB AS bytes, '\\xFF'::BLOB AS odd, NULL::INTEGER AS nothing, 1.25::DECIMAL(8,2) AS price, true AS flag`,
    );
    const { rows } = await readAll(path);
    expect(rows).toEqual([
      {
        source: "rows",
        file: "a.parquet",
        line: 1,
        value: {
          text: "é",
          big: "9007199254740993",
          small: 7,
          day: "2026-05-27",
          at: "2026-05-27T08:00:00.000Z",
          nested: [{ id: "9007199254740995", tags: ["a", null] }],
          bytes: "ab",
          odd: "/w==",
          nothing: null,
          price: 1.25,
          flag: true,
        },
      },
    ]);
  });

  it("gives bytes that no text has as base64, though they be UTF-8", async () => {
    const path = await write(
      "a.parquet",
      `SELECT unnest(['\\x00\\x00\\x03z'::BLOB, '\\x00\\x00\\x00z'::BLOB, '\\x00'::BLOB, 'a\\x0D\\x0A\\x09b'::BLOB, ''::BLOB]) AS bytes`,
    );
    expect((await readAll(path)).values).toEqual([
      { bytes: "AAADeg==" },
      { bytes: "AAAAeg==" },
      { bytes: "AA==" },
      { bytes: "a\r\n\tb" },
      { bytes: "" },
    ]);
  });

  it("keeps the order of the file over many row groups, and tells how far it is", async () => {
    const path = await write("a.parquet", "SELECT range AS n FROM range(300000)");
    let last = 0;
    const { rows } = await readAll(path, {
      onProgress: ({ bytesRead, bytesTotal }) => {
        expect(bytesRead).toBeGreaterThanOrEqual(last);
        expect(bytesRead).toBeLessThanOrEqual(bytesTotal + 1);
        last = bytesRead;
      },
    });
    expect(rows).toHaveLength(300_000);
    expect(rows.every(({ line, value }, i) => line === i + 1 && (value as { n: number }).n === i)).toBe(true);
  });

  it("comes in batches of some megabyte, however long its texts are", async () => {
    const path = await write("a.parquet", "SELECT repeat('x', 8000) AS text, i AS id FROM range(600) t(i)");
    const sizes: number[] = [];
    for await (const batch of readSource([path], { sources: [{ name: "rows", files: ["*"] }] }))
      sizes.push(batch.length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(600);
    expect(Math.max(...sizes)).toBeLessThan(150);
  });

  it("has single precision as decimals, and instants to the nanosecond, at any depth", async () => {
    const path = await write(
      "a.parquet",
      `SELECT 0.1::FLOAT AS f, 3.4028235e38::FLOAT AS large, 1e-45::FLOAT AS least, 16777216::FLOAT AS whole, -0.3::DOUBLE AS d,
       [0.1::FLOAT, NULL, 19.99::FLOAT] AS list, [0.7, 0.2]::FLOAT[2] AS pair, [{'a': 0.3::FLOAT, 'FLOAT': 'FLOAT'}] AS nested,
       MAP {'x': 4.35::FLOAT} AS map, TIMESTAMP_NS '1969-12-31 10:00:00.123456789' AS ns,
       [TIMESTAMP_NS '2026-05-27 10:00:00.000000001', TIMESTAMP_NS '2026-05-27 10:00:00.123456'] AS times`,
    );
    const { values } = await readAll(path);
    expect(values).toEqual([
      {
        f: 0.1,
        large: 3.4028235e38,
        least: 1e-45,
        whole: 16_777_216,
        d: -0.3,
        list: [0.1, null, 19.99],
        pair: [0.7, 0.2],
        nested: [{ a: 0.3, FLOAT: "FLOAT" }],
        map: { x: 4.35 },
        ns: "1969-12-31T10:00:00.123456789",
        times: ["2026-05-27T10:00:00.000000001", "2026-05-27T10:00:00.123456"],
      },
    ]);
  });

  it("has the least decimal of each number of single precision, and vectors with all digits", async () => {
    const path = await write(
      "a.parquet",
      `SELECT ((hash(i) % 2000000) / 1e6 * power(10.0, (i % 60) - 30))::FLOAT AS f, f::VARCHAR::DOUBLE AS short,
       list_transform(range(1536), x -> 0.1::FLOAT) AS vector FROM range(2000) t(i)`,
    );
    const { values } = await readAll(path);
    const rows = values as { f: number; short: number; vector: number[] }[];
    // Half-way between two of them, the engine takes a digit more than the shortest.
    const odd = rows.filter(({ f, short }) => {
      const digits = (n: number) => n.toExponential().replace(/e.*|[.-]/g, "").length;
      return f !== short && (Math.fround(f) !== Math.fround(short) || digits(f) > digits(short));
    });
    expect(odd).toEqual([]);
    expect(rows[0]!.vector.every((number) => number === Math.fround(0.1))).toBe(true);
  });

  describe("with longer texts than the engine holds at first", () => {
    const TEXTS = "SELECT repeat(md5(i::VARCHAR), 31250) AS text, i AS n FROM range(700) t(i)";

    it("is read where the memory is there", { tags: "slow" }, async () => {
      const path = await write("a.parquet", TEXTS);
      const rows: number[] = [];
      for await (const batch of readSource([path], { sources: [{ name: "rows", files: ["*"] }] })) {
        for (const { line, value } of batch) {
          const { text, n } = value as { text: string; n: number };
          expect(line).toBe(n + 1);
          expect(text.length).toBe(1_000_000);
          rows.push(n);
        }
      }
      expect(rows).toEqual(Array.from({ length: 700 }, (_, n) => n));
    });

    it("goes on behind the rows that it read, if a later group is larger", { tags: "slow" }, async () => {
      const path = await write(
        "a.parquet",
        `SELECT repeat(md5(i::VARCHAR), CASE WHEN i < 245760 THEN 1 ELSE 31250 END) AS text FROM range(246460) t(i)`,
      );
      let next = 1;
      let long = 0;
      for await (const batch of readSource([path], { sources: [{ name: "rows", files: ["*"] }] })) {
        for (const { line, value } of batch) {
          if (line !== next++) throw new Error(`line ${line} in place of ${next - 1}`);
          if ((value as { text: string }).text.length > 32) long++;
        }
      }
      expect([next - 1, long]).toEqual([246_460, 700]);
    });

    it("is refused with what to do where it is not", { tags: "slow" }, async () => {
      const path = await write("a.parquet", TEXTS);
      vi.spyOn(process, "availableMemory").mockReturnValue(1_200_000_000);
      const { remedy } = await expectIngestError(readAll(path), {
        code: "parquet_unreadable",
        file: "a.parquet",
        reason: /memory/,
      });
      expect(remedy).toContain("row groups");
    });
  });

  it("is read through gzip, zip, and names that look like globs", async () => {
    const plain = await readFile(await write("a.parquet", "SELECT 1 AS n"));
    for (const [name, content] of [
      ["b.parquet.gz", gzipSync(plain)],
      ["c.zip", zipOf([{ name: "day=1/x.parquet", data: plain, stored: true }])],
      ["d[1]*{x}?.parquet", plain],
    ] as const) {
      const path = await scratch.write(name, content);
      const { values } = await readAll(path, { files: ["*.parquet"], tempDirectory: scratch.dir });
      expect(values).toEqual([name === "c.zip" ? { n: 1, day: "1" } : { n: 1 }]);
    }
  });

  it("is refused when any part is missing or damaged, naming the file and not its path", async () => {
    const path = await write("a.parquet", "SELECT range AS n, repeat('x', 20) AS t FROM range(5000)");
    const bytes = await readFile(path);
    const cut = await scratch.write("cut.parquet", bytes.subarray(0, bytes.length / 2));
    await expectIngestError(readAll(cut), { code: "parquet_truncated", file: "cut.parquet" });
    const damaged = Buffer.from(bytes);
    damaged.fill(0xff, 20, bytes.length / 2);
    const bad = await scratch.write("bad.parquet", damaged);
    const error = await expectIngestError(readAll(bad), { code: "parquet_unreadable", file: "bad.parquet" });
    expect(error.message).not.toContain(scratch.dir);
  });

  it("stops when told", async () => {
    const path = await write("a.parquet", "SELECT range AS n FROM range(500000)");
    const abort = new AbortController();
    const work = readAll(path, { signal: abort.signal, onProgress: () => abort.abort(new Error("enough")) });
    await expect(work).rejects.toThrow("enough");
  });
});
