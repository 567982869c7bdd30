import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import { ingest } from "../../src/ingest/ingest.js";
import { compileMapping } from "../../src/ingest/mapping/compile.js";
import { previewIngest } from "../../src/ingest/preview-ingest.js";
import { millisecondsAgo } from "../../src/ingest/values/time-ago.js";
import { capture } from "../cli/capture.js";
import { Scratch } from "./support.js";
import { zipOf } from "./zip-writer.js";

let scratch: Scratch;
beforeEach(async () => {
  scratch = await Scratch.make();
});
afterEach(() => scratch.remove());

const CAPTURED = "2026-05-27T08:00:00+00:00";
const mappingOf = (sources: readonly object[], rules: readonly object[]) =>
  compileMapping({
    mapping: 1,
    name: "test",
    info: { title: "Test", licence: "CC0-1.0" },
    sources,
    defaults: { platform: "forum", lang: { value: "en" } },
    rules,
  });
const fieldsMapping = (fields: object, read?: object) =>
  mappingOf(
    [{ name: "rows", files: ["*"], read: read ?? { as: "jsonl" } }],
    [{ from: "rows", record: { fields } }],
  );

async function records(inputs: readonly string[], adapter: ReturnType<typeof compileMapping>) {
  const found = await previewIngest(inputs, { adapter, rows: 100, authorSalt: "salt", capturedAt: CAPTURED });
  expect(found.rejects).toEqual([]);
  return found.items.map((item) => (item as Extract<SliceItem, { kind: "record" }>).record);
}

describe("values beside the row", () => {
  it("the place of a row: file, name, folder, archive, member, line", async () => {
    await scratch.write("in/2026/posts.en.jsonl", '{"text":"a"}\n{"text":"b"}\n');
    const zip = zipOf([{ name: "deep/er/more.jsonl", data: Buffer.from('{"text":"c"}\n') }]);
    await scratch.write("in/pack.zip", zip);
    const names = ["file", "name", "stem", "folder", "archive", "member", "line"];
    const fields = Object.fromEntries(names.map((name) => [`extra.${name}`, `@${name}`]));
    const made = await records([join(scratch.dir, "in")], fieldsMapping({ text: "text", ...fields }));
    expect(made.map(({ extra }) => extra)).toEqual([
      { file: "2026/posts.en.jsonl", name: "posts.en.jsonl", stem: "posts", folder: "2026", line: 1 },
      { file: "2026/posts.en.jsonl", name: "posts.en.jsonl", stem: "posts", folder: "2026", line: 2 },
      {
        ...{ file: "pack.zip!deep/er/more.jsonl", name: "more.jsonl", stem: "more", folder: "er" },
        ...{ archive: "pack.zip", member: "deep/er/more.jsonl", line: 1 },
      },
    ]);
  });

  it("groups of a match, a member that begins with @, a constant part of a template", async () => {
    const path = await scratch.write("a-b_12.jsonl", '{"text":"id 34 of kind x","@type":"Post"}\n');
    const fields = {
      text: { path: "text", match: "id (\\d+) of kind (?<kind>\\w)", replace: "$<kind>/$1" },
      "extra.type": "@type",
      "extra.from": { path: "@stem", match: "_(\\d+)$", type: "integer" },
      "extra.both": { template: "{@stem}:{@line}" },
    };
    const [record] = await records([path], fieldsMapping(fields));
    expect(record).toMatchObject({ text: "x/34", extra: { type: "Post", from: 12, both: "a-b_12:1" } });
  });

  it("the line of a row in a JSON document, and its position there, which no other row has", async () => {
    const rows = [{ text: "a" }, { text: "b" }, { text: "c", n: "none" }];
    const fields = { text: "text", "extra.line": "@line", "extra.row": "@row", "metrics.likes": "n" };
    const rejects: unknown[] = [];
    for (const [name, space, lines] of [
      ["pretty", 2, [2, 5, 8]],
      ["minified", 0, [1, 1, 1]],
    ] as const) {
      const path = await scratch.write(`${name}.json`, JSON.stringify(rows, null, space));
      const adapter = fieldsMapping(fields, { as: "json" });
      const options = { adapter, rows: 10, authorSalt: "salt", capturedAt: CAPTURED };
      const preview = await previewIngest([path], options);
      const places = preview.items.map((item) => item.kind === "record" && item.record.extra);
      expect(places).toEqual([0, 1].map((i) => ({ line: lines[i], row: i + 1 })));
      rejects.push(...preview.rejects.map(({ line, element }) => [line, element]));
    }
    expect(rejects).toEqual([
      [8, 3],
      [1, 3],
    ]);
  });

  it("times in words and without a year are counted from the capture", async () => {
    const rows = [
      "3 hours ago",
      "2天前",
      "hace 5 días",
      "yesterday",
      "05-20 10:00",
      "12-24 10:00",
      "15.08.25",
    ];
    const path = await scratch.write(
      "t.jsonl",
      rows.map((at) => JSON.stringify({ text: "x", at })).join("\n"),
    );
    const at = { path: "at", time: ["ago", "MM-dd HH:mm", "yy.MM.dd"], year_to: "@captured" };
    const made = await records([path], fieldsMapping({ text: "text", "extra.published_at": at }));
    expect(made.map(({ extra }) => extra!.published_at)).toEqual([
      "2026-05-27T05:00:00+00:00",
      "2026-05-25T08:00:00+00:00",
      "2026-05-22T08:00:00+00:00",
      "2026-05-26T08:00:00+00:00",
      "2026-05-20T10:00:00+00:00",
      "2025-12-24T10:00:00+00:00",
      "2015-08-25T00:00:00+00:00",
    ]);
  });

  it.each([
    ["just now", 0],
    ["an hour ago", 3_600_000],
    ["1.5 hours ago", 5_400_000],
    ["vor 2 Wochen", 14 * 86_400_000],
    ["il y a 3 jours", 3 * 86_400_000],
    ["3 фунта", undefined],
    ["ago", undefined],
    ["", undefined],
  ])("%j is so many milliseconds ago", (text, ms) => {
    expect(millisecondsAgo(text)).toBe(ms);
  });
});

