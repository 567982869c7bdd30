import { open } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { strToU8, zipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expectIngestError, readAll, Scratch } from "./support.js";
import { zipOf } from "./zip-writer.js";

const LINES = '{"a":1}\n{"a":2}\n';
const lines = Buffer.from(LINES);
const bothRows = [{ a: 1 }, { a: 2 }];

describe("gzip", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await Scratch.make();
  });
  afterEach(() => scratch.remove());

  it("is taken off, several members too", async () => {
    const path = await scratch.write("a.jsonl.gz", Buffer.concat([gzipSync(lines), gzipSync('{"a":3}\n')]));
    const { rows } = await readAll(path, { files: ["*.jsonl"] });
    expect(rows.map(({ value }) => value)).toEqual([...bothRows, { a: 3 }]);
    expect(rows[0]?.file).toBe("a.jsonl.gz");
  });

  it.each([
    ["plain text named .gz", lines, "not_gzip"],
    ["an empty file named .gz", Buffer.alloc(0), "not_gzip"],
    ["a truncated file", gzipSync(Buffer.alloc(100_000, "12\n")).subarray(0, -20), "compressed_data_damaged"],
    ["a damaged file", damaged(gzipSync(lines)), "compressed_data_damaged"],
  ])("refuses %s", async (_, content, code) => {
    const path = await scratch.write("a.jsonl.gz", content);
    await expectIngestError(readAll(path), { code, file: "a.jsonl.gz" });
  });

  it("may be padded with zeros, and is refused where anything else follows it", async () => {
    const zeros = Buffer.alloc(70_000);
    const padded = await scratch.write("a.jsonl.gz", Buffer.concat([gzipSync(lines), zeros]));
    expect((await readAll(padded)).values).toEqual(bothRows);
    for (const rest of [lines, gzipSync(lines).fill(0, 0, 1), Buffer.concat([zeros, gzipSync(lines)])]) {
      const path = await scratch.write("b.jsonl.gz", Buffer.concat([gzipSync(lines), rest]));
      const reason = /^b\.jsonl\.gz: has something behind the end of its compressed data/;
      await expectIngestError(readAll(path), { code: "compressed_data_damaged", reason });
    }
  });

  it("refuses what grows without measure", { tags: "slow" }, async () => {
    const path = await scratch.write("a.jsonl.gz", gzipSync(Buffer.alloc(3_000_000, "1\n")));
    await expectIngestError(readAll(path, { limits: { expansionAllowance: 1_000_000 } }), {
      code: "expansion_limit",
      file: "a.jsonl.gz",
    });
    expect((await readAll(path, { limits: { expansionAllowance: 4_000_000 } })).rows).toHaveLength(1_500_000);
  });

  it("is told apart from a name that hides it", async () => {
    const path = await scratch.write("a.jsonl", gzipSync(lines));
    await expectIngestError(readAll(path), { code: "wrong_format", reason: /gzip data, not text/ });
  });
});

