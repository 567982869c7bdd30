import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Database } from "../../src/duckdb/database.js";
import type { IngestReport } from "../../src/ingest/ingest-report.js";
import type { IngestPreview } from "../../src/ingest/preview-ingest.js";
import { capture } from "../cli/capture.js";
import { rowsMapping, Scratch } from "./support.js";

const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

let scratch: Scratch;
beforeEach(async () => {
  scratch = await Scratch.make();
});
afterEach(() => scratch.remove());

const writeMapping = (rules: readonly object[], sources = [{ name: "rows", files: ["rows.jsonl"] }]) =>
  scratch.write("map.json", rowsMapping(rules, sources));

/** What the command makes of the files in `in`. */
async function run(...args: string[]) {
  const when = ["--captured-at", "2026-05-27T08:00:00Z"];
  return capture(["ingest", "in", "--adapter", "map.json", ...when, ...args], { cwd: scratch.dir });
}
const WRITE = ["--out", "out", "--author-salt", "a salt of this test"];

async function report(): Promise<IngestReport> {
  const { out, err, code } = await run(...WRITE, "--replace", "--json");
  expect(err).toBe("");
  expect(code).toBe(0);
  return JSON.parse(out) as IngestReport;
}

async function preview(rows: number): Promise<IngestPreview> {
  const { out, code } = await run("--preview", String(rows), "--json");
  expect(code).toBe(0);
  return JSON.parse(out) as IngestPreview;
}

describe("a path that no row has", () => {
  const rows = [1, 2, 3].map((n) => ({
    id: n,
    body: `The bridge opens ${n}`,
    stats: { likes: n },
    tags: [{ name: "a" }],
    count: null,
  }));

  beforeEach(async () => {
    await scratch.write("in/rows.jsonl", lines(rows));
    await writeMapping([
      {
        from: "rows",
        when: [
          { path: "kindd", is_not: "x" },
          { path: "deleted", present: false },
        ],
        record: {
          id: "id",
          fields: {
            text: "bodyy",
            title: { path: ["body", "never_needed"] },
            "extra.likes": "likes",
            "extra.count": "count",
            "extra.nothing": { list: ["^.x", "colour"] },
          },
        },
        raw: [
          {
            resource: "tag",
            each: "tags",
            id: { template: "{^.id}-{name}" },
            data: { n: "nam", o: "^.bod" },
          },
        ],
      },
    ]);
  });

  it("is named with its field and with what the rows do have, in the report and the preview", async () => {
    const { warnings, records, rejected } = await report();
    expect([records, rejected]).toEqual([3, 0]);
    const told = new Map(warnings.map((warning) => [`${warning.field} ${warning.value}`, warning]));
    expect([...told.keys()].sort()).toEqual([
      "data.n nam",
      "data.o bod",
      "extra.likes likes",
      "extra.nothing colour",
      "extra.nothing x",
      "text bodyy",
      "when kindd",
    ]);
    expect(told.get("text bodyy")).toMatchObject({
      kind: "path_absent",
      place: "rules[0].record.fields.text.path",
      rows: 3,
      names: ["body"],
    });
    expect(told.get("extra.likes likes")?.names).toEqual(["stats.likes"]);
    expect(told.get("data.n nam")?.names).toEqual(["name"]);
    expect(told.get("data.o bod")?.names).toContain("body");
    expect(told.get("extra.nothing colour")?.message).toMatch(
      /no row has colour .*3 looked at; there are id, body/,
    );
    expect((await preview(2)).warnings.find(({ value }) => value === "bodyy")).toMatchObject({ rows: 2 });
  });

  it("is printed on standard error, and what one row has is not", async () => {
    const { err } = await run(...WRITE);
    expect(err).toContain(
      "warning text: no row has bodyy (rules[0].record.fields.text.path), of 3 looked at",
    );
    expect(err).not.toMatch(/never_needed|deleted|has count/);
    const shown = await run("--preview", "1");
    expect(shown.err).toContain("did you mean body?");
    await scratch.write("in/rows.jsonl", lines([...rows, { id: 4, bodyy: "x", body: "y" }]));
    const values = (await report()).warnings.map(({ value }) => value);
    expect(values).toContain("likes");
    expect(values).not.toContain("bodyy");
  });
});

