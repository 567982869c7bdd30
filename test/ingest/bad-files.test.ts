import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { INGEST_LIMITS } from "../../src/ingest/defaults.js";
import type { IngestReport } from "../../src/ingest/ingest-report.js";
import { readJson } from "../../src/ingest/readers/read-json.js";
import { capture } from "../cli/capture.js";
import { runs } from "../support/campaign.js";
import { cut, expectIngestError, readAll, Scratch } from "./support.js";

const MAPPING = {
  mapping: 1,
  name: "posts",
  info: { title: "Posts of a test", licence: "MIT" },
  sources: [{ name: "posts", files: ["*.json", "*.jsonl"] }],
  defaults: { platform: "microblog", lang: { value: "en" }, captured_at: { value: "2026-05-27T08:00:00Z" } },
  rules: [{ from: "posts", record: { id: "id", fields: { text: "text" } } }],
};

describe("files that cannot be read to their end", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await Scratch.make();
    await scratch.write("map.json", JSON.stringify(MAPPING));
  });
  afterEach(() => scratch.remove());

  it("says where a document of one line is broken: byte, and what stands there", async () => {
    const text = `[{"id":"1","text":"é"},{"id":"2"};{"id":"3"}]`;
    const path = await scratch.write("a.json", text);
    const error = await expectIngestError(readAll(path), { code: "json_malformed", line: 1 });
    const byte = Buffer.from(text.slice(0, text.indexOf(";"))).length;
    expect(error.message).toContain(`byte ${byte}: has ; where it needs "," or "]"`);
    expect(error.message).toContain('{"id":"2"}▸;◂{"id":"3"}]');
  });

  it("names the byte of any misplaced character, however the text is cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ id: fc.string(), n: fc.integer() }), { minLength: 1, maxLength: 8 }),
        fc.nat(7),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
        async (rows, before, sizes) => {
          const good = rows.slice(0, before % rows.length).map((row) => `${JSON.stringify(row)},`);
          const bytes = Buffer.from(`[${good.join("")}=1]`);
          const reading = (async () => {
            const context = { source: "s", file: "f.json", limits: INGEST_LIMITS };
            for await (const _ of readJson(cut(bytes, sizes), context, []));
          })();
          const { message } = await expectIngestError(reading, { code: "json_malformed" });
          expect(message).toContain(`byte ${bytes.length - 3}: has =`);
        },
      ),
      runs(50),
    );
  });

  const run = (...args: string[]) =>
    capture(["ingest", "in", "--adapter", "map.json", "--out", "out", ...args], { cwd: scratch.dir });

  const writeMixed = async () => {
    await scratch.write("in/a.json", '[{"id":"1","text":"one"}]');
    await scratch.write("in/b.json", '[{"id":"2","text":"two"},{"id":"3","text":"three"};]');
    await scratch.write("in/c.zip", "no archive");
    await scratch.write("in/d.jsonl.gz", gzipSync('{"id":"4","text":"four"}\n'.repeat(50)).subarray(0, 40));
    await scratch.write("in/e.json", '[{"id":"5","text":"five"}]');
  };

  it("stop an ingest by default, and leave nothing", async () => {
    await scratch.write("in/a.json", '[{"id":"1","text":"one"}]');
    await scratch.write("in/b.json", '[{"id":"2"};]');
    const { code, err } = await run();
    expect(code).toBe(1);
    expect(err).toContain("b.json, line 1, byte 11");
    expect(err).toContain("--skip-bad-files");
    await expect(readFile(join(scratch.dir, "out/rejects.jsonl"))).rejects.toThrow("ENOENT");
  });

  it("are listed with --skip-bad-files; what is good is written, and the exit code is 3", async () => {
    await writeMixed();
    const { code, out } = await run("--skip-bad-files", "--json");
    const report = JSON.parse(out) as IngestReport;
    expect(code).toBe(3);
    expect(report.records).toBe(4);
    expect(report.badFiles.map(({ file, code, rows }) => [file, code, rows])).toEqual([
      ["c.zip", expect.any(String), 0],
      ["b.json", "json_malformed", 2],
      ["d.jsonl.gz", expect.any(String), 0],
    ]);
    for (const { file, reason } of report.badFiles) expect(reason).toContain(file);
  });

  it("are named on the terminal", async () => {
    await writeMixed();
    const { code, err } = await run("--skip-bad-files");
    expect(code).toBe(3);
    expect(err).toContain("3 files not read to the end:");
    expect(err).toMatch(/b\.json, line 1, byte 50: .*\(2 rows before it kept\)/);
  });
});