describe("zip archives", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await Scratch.make();
  });
  afterEach(() => scratch.remove());

  it("are folders: members by glob, ordered, .gz inside, others named as not read", async () => {
    const archive = zipSync({
      "z.jsonl": strToU8('{"a":3}\n'),
      d: { "b.jsonl": strToU8(LINES), "c.jsonl.gz": gzipSync('{"a":9}\n'), LICENSE: strToU8("MIT") },
      "__MACOSX/d/._b.jsonl": strToU8("junk"),
      "inner.zip": zipSync({ "x.jsonl": strToU8(LINES) }),
    });
    await scratch.write("data/a.zip", archive);
    const { rows, notRead } = await readAll(scratch.dir, { files: ["*.jsonl"] });
    expect(rows.map(({ file, line, value }) => [file, line, value])).toEqual([
      ["data/a.zip!d/b.jsonl", 1, { a: 1 }],
      ["data/a.zip!d/b.jsonl", 2, { a: 2 }],
      ["data/a.zip!d/c.jsonl.gz", 1, { a: 9 }],
      ["data/a.zip!z.jsonl", 1, { a: 3 }],
    ]);
    expect(notRead.map(({ file }) => file).sort()).toEqual([
      "data/a.zip!__MACOSX/d/._b.jsonl",
      "data/a.zip!d/LICENSE",
      "data/a.zip!inner.zip",
    ]);
  });

  it("may be streamed, stored, zip64, carry a comment, folders, and empty members", async () => {
    const archive = zipOf(
      [
        { name: "a/", data: Buffer.alloc(0), mode: 0o40755 },
        { name: "a/1.jsonl", data: lines, streamed: true },
        { name: "a/2.jsonl", data: lines, stored: true },
        { name: "a/3.jsonl", data: lines, wide: true },
        { name: "a/ü.jsonl", data: Buffer.alloc(0), stored: true },
      ],
      "PK\u0005\u0006 not the end",
    );
    const path = await scratch.write("a.zip", archive);
    expect((await readAll(path)).values).toEqual([...bothRows, ...bothRows, ...bothRows]);
  });

  it.each([
    ["a parent path", [{ name: "../a.jsonl", data: lines }], "zip_unsafe_name"],
    ["a parent path inside", [{ name: "x/../../a.jsonl", data: lines }], "zip_unsafe_name"],
    ["an absolute path", [{ name: "/etc/a.jsonl", data: lines }], "zip_unsafe_name"],
    ["a drive", [{ name: "C:a.jsonl", data: lines }], "zip_unsafe_name"],
    ["a backslash", [{ name: "x\\a.jsonl", data: lines }], "zip_unsafe_name"],
    ["a NUL", [{ name: "a\0.jsonl", data: lines }], "zip_unsafe_name"],
    [
      "a name that is not UTF-8",
      [{ name: Buffer.from("\xe9.jsonl", "latin1"), data: lines }],
      "zip_unsafe_name",
    ],
    ["a symbolic link", [{ name: "a.jsonl", data: Buffer.from("/etc/passwd"), mode: 0o120777 }], "zip_link"],
    ["a device", [{ name: "a.jsonl", data: lines, mode: 0o020666 }], "zip_link"],
    [
      "a name twice",
      [
        { name: "a.jsonl", data: lines },
        { name: "a.jsonl", data: lines },
      ],
      "zip_duplicate_name",
    ],
    ["encryption", [{ name: "a.jsonl", data: lines, flags: 1 }], "zip_encrypted"],
    ["another compression", [{ name: "a.jsonl", data: lines, method: 14 }], "zip_method"],
    [
      "members that share bytes",
      [
        { name: "a.jsonl", data: lines },
        { name: "b.jsonl", data: lines, sharing: 0 },
      ],
      "zip_overlap",
    ],
    ["a size that is not true", [{ name: "a.jsonl", data: lines, size: 5 }], "zip_damaged"],
    ["a checksum that is not true", [{ name: "a.jsonl", data: lines, crc: 7 }], "zip_damaged"],
    ["a local name of its own", [{ name: "a.jsonl", data: lines, localName: "b.jsonl" }], "zip_damaged"],
  ])("are refused for %s", async (_, members, code) => {
    const path = await scratch.write("bad.zip", zipOf(members));
    await expectIngestError(readAll(path), { code, file: "bad.zip" });
  });

  it("are refused when they unfold without measure, before anything is read", async () => {
    const bomb = zipOf([{ name: "a.jsonl", data: Buffer.alloc(20_000_000, "1\n") }]);
    const path = await scratch.write("bomb.zip", bomb);
    await expectIngestError(readAll(path, { limits: { expansionAllowance: 10_000_000 } }), {
      code: "expansion_limit",
      reason: /19\.1 MiB/,
    });
    const many = zipOf([1, 2, 3].map((n) => ({ name: `${n}.jsonl`, data: lines })));
    await expectIngestError(readAll(await scratch.write("many.zip", many), { limits: { maxMembers: 2 } }), {
      code: "zip_too_many_members",
    });
  });

  it("are refused when they list more members than they count: those would be lost", async () => {
    const archive = zipOf([
      { name: "a.jsonl", data: lines },
      { name: "b.jsonl", data: lines },
    ]);
    for (const counted of [0, 1]) {
      archive.writeUInt16LE(counted, archive.length - 12);
      const path = await scratch.write("miscounted.zip", archive);
      await expectIngestError(readAll(path), { code: "zip_damaged", file: "miscounted.zip" });
    }
  });

  it("are refused when truncated anywhere, or no zip at all", async () => {
    const whole = zipOf([{ name: "a.jsonl", data: lines }]);
    for (let end = 4; end < whole.length; end += 7) {
      const path = await scratch.write("cut.zip", whole.subarray(0, end));
      await expectIngestError(readAll(path), { code: "zip_truncated", file: "cut.zip" });
    }
    const text = await scratch.write("text.zip", LINES);
    await expectIngestError(readAll(text), { code: "not_a_zip", file: "text.zip" });
  });

  it("never crash the reader, whatever byte is wrong", { tags: "slow" }, async () => {
    const whole = zipOf([
      { name: "a.jsonl", data: lines },
      { name: "b.jsonl", data: lines, streamed: true, wide: true },
    ]);
    for (let i = 0; i < whole.length; i++) {
      const bytes = Buffer.from(whole);
      bytes[i]! ^= 0xff;
      const path = await scratch.write("flip.zip", bytes);
      const result = await readAll(path).then(
        ({ values }) => values,
        (error: { name: string }) => error.name,
      );
      if (result !== "IngestError") expect((result as unknown[]).length % 2).toBe(0);
    }
  });

  it("close what they open when reading stops early", async () => {
    const path = await scratch.write(
      "a.zip",
      zipOf([{ name: "a.jsonl", data: Buffer.alloc(2_000_000, "1\n") }]),
    );
    const abort = new AbortController();
    const work = readAll(path, { signal: abort.signal, onProgress: () => abort.abort(new Error("enough")) });
    await expect(work).rejects.toThrow("enough");
    await (await open(path)).close();
  });
});

function damaged(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[copy.length - 6]! ^= 0xff;
  return copy;
}