describe("a template with an empty member", () => {
  it("is counted with its field, unless a default stands in or the row is rejected", async () => {
    await scratch.write(
      "in/rows.jsonl",
      lines([
        { id: 1, a: "x", b: "y" },
        { id: 2, a: "x", b: "" },
        { id: 3, a: null, b: null },
      ]),
    );
    const template = "{a} in {b}";
    await writeMapping([
      {
        from: "rows",
        record: {
          id: "id",
          fields: {
            title: { path: "id", type: "string" },
            text: { template },
            "extra.c": { template, default: "none" },
          },
        },
      },
    ]);
    const { records, warnings } = await report();
    expect(records).toBe(3);
    expect(warnings).toEqual([
      {
        kind: "template_incomplete",
        field: "text",
        place: "rules[0].record.fields.text.template",
        value: template,
        rows: 2,
        names: ["b", "a"],
        message: expect.stringMatching(/^text: 2 rows without a value, .*"{a} in {b}" .*b, a/) as string,
      },
    ]);
  });
});

describe("lists", () => {
  it("keep repetitions and numbers; `unique` takes repetitions out", async () => {
    await scratch.write(
      "in/rows.jsonl",
      lines([
        { id: 1, words: "no , no , never", tags: ["b", "a", "b"], at: [1.5, 2, 2], on: [true, false, true] },
      ]),
    );
    await writeMapping([
      {
        from: "rows",
        record: {
          id: "id",
          fields: {
            text: { path: "words", split: " ", join: " " },
            "extra.tags": "tags",
            "extra.once": { path: "tags", unique: true, type: "list" },
            "extra.at": "at",
            "extra.on": "on",
            "extra.texts": { path: "at", type: "list" },
          },
        },
        raw: [{ resource: "sentence", id: "id", data: { tokens: { path: "words", split: " " } } }],
      },
    ]);
    const { items } = await preview(1);
    expect(items[0]).toMatchObject({
      record: {
        text: "no , no , never",
        extra: {
          tags: ["b", "a", "b"],
          once: ["b", "a"],
          at: [1.5, 2, 2],
          on: [true, false, true],
          texts: ["1.5", "2", "2"],
        },
      },
    });
    expect(items[1]).toMatchObject({ raw: { data: { tokens: ["no", ",", "no", ",", "never"] } } });
    expect((await report()).records).toBe(1);
  });
});

describe("a list where one value is wanted", () => {
  it("is told, as the first alone is kept", async () => {
    await scratch.write(
      "in/rows.jsonl",
      lines([
        { id: 1, names: ["a", "b"] },
        { id: 2, names: ["c"] },
        { id: 3, names: "d" },
        { id: 4, names: ["e", "f", "g"] },
      ]),
    );
    await writeMapping([
      {
        from: "rows",
        record: {
          id: "id",
          fields: {
            title: "names",
            text: { path: "names", join: " " },
            "extra.topic": "names[0]",
            "extra.names": "names",
          },
        },
      },
    ]);
    const { warnings, records } = await report();
    expect(records).toBe(4);
    expect(warnings.filter(({ kind }) => kind === "list_cut")).toMatchObject([
      {
        field: "title",
        value: "names",
        rows: 2,
        message: expect.stringContaining("2 rows with several values at names"),
      },
    ]);
  });
});