describe("joins", () => {
  const sources = [
    { name: "posts", files: ["posts.jsonl"] },
    {
      name: "comments",
      files: ["comments.jsonl"],
      join: [{ source: "posts", on: "post", key: "id", fields: ["day", "title"], as: "of" }],
    },
  ];
  const rules = [
    {
      from: "comments",
      record: {
        fields: {
          text: "text",
          "extra.title": "of.title",
          "extra.at": { path: "at", time: "MM-dd", year_from: "of.day" },
        },
      },
    },
  ];

  it("rows get fields of the row of another file, the year of a date among them", async () => {
    await scratch.write(
      "posts.jsonl",
      '{"id":7,"title":"T","day":"2024-12-30"}\n{"id":7,"title":"later"}\n{"id":8,"title":"U"}\n',
    );
    await scratch.write("comments.jsonl", '{"post":"7","text":"a","at":"01-02"}\n{"post":9,"text":"b"}\n');
    const adapter = mappingOf(sources, rules);
    const found = await previewIngest([scratch.dir], {
      adapter,
      rows: 100,
      authorSalt: "s",
      capturedAt: CAPTURED,
    });
    const made = found.items.map((item) => (item.kind === "record" ? item.record : undefined)!);
    expect(made.map(({ text, extra }) => [text, extra])).toEqual([
      ["a", { title: "T", at: "2025-01-02T00:00:00+00:00" }],
      ["b", undefined],
    ]);
    expect(found.unused.map(({ reason }) => reason)).toEqual(
      Array(3).fill("joined to rows of other sources"),
    );
  });

  it("a source that is not read before is refused", () => {
    expect(() => mappingOf([...sources].reverse(), rules)).toThrow(
      "names no source that is read before this one",
    );
  });
});

describe("rows of a program and of standard input", () => {
  const adapter = fieldsMapping({ text: "text" });
  const options = { adapter, capturedAt: CAPTURED, authorSalt: "salt-of-sixteen-c" };

  it("an async iterable of rows gives the slices that a file of them gives", async () => {
    const rows = Array.from({ length: 3000 }, (_, i) => ({ text: `row ${i}` }));
    async function* given() {
      yield* rows;
    }
    const path = await scratch.write("rows.jsonl", rows.map((row) => JSON.stringify(row)).join("\n"));
    const a = await ingest(given(), { ...options, out: join(scratch.dir, "a") });
    const b = await ingest([path], { ...options, out: join(scratch.dir, "b") });
    expect([a.read, a.records]).toEqual([3000, 3000]);
    expect(a.slices.map(({ manifest }) => manifest)).toEqual(b.slices.map(({ manifest }) => manifest));
  });

  it("a failing iterable leaves nothing", async () => {
    async function* given() {
      yield { text: "a" };
      throw new Error("the database is gone");
    }
    await expect(ingest(given(), { ...options, out: join(scratch.dir, "a") })).rejects.toThrow("is gone");
    await expect(readFile(join(scratch.dir, "a"))).rejects.toThrow("ENOENT");
  });

  it("the command line reads standard input", async () => {
    const mapping = {
      mapping: 1,
      name: "m",
      info: { title: "M", licence: "CC0-1.0" },
      sources: [{ name: "rows", files: ["*.csv"] }],
    };
    const record = { fields: { text: "t", "extra.line": "@line" } };
    const rest = {
      defaults: { platform: "forum", lang: { value: "en" } },
      rules: [{ from: "rows", record }],
    };
    await scratch.write("m.json", JSON.stringify({ ...mapping, ...rest }));
    async function* stdin() {
      yield Buffer.from("t,u\nfir");
      yield Buffer.from("st,1\nsecond,2\n");
    }
    const args = [
      "ingest",
      "-",
      "--stdin-name",
      "x.csv",
      "--adapter",
      "m.json",
      "--out",
      "s",
      "--captured-at",
      CAPTURED,
    ];
    const { out, code } = await capture([...args, "--author-salt", "salt-of-sixteen-c", "--json"], {
      cwd: scratch.dir,
      stdin: stdin(),
    });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ read: 2, records: 2, rejected: 0 });
  });
});
