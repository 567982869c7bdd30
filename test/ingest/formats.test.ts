import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expectIngestError, readAll, Scratch } from "./support.js";

describe("a file that is not what it is named", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await Scratch.make();
  });
  afterEach(() => scratch.remove());

  const utf16 = (text: string, mark: boolean) => Buffer.from(`${mark ? "\ufeff" : ""}${text}`, "utf16le");
  const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16();

  it.each([
    ["a.jsonl", "UTF-16 with a mark", utf16('{"a":1}\n', true), "wrong_encoding", /UTF-16LE/],
    ["a.jsonl", "big-endian UTF-16", swapped(utf16('{"a":1}\n', true)), "wrong_encoding", /UTF-16BE/],
    ["a.csv", "UTF-16 without a mark", utf16("id,name\n1,x\n", false), "wrong_encoding", /UTF-16LE/],
    [
      "a.json",
      "big-endian UTF-16 without a mark",
      swapped(utf16('{"a":[1,2]}', false)),
      "wrong_encoding",
      /UTF-16BE/,
    ],
    ["a.csv", "Parquet", Buffer.from("PAR1...PAR1"), "wrong_format", /a Parquet file/],
    ["a.json", "a zip archive", Buffer.from("PK\u0003\u0004...."), "wrong_format", /a zip archive/],
    ["a.jsonl", "Zstandard data", Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2]), "wrong_format", /Zstandard/],
    [
      "a.csv",
      "an old spreadsheet",
      Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0]),
      "wrong_format",
      /is a spreadsheet or document of old Office/,
    ],
    ["a.parquet", "text", Buffer.from("id,name\n1,x\n"), "wrong_format", /no Parquet file/],
    ["a.parquet", "an Arrow file", Buffer.from("ARROW1\0\0"), "wrong_format", /an Arrow file/],
    ["a.csv", "XML", Buffer.from('<?xml version="1.0"?>\n<posts>\n'), "wrong_format", /is XML/],
    ["a.csv", "a feed", Buffer.from("\ufeff\n<rss><channel></channel></rss>"), "wrong_format", /is XML/],
    ["a.tsv", "Atom", Buffer.from('<feed xmlns="x">\n'), "wrong_format", /is XML/],
    ["a.csv", "a page", Buffer.from("<!DOCTYPE html>\n<p>no</p>\n"), "wrong_format", /is HTML/],
    ["a.json", "a page too", Buffer.from("<HTML>\n"), "wrong_format", /is HTML/],
    ["a.csv", "a script", Buffer.from('window.YTD.a.part0 = [\n{"a":1}]'), "wrong_format", /is JavaScript/],
    ["a.json", "a constant", Buffer.from('const rows = [{"a":1}];'), "wrong_format", /is JavaScript/],
    ["a.csv", "a web archive", Buffer.from("WARC/1.0\r\nWARC-Type: warcinfo\r\n"), "wrong_format", /WARC/],
    [
      "a.csv",
      "a dump",
      Buffer.from("-- a dump\n-- of today\n/*!40101 SET NAMES utf8 */;\nDROP TABLE IF EXISTS `a`;\n"),
      "wrong_format",
      /is SQL/,
    ],
    ["a.parquet", "nothing", Buffer.alloc(0), "wrong_format", /PAR1/],
    [
      "a.parquet",
      "truncated Parquet",
      Buffer.from(`PAR1${"x".repeat(50)}`),
      "parquet_truncated",
      /truncated/,
    ],
    [
      "a.parquet",
      "Parquet with a wild footer",
      Buffer.from("PAR1xxxxyyyyzzzz\u00ff\u00ff\u00ff\u0000PAR1", "latin1"),
      "parquet_truncated",
      /truncated/,
    ],
    [
      "a.parquet",
      "Parquet with a damaged footer",
      Buffer.from("PAR1xxxxyyyyzzzz\u0008\0\0\0PAR1", "latin1"),
      "parquet_unreadable",
      /cannot be read/,
    ],
    ["a.txt", "of no known format", Buffer.from("hello"), "unknown_format", /no known format/],
  ])("%s that is %s is refused in one clear error", async (name, _, content, code, reason) => {
    const path = await scratch.write(name, content);
    await expectIngestError(readAll(path), { code, file: name, reason });
  });

  it("takes no table for SQL because of a word in its header, and tells comments in time", async () => {
    const path = await scratch.write("a.csv", "insert,into\n1,2\n");
    expect((await readAll(path)).values).toEqual([{ insert: "1", into: "2" }]);
    const dashes = await scratch.write("b.csv", `${"-- ".repeat(20_000)},b\n1,2\n`);
    expect((await readAll(dashes)).values).toHaveLength(1);
  });

  it.each([
    ["rows.jsonl.zst", undefined, "unknown_format", "zstd -dc rows.jsonl.zst > rows.jsonl"],
    ["rows.csv.xz", undefined, "unknown_format", "xz -dc rows.csv.xz > rows.csv"],
    ["rows.tar.gz", undefined, "unknown_format", "tar -xf rows.tar.gz"],
    ["rows.tgz", undefined, "unknown_format", "tar -xf rows.tgz"],
    ["my rows.jsonl.bz2", undefined, "unknown_format", "bzip2 -dc <file> > <unpacked file>"],
    ["rows.zip.gz", undefined, "unknown_format", "gunzip rows.zip.gz"],
    ["rows.jsonl.gz.gz", undefined, "unknown_format", "gunzip rows.jsonl.gz.gz"],
    ["rows.jsonl", { as: "jsonl" }, "wrong_format", "zstd -dc <file>"],
  ] as const)(
    "%s, packed as is not read, is refused with how to unpack it",
    async (name, read, code, how) => {
      const zstandard = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2]);
      const path = await scratch.write(name, name.endsWith("gz") ? gzipSync("rows") : zstandard);
      const { remedy } = await expectIngestError(readAll(path, { read }), { code, file: name });
      expect(remedy).toContain(how);
      expect(remedy).not.toContain("rename");
    },
  );

  it.each([
    ["posts.xlsx", /CSV/],
    ["posts.ods", /CSV/],
    ["posts.feather", /Parquet/],
    ["posts.arrow", /Parquet/],
    ["posts.avro", /Parquet/],
    ["posts.warc.gz", /JSON lines/],
    ["wordpress.xml", /JSON lines/],
    ["posts.sqlite", /export/],
  ])("%s, of a format that is not read, is refused with how to convert it", async (name, how) => {
    const path = await scratch.write(name, name.endsWith("gz") ? gzipSync("rows") : "rows");
    const { remedy } = await expectIngestError(readAll(path), { code: "unknown_format", file: name });
    expect(remedy).toMatch(how);
    expect(remedy).not.toContain("rename");
  });

  it("a spreadsheet that a mapping takes for text is refused with how to convert it", async () => {
    const path = await scratch.write("posts.xlsx", Buffer.from("PK\u0003\u0004", "latin1"));
    const { remedy } = await expectIngestError(readAll(path, { read: { as: "csv" } }), {
      code: "wrong_format",
      file: "posts.xlsx",
    });
    expect(remedy).toMatch(/CSV/);
  });

  it("JSON lines that end with bare carriage returns are refused with how to convert them", async () => {
    const path = await scratch.write("a.jsonl", '{"a":1}\r{"a":2}\r');
    const { remedy } = await expectIngestError(readAll(path), {
      code: "jsonl_line_ends",
      line: 1,
      reason: /bare carriage returns/,
    });
    expect(remedy).toContain("tr '\\r' '\\n'");
  });

  it("a line of several values is rejected for what separates them, where others are good", async () => {
    const path = await scratch.write("a.jsonl", '{"a":0}\n{"a":1}\r{"a":2}\n{"a":\r3}\n{"a":4}\r\n');
    const { values, rejects } = await readAll(path);
    expect(values).toEqual([{ a: 0 }, { a: 3 }, { a: 4 }]);
    expect(rejects).toMatchObject([{ line: 2, reason: "separates its values by bare carriage returns" }]);
  });

  it("reads text lines where the source says so, blank ones too", async () => {
    const path = await scratch.write("a.txt", "kota\tO\r\nmanado\tB-PLC\r\n\r\ndi\tO");
    const { rows } = await readAll(path, { read: { as: "lines" } });
    expect(rows.map(({ line, value }) => [line, value])).toEqual([
      [1, "kota\tO"],
      [2, "manado\tB-PLC"],
      [3, ""],
      [4, "di\tO"],
    ]);
  });

  it.each([
    ["SHIFT_JIS", "82b182cc8fa4956982cd82c682c482e08e6782a282e282b782a282c582b7"],
    ["EUC-KR", "b9e8bcdbc0cc20c1a4b8bb20bba1b6f3bcad20c1c1bed2bdc0b4cfb4d9"],
    ["GB18030", "ceb6b5c0b2bbb4eda3accbcdb5c4badcbfeca3accac7ced2cfb2bbb6b5c4"],
    ["WINDOWS-1251", "cdeee2fbe920eceef1f220eef2eaf0eee5f2f1ff20e220efeeede5e4e5ebfcede8ea"],
    ["WINDOWS-1252", "756e20636166e9206372e86d652c2064e96ae0207675"],
  ])("a text in %s is refused with how to convert it", async (encoding, hex) => {
    const text = Buffer.concat([
      Buffer.from("id,text\n1,ok\n2,"),
      Buffer.from(hex, "hex"),
      Buffer.from("\n"),
    ]);
    const path = await scratch.write("a.csv", text);
    const { remedy } = await expectIngestError(readAll(path), { code: "invalid_utf8", line: 3 });
    expect(remedy).toContain(`iconv -f ${encoding} -t UTF-8`);
    expect(remedy?.includes("looks like")).toBe(encoding !== "WINDOWS-1252");
  });

  it("an archive that is read as text is refused with how to unpack it", async () => {
    const path = await scratch.write("posts.tar", Buffer.from("posts.csv\0\0\0id,text\n"));
    const { remedy } = await expectIngestError(readAll(path, { read: { as: "csv" } }), { code: "nul_byte" });
    expect(remedy).toContain("tar -xf posts.tar");
  });
});