describe("NaN and infinity, which JSON has no numbers for", () => {
  it("are left out of a row that stays, and are told", async () => {
    const db = await Database.open(":memory:");
    await mkdir(join(scratch.dir, "in"));
    await db.run(
      `COPY (SELECT i AS id, 'b' || i AS body, CASE WHEN i = 2 THEN i ELSE 'nan'::DOUBLE END AS score, ['-inf'::DOUBLE, i, 'nan'] AS list, ['nan'::DOUBLE] AS lost,
       {'a': 'inf'::DOUBLE, 'b': i} AS object FROM range(1, 4) t(i)) TO '${join(scratch.dir, "in/rows.parquet")}' (FORMAT parquet)`,
    );
    await db.close();
    const sources = [{ name: "rows", files: ["rows.parquet"] }];
    const fields = {
      text: "body",
      title: { template: "{body} has {score}" },
      "metrics.likes": "score",
      "extra.score": { path: "score", default: -1 },
      "extra.unknown": { path: "score", absent: ["NaN"] },
      "extra.mean": { path: "list", reduce: "mean" },
      "extra.list": "list",
      "extra.lost": { path: "lost", type: "json", default: "none" },
      "extra.hash": { hash: ["$"] },
    };
    const data = { object: "object", lists: "list" };
    await writeMapping(
      [{ from: "rows", record: { id: "id", fields }, raw: [{ resource: "note", id: "id", data }] }],
      sources,
    );
    const { records, rejected, warnings } = await report();
    expect([records, rejected]).toEqual([3, 0]);
    const told = warnings.filter(({ kind }) => kind === "not_finite");
    expect(told.map(({ field, rows }) => `${field} ${rows}`)).toEqual([
      "metrics.likes 2",
      "extra.mean 3",
      "extra.list 3",
      "extra.lost 3",
      "data.object 3",
      "data.lists 3",
    ]);
    expect(told[0]).toMatchObject({
      place: 'rules[0].record.fields["metrics.likes"]',
      value: "score",
      names: [],
    });
    expect(told[0]!.message).toMatch(/^metrics.likes: 2 rows with NaN or infinity at score/);
    expect(warnings.find(({ kind }) => kind === "template_incomplete")).toMatchObject({
      rows: 2,
      names: ["score"],
    });
    const { items } = await preview(1);
    expect(items[0]).toMatchObject({
      record: { text: "b1", extra: { score: -1, mean: 1, list: [1], lost: "none" } },
    });
    expect(items[0]).not.toMatchObject({ record: { metrics: { likes: expect.anything() as unknown } } });
    expect(items[1]).toMatchObject({ raw: { data: { object: { a: null, b: 1 }, lists: [null, 1, null] } } });
  });

  it("reject a row that needs the number, and a vector", async () => {
    await scratch.write("in/rows.jsonl", '{"id": 1, "n": 1e400}\n{"id": 2, "n": 7}\n');
    await writeMapping([
      {
        from: "rows",
        record: { id: "id", fields: { text: "id", "extra.n": { path: "n", required: true } } },
      },
    ]);
    const { records, rejectsFile, warnings } = await report();
    expect([records, warnings]).toEqual([1, []]);
    expect(await readFile(rejectsFile, "utf8")).toContain(
      '"field":"extra.n","reason":"is missing: it is NaN or infinite"',
    );
  });
});

