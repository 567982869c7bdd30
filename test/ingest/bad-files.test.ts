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
import { zipOf } from "./zip-writer.js";

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
    expect(report.records).toBe(5);
    expect(report.badFiles.map(({ file, code, rows }) => [file, code, rows])).toEqual([
      ["c.zip", expect.any(String), 0],
      ["b.json", "json_malformed", 2],
      ["d.jsonl.gz", "compressed_data_damaged", 11],
    ]);
    for (const { file, reason } of report.badFiles) expect(reason).toContain(file);
  });

  describe("keep the rows before their fault", () => {
    const kept = async (inputs: readonly string[], rowsOfFile = inputs[0]!) => {
      const faults: { code: string; rows: number }[] = [];
      const { rows, rejects } = await readAll(inputs, {
        onBadFile: ({ code, rows }) => void faults.push({ code, rows }),
      });
      expect(faults, rowsOfFile).toHaveLength(1);
      expect(faults[0]!.rows).toBe(rows.length + rejects.length);
      return { code: faults[0]!.code, values: rows.map(({ value }) => value) };
    };
    const jsonl = (count: number) =>
      Array.from({ length: count }, (_, i) => `{"id":${i},"text":"number ${(i * 7919) % 99_991}"}\n`);
    const csv = (count: number) => ["id,text\n", ...jsonl(count).map((_, i) => `${i},"t ${i}"\n`)];

    it.each([
      ["a.jsonl", jsonl(900), [0xe9], "invalid_utf8"],
      ["a.jsonl", jsonl(900), [0], "nul_byte"],
      ["a.txt", jsonl(900), [0], "nul_byte"],
      ["a.csv", csv(900), [0x31, 0x2c, 0xe9], "invalid_utf8"],
      ["a.csv", csv(1), [0x31, 0x2c, 0], "nul_byte"],
    ] as const)("%s: a byte that no text has, after %# lines", async (name, lines, bytes, code) => {
      const rest = lines.slice(1).join("");
      const path = await scratch.write(
        name,
        Buffer.concat([Buffer.from(lines.join("")), Buffer.from(bytes), Buffer.from(`\n${rest}`)]),
      );
      const read = name === "a.txt" ? { read: { as: "lines" } as const } : {};
      const faults: { code: string; rows: number }[] = [];
      const { rows } = await readAll(path, { ...read, onBadFile: (fault) => void faults.push(fault) });
      expect(rows).toHaveLength(name === "a.csv" ? lines.length - 1 : lines.length);
      expect(faults).toMatchObject([{ code, rows: rows.length }]);
    });

    it("of a line that is too long", async () => {
      const path = await scratch.write("a.jsonl", `${jsonl(3).join("")}"${"x".repeat(2000)}"\n{}\n`);
      const faults: { code: string; rows: number }[] = [];
      const limits = { maxRecordBytes: 1000 };
      await readAll(path, { limits, onBadFile: (fault) => void faults.push(fault) });
      expect(faults).toMatchObject([{ code: "record_too_large", rows: 3 }]);
    });

    it.each([5000, 60_000])("of gzip data that ends early: %d rows", async (count) => {
      const text = csv(count).join("");
      const whole = gzipSync(text);
      const { code, values } = await kept([
        await scratch.write("a.csv.gz", whole.subarray(0, whole.length / 2)),
      ]);
      expect(code).toBe("compressed_data_damaged");
      expect(values.length).toBeGreaterThan(count / 4);
      const { values: all } = await readAll(await scratch.write("b.csv", text));
      expect(values).toEqual(all.slice(0, values.length));
    });

    it("of an archive's member whose checksum fails", async () => {
      const lines = csv(2000);
      const data = Buffer.from(lines.join(""));
      for (const stored of [true, false]) {
        const zip = zipOf([{ name: "a.csv", data, stored, crc: 1 }]);
        const { code, values } = await kept([await scratch.write("a.zip", zip)]);
        expect(code).toBe("zip_damaged");
        expect(values).toHaveLength(2000);
      }
    });

    it("of an archive's member whose compressed data is damaged", async () => {
      const data = Buffer.from(csv(60_000).join(""));
      const zip = zipOf([{ name: "a.csv", data }]);
      zip.fill(0xff, zip.length / 2, zip.length / 2 + 64);
      const { values } = await kept([await scratch.write("a.zip", zip)]);
      expect(values.length).toBeGreaterThan(10_000);
      expect(values[9_999]).toEqual({ id: "9999", text: "t 9999" });
    });

    it("decompress to the same bytes, whole, whatever their size", async () => {
      for (const size of [0, 1, 16_383, 16_384, 16_385, 300_000, 3_000_000]) {
        const data = Buffer.alloc(size, "0123456789abcdef\n");
        for (let i = 0; i < size; i += 3) data[i] = 97 + ((i * 7919) % 26);
        const read = { as: "lines" } as const;
        const plain = await readAll(await scratch.write("b.txt", data), { read });
        if (size > 0) {
          const { values } = await readAll(await scratch.write("c.txt.gz", gzipSync(data)), { read });
          expect(values).toEqual(plain.values);
        }
        const zip = await scratch.write("c.zip", zipOf([{ name: "c.txt", data }]));
        expect((await readAll(zip, { read })).values).toEqual(plain.values);
      }
    });
  });

  it("are named on the terminal", async () => {
    await writeMixed();
    const { code, err } = await run("--skip-bad-files");
    expect(code).toBe(3);
    expect(err).toContain("3 files not read to the end:");
    expect(err).toMatch(/b\.json, line 1, byte 50: .*\(2 rows before it kept\)/);
  });
});
