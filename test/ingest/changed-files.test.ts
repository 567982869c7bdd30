import { appendFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Database } from "../../src/duckdb/database.js";
import type { BadFile } from "../../src/ingest/readers/read-options.js";
import { expectIngestError, readAll, Scratch } from "./support.js";

/** More than is read at a time, and a last row that would be whole without its end. */
const CSV = `id,text\n${Array.from({ length: 25_000 }, (_, id) => `${id},text of a row\n`).join("")}x,ha`;

describe("a file that is written to while it is read", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await Scratch.make();
  });
  afterEach(() => scratch.remove());

  /** Calls `change` at the first rows, and gives what is read and the fault. */
  async function readWhile(path: string, change: () => Promise<void>) {
    const faults: BadFile[] = [];
    const bytesRead: number[] = [];
    let changed: Promise<void> | undefined;
    const { values } = await readAll(path, {
      onBadFile: (fault) => void faults.push(fault),
      onProgress: (progress) => {
        bytesRead.push(progress.bytesRead);
        changed ??= change();
      },
    });
    await changed;
    return { values, faults };
  }

  it.each([
    ["grows", "a.csv", CSV, (path: string) => appendFile(path, "lf\n")],
    ["shrinks", "a.csv", CSV, (path: string) => truncate(path, CSV.length - 400_003)],
    ["grows", "a.csv.gz", gzipSync(CSV, { level: 0 }), (path: string) => appendFile(path, gzipSync("lf\n"))],
    [
      "is written anew",
      "a.csv",
      CSV,
      (path: string) => writeFile(path, CSV.replaceAll("text of", "word of")),
    ],
  ])(
    "%s, %s: is refused, and its last row is not taken for a whole one",
    async (_, name, content, change) => {
      const path = await scratch.write(name, content);
      const { values, faults } = await readWhile(path, () => change(path));
      expect(faults).toMatchObject([{ file: name, code: "file_changed", rows: values.length }]);
      expect(faults[0]?.reason).toContain("was written to while it was read");
      expect(values.length).toBeGreaterThan(0);
      for (const value of values)
        expect(value).toMatchObject({ text: expect.stringMatching(/^(?:\w{4} of a row|half)$/) });
    },
  );

  it("is refused as Parquet, too", async () => {
    const path = join(scratch.dir, "a.parquet");
    const database = await Database.open(":memory:");
    await database.run(`COPY (SELECT range AS id FROM range(50000)) TO '${path}' (FORMAT parquet)`);
    await database.close();
    const { faults } = await readWhile(path, () => appendFile(path, "PAR1"));
    expect(faults).toMatchObject([{ code: "file_changed" }]);
  });

  it("ends the reading", async () => {
    const path = await scratch.write("a.csv", CSV);
    let changed = false;
    const onProgress = () => {
      if (!changed) void appendFile(path, "lf\n");
      changed = true;
    };
    await expectIngestError(readAll(path, { onProgress }), { code: "file_changed", file: "a.csv" });
  });
});