describe("items with one id", () => {
  it("are rejected with the places of both", async () => {
    await scratch.write(
      "in/rows.jsonl",
      lines([
        { id: 1, body: "a" },
        { id: 2, body: "b" },
      ]),
    );
    await scratch.write(
      "in/more/rows.jsonl",
      lines([
        { id: 3, body: "c" },
        { id: 1, body: "z" },
      ]),
    );
    await writeMapping([
      {
        from: "rows",
        record: { id: "id", fields: { text: "body" } },
        raw: [{ resource: "note", id: "id", base: "record" }],
      },
    ]);
    const { records, raw, rejected, rejectedItems, rejectsFile } = await report();
    expect([records, raw, rejected, rejectedItems]).toEqual([3, 3, 1, 2]);
    const rejects = (await readFile(rejectsFile, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(rejects[0]).toEqual({
      file: "rows.jsonl",
      line: 1,
      field: "id",
      reason:
        "another item with this id, captured at the same time, is kept (web_gnw_1, that of more/rows.jsonl, line 2)",
    });
    expect(rejects[1]).toMatchObject({ file: "rows.jsonl", line: 1, field: "id" });
    const strict = await run(...WRITE, "--replace", "--strict");
    expect(strict.err).toContain("strict_reject: rows.jsonl, line 1: id another item");
    expect(await readFile(join(scratch.dir, "out/rejects.jsonl"), "utf8")).not.toBe("");
  });
});

it.each([
  ["a document on one line", "json", JSON.stringify],
  ["a file of lines", "jsonl", lines],
])("rows that lose all they have to others are counted one by one in %s", async (_, extension, write) => {
  const rows = ["a", "b", "c"].map((body) => ({ id: 1, body }));
  await scratch.write(`in/rows.${extension}`, write([...rows, { id: 2, body: "d" }]));
  await writeMapping(
    [{ from: "rows", record: { id: "id", fields: { text: "body" } } }],
    [{ name: "rows", files: [`rows.${extension}`] }],
  );
  const { read, records, rejected, rejectedItems, rejectsFile } = await report();
  expect([read, records, rejected, rejectedItems]).toEqual([4, 2, 2, 2]);
  const rejects = (await readFile(rejectsFile, "utf8")).trim().split("\n");
  const places = rejects.map((text) => JSON.parse(text) as { line: number; element?: number });
  expect(new Set(places.map(({ line, element = line }) => element)).size).toBe(2);
});

describe("rows and items", () => {
  const rule = (raw: readonly object[]) => [
    { from: "rows", record: { id: "id", captured_at: "seen", fields: { text: "body" } }, raw },
  ];
  const json = async () => {
    const { out } = await capture(
      ["ingest", "in", "--adapter", "map.json", ...WRITE, "--replace", "--json"],
      {
        cwd: scratch.dir,
      },
    );
    const { read, records, raw, rejected, rejectedItems, duplicates } = JSON.parse(out) as IngestReport;
    return { read, records, raw, rejected, rejectedItems, duplicates };
  };
  const captures = [1, 2, 3].map((n) => ({ id: 1, n, body: `${n}`, seen: `2026-05-0${n}T00:00:00Z` }));

  it("are counted apart: a row that loses all of its items is rejected once", async () => {
    await scratch.write("in/rows.jsonl", lines(captures));
    await writeMapping(
      rule([
        { resource: "note", id: "id", base: "record" },
        { resource: "thing", id: "id", captured_at: "seen", data: { body: "body" } },
      ]),
    );
    expect(await json()).toEqual({
      read: 3,
      records: 1,
      raw: 2,
      rejected: 2,
      rejectedItems: 6,
      duplicates: 0,
    });
    const { out } = await capture(["ingest", "in", "--adapter", "map.json", ...WRITE, "--replace"], {
      cwd: scratch.dir,
    });
    expect(out).toContain("3 rows read, 1 record, 2 raw items, 2 rejected, 6 items lost to others\n");
  });

  it("are counted apart: a row that keeps one of its items is not rejected", async () => {
    const again = { ...captures[0], n: 4, seen: "2026-05-01T00:00:00Z" };
    await scratch.write("in/rows.jsonl", lines([...captures, again, { id: 2, n: 5 }]));
    await writeMapping(rule([{ resource: "note", id: "n", captured_at: "seen", data: { body: "body" } }]));
    expect(await json()).toEqual({
      read: 5,
      records: 1,
      raw: 4,
      rejected: 1,
      rejectedItems: 3,
      duplicates: 0,
    });
  });
});

describe("a preview", () => {
  it("shows the first rows of each source", async () => {
    await scratch.write(
      "in/albums.jsonl",
      lines([
        { id: 1, name: "one" },
        { id: 2, name: "two" },
      ]),
    );
    await scratch.write("in/a.images.jsonl", lines([7, 8, 9].map((id) => ({ id, tag: `t${id}` }))));
    await scratch.write("in/b.images.jsonl", lines([{ id: 10, tag: "t10" }]));
    await writeMapping(
      [
        { from: "albums", record: { id: { template: "album-{id}" }, fields: { title: "name" } } },
        { from: "images", record: { id: { template: "image-{id}" }, fields: { text: "tag" } } },
      ],
      [
        { name: "albums", files: ["albums.jsonl"] },
        { name: "images", files: ["*.images.jsonl"] },
      ],
    );
    const { rows, sources, items } = await preview(1);
    expect(rows).toBe(2);
    expect(sources).toEqual([
      { name: "albums", rows: 1 },
      { name: "images", rows: 1 },
    ]);
    expect(items).toMatchObject([
      { record: { title: "one" }, at: { file: "albums.jsonl", line: 1 } },
      { record: { text: "t7" }, at: { file: "a.images.jsonl", line: 1 } },
    ]);
    expect((await preview(4)).sources).toEqual([
      { name: "albums", rows: 2 },
      { name: "images", rows: 4 },
    ]);
    expect((await run("--preview", "1")).err).toContain("2 rows (1 of albums, 1 of images): 2 records");
  });
});

describe("a member whose name JavaScript or cleaning takes for another", () => {
  const rules = [
    {
      from: "rows",
      raw: [{ resource: "thing", id: "id", data: { whole: "$" } }],
    },
  ];

  it.each([
    [
      "__proto__",
      '{"id":"a","deep":{"__proto__":{"b":1}}}',
      "data.whole.deep.__proto__",
      "must have another name",
    ],
    [
      "of two that are one without controls",
      '{"id":"a","deep":{"b\\u0001":1,"b":2}}',
      "data.whole",
      "names are the same",
    ],
  ])("is not lost: %s", async (_, row, field, reason) => {
    await scratch.write("in/rows.jsonl", `${row}\n{"id":"b"}\n`);
    await writeMapping(rules);
    const { rejected, rejectsFile } = await report();
    expect(rejected).toBe(1);
    const [reject] = (await readFile(rejectsFile, "utf8")).trim().split("\n");
    expect(JSON.parse(reject!)).toMatchObject({ line: 1, field, reason: expect.stringContaining(reason) });
  });
});
