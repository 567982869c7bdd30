import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Database } from "../../src/duckdb/database.js";
import { readSource } from "../../src/ingest/readers/read-source.js";
import { expectIngestError, readAll, Scratch } from "./support.js";
import { zipOf } from "./zip-writer.js";

describe("Parquet", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await Scratch.make();
  });
  afterEach(() => scratch.remove());

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

  it("with longer texts than the engine can hold is refused with what to do", { tags: "slow" }, async () => {
    const path = await write(
      "a.parquet",
      "SELECT repeat(md5(i::VARCHAR), 31250) AS text FROM range(700) t(i)",
    );
    const { remedy } = await expectIngestError(readAll(path), {
      code: "parquet_unreadable",
      file: "a.parquet",
      reason: /memory/,
    });
    expect(remedy).toContain("row groups");
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
