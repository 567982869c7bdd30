import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GuessedMapping, guessMapping } from "../../src/ingest/guess/guess-mapping.js";
import { profileRows } from "../../src/ingest/guess/profile.js";
import type { IngestReport } from "../../src/ingest/ingest-report.js";
import { capture } from "../cli/capture.js";
import { runs } from "../support/campaign.js";
import { anyRows } from "./any-rows.js";
import { Scratch } from "./support.js";
import { zipOf } from "./zip-writer.js";

let scratch: Scratch;
beforeEach(async () => {
  scratch = await Scratch.make();
});
afterEach(() => scratch.remove());

const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const recordOf = ({ mapping }: GuessedMapping, i = 0) => mapping.rules[i]!.record!;
const leftOut = (guessed: GuessedMapping) =>
  Object.fromEntries(guessed.leftOut.map(({ path, reason }) => [path, reason]));

async function guess(name: string, content: string | Uint8Array) {
  return guessMapping(await scratch.write(name, content));
}

/** What the guess makes of its own file, as a whole. */
async function ingested(name: string, guessed: GuessedMapping): Promise<IngestReport> {
  await scratch.write("guess.json", JSON.stringify(guessed.mapping));
  const args = ["--captured-at", "2026-05-27T08:00:00Z", "--author-salt", "a salt of this test"];
  const { out, code } = await capture(
    ["ingest", name, "--adapter", "guess.json", "--out", "out", "--replace", ...args, "--json"],
    { cwd: scratch.dir },
  );
  expect(code).toBe(0);
  return JSON.parse(out) as IngestReport;
}

describe("a guess loses nothing in silence", () => {
  it("says how many of the rows looked at cannot be read", async () => {
    const good = Array.from({ length: 5 }, (_, i) => `"the quick brown fox ${i}"\t0`);
    const guessed = await guess("t.tsv", ["text\tlabel", ...good, '"and said " " yes "\t1', ""].join("\n"));
    expect(guessed.doubts).toContain(
      'rows: 1 of 6 rows looked at cannot be read (the first in line 7 has text after a closing quote); `"quote": null` in `read` takes quotes as they stand',
    );
  });

  it("takes long names over numbers for a header", async () => {
    const long = "Votes for the party whose whole name no ballot paper has room for (second count)";
    const rows = Array.from({ length: 4 }, (_, i) => `0811${i},Town ${i},363${i},,8${i}`);
    const guessed = await guess("votes.csv", [`key,town,all,none,${long}`, ...rows, ""].join("\n"));
    expect(guessed.mapping.sources[0]!.read).toBeUndefined();
    expect(JSON.stringify(recordOf(guessed).fields)).toContain(long);
    const texts = await guess("texts.csv", `yes,${long}\nno,${long} again\n`);
    expect(texts.mapping.sources[0]!.read).toMatchObject({ columns: ["column_1", "column_2"] });
  });

  it("names some of many fields that it leaves out for one reason", async () => {
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`field ${i}`, ["a", "b"]]));
    await scratch.write("wide.json", JSON.stringify(wide));
    const { err } = await capture(["ingest", "--guess", "wide.json"], { cwd: scratch.dir });
    expect(err.split("\n").length).toBeLessThan(40);
    expect(err).toMatch(/and \d+ fields more \(--json names them\): over 64 further fields/);
  });

  it("keeps equal rows apart where no field tells them apart", async () => {
    const rows = ["species,day,phase", ...Array.from({ length: 6 }, () => "Turkey vulture,1990-01-08,Climb")];
    const guessed = await guess("strikes.csv", `${rows.join("\n")}\n`);
    expect(recordOf(guessed).id).toEqual({ hash: ["@file", "@row"] });
    expect(guessed.doubts.join("\n")).toContain("equal rows stay apart");
    // A time of before 1995 is one, whatever its name.
    expect(recordOf(guessed).fields["extra.published_at"]).toEqual({ path: "day", time: expect.any(String) });
    expect(await ingested("strikes.csv", guessed)).toMatchObject({ records: 6, duplicates: 0, rejected: 0 });
  });

  it("finds ids by the end of a name, in two forms, and by values alone", async () => {
    const by = async (name: string, make: (n: number) => object) =>
      recordOf(await guess(`${name}.jsonl`, lines([1, 2, 3, 4].map(make)))).id;
    expect(await by("talks", (n) => ({ name: "Giver or taker", viewed: 7, objectID: `${n}` }))).toEqual({
      template: "talks-{objectID}",
    });
    expect(await by("books", (n) => ({ _id: n < 3 ? n : { $oid: `f${n}` }, title: "Same" }))).toEqual({
      path: ['_id["$oid"]', "_id"],
    });
    expect(await by("slugs", (n) => ({ slug: `a_talk_${n}`, title: "Same" }))).toBe("slug");
  });

  it("names all that it leaves out, and why", async () => {
    const row = (n: number) => ({
      id: n,
      title: `The bridge opens today ${n}`,
      at: [1.5, n],
      parts: [{ a: 1 }],
      mail: `someone${n}@example.com`,
      contact: `+1 415 555-267${n}`,
      user: { phone: 4155552670 + n, phone_brand: "Acme 12" },
      hotline: `1234567${n}`,
      blank: null,
      deep: { b: { c: { d: { e: { f: { g: n } } } } } },
      "a b": n,
      a_b: n + 1,
      category: ["x", "y"],
      ...Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`more${i}`, i])),
    });
    const guessed = await guess("rows.jsonl", lines([row(1), row(2), row(3)]));
    const left = leftOut(guessed);
    expect(left).toMatchObject({
      parts: expect.stringContaining("each"),
      mail: expect.stringContaining("personal"),
      contact: expect.stringContaining("personal"),
      "user.phone": expect.stringContaining("personal"),
      blank: expect.stringContaining("empty"),
      "deep.b.c.d.e.f": expect.stringContaining("object"),
      more69: expect.stringContaining("further fields"),
    });
    const { fields } = recordOf(guessed);
    expect(fields).toMatchObject({ "extra.at": "at", "extra.a_b": "a b", "extra.a_b_2": "a_b" });
    expect(fields).toMatchObject({
      "extra.user_phone_brand": "user.phone_brand",
      "extra.hotline": "hotline",
    });
    expect(fields["extra.category_2"]).toBe("category");
    expect(await ingested("rows.jsonl", guessed)).toMatchObject({ records: 3, rejected: 0, warnings: [] });
    const { err } = await capture(["ingest", "--guess", "rows.jsonl"], { cwd: scratch.dir });
    expect(err).toMatch(/^Left out:\n(?: {2}.*\n)* {2}parts: a list of objects/m);
  });

  it("takes a field that is named ts for the time of its rows", async () => {
    const row = (n: number) => ({ id: n, title: `The bridge opens today ${n}`, ts: 1_716_796_800_000 + n });
    const guessed = await guess("rows.jsonl", lines([row(1), row(2)]));
    expect(recordOf(guessed).fields).toMatchObject({
      "extra.published_at": { path: "ts", time: "epoch_ms" },
    });
  });

  it("tells a list with null in it, and one among other values, from a list of objects", async () => {
    const rows = [
      { id: 1, title: "The bridge opens today", tags: ["a", "b"], more: ["a"], parts: [{ a: 1 }, null] },
      { id: 2, title: "The bridge closes today", tags: ["a", null], more: "a", parts: [] },
    ];
    const guessed = await guess("rows.jsonl", lines(rows));
    expect(leftOut(guessed)).toMatchObject({
      tags: 'a list with null in it: `"type": "list"` leaves that out',
      more: "a list in some rows and another value in others",
      parts: expect.stringContaining("a list of objects or lists"),
    });
    recordOf(guessed).fields["extra.tags"] = { path: "tags", type: "list" };
    expect(await ingested("rows.jsonl", guessed)).toMatchObject({ records: 2, rejected: 0 });
  });

  it("says one language for all where the rows are in one, and detects where they are not", async () => {
    const english = ["The bridge opens on Monday for all of us", "They were there when it was done", "Rain"];
    const one = await guess("one.jsonl", lines(english.map((text, id) => ({ id, text }))));
    expect(one.mapping.defaults?.lang).toEqual({ value: "en" });
    expect(one.doubts.join("\n")).toMatch(/lang: en for all rows: .*"detect"/);
    const mixed = [...english.slice(0, 2), "这座桥星期一开放给所有人使用", "桥今天终于开放了大家都很高兴"];
    const two = await guess("two.jsonl", lines(mixed.map((text, id) => ({ id, text }))));
    expect(two.mapping.defaults?.lang).toEqual({ detect: ["text"] });
    expect(two.doubts.join("\n")).toMatch(/several languages \((?:en 2, zh\S* 2|zh\S* 2, en 2)\)/);
  });

  it("takes no field for the words that few rows have, and says how many rows have none", async () => {
    const rows = Array.from({ length: 10 }, (_, id) => ({
      id,
      name: { common: `Place ${id}` },
      ...(id === 0 ? { note: "Some long words that are in this one row and in no other row of all" } : {}),
    }));
    const guessed = await guess("places.jsonl", lines(rows));
    expect(recordOf(guessed).fields).toMatchObject({ title: "name.common", "extra.note": "note" });
    expect(await ingested("places.jsonl", guessed)).toMatchObject({ records: 10, rejected: 0 });
    const empty = await guess(
      "empty.jsonl",
      lines([
        { id: 1, text: "words of it" },
        { id: 2, text: "" },
      ]),
    );
    expect(empty.doubts).toContain(
      "text: empty in 1 of the 2 rows looked at; search will not find those, and those without any figure are rejected",
    );
  });

  it("makes records of rows without words, by a list of texts and by their ids", async () => {
    const tagged = await guess(
      "tags.jsonl",
      lines([1, 2, 3].map((id) => ({ id, tags: ["bridge", `b${id}`], w: id }))),
    );
    expect(recordOf(tagged).fields).toMatchObject({
      title: { template: "Row {id}" },
      text: { path: "tags", join: " " },
    });
    expect(await ingested("tags.jsonl", tagged)).toMatchObject({ records: 3, rejected: 0, warnings: [] });
    const bare = await guess("bare.jsonl", lines([1, 2, 3].map((w) => ({ w }))));
    expect(await ingested("bare.jsonl", bare)).toMatchObject({ records: 3, rejected: 0, warnings: [] });
  });

  it("makes a source of each shape of an archive's files", async () => {
    const albums = lines([1, 2].map((n) => ({ _id: n, title: `Album ${n}`, images: [n] })));
    const images = lines([1, 2, 3].map((n) => ({ _id: n, caption: `A picture of bridge ${n}`, width: 80 })));
    const zip = zipOf([
      { name: "d/albums.json", data: Buffer.from(albums) },
      { name: "d/images.json", data: Buffer.from(images) },
      { name: "d/images-2.json", data: Buffer.from(images.replaceAll('_id":', '_id":9')) },
    ]);
    const guessed = await guess("all.zip", zip);
    expect(guessed.mapping.sources.map(({ name, files }) => [name, files.length])).toEqual([
      ["albums", 1],
      ["images_2", 2],
    ]);
    expect(await ingested("all.zip", guessed)).toMatchObject({
      read: 8,
      records: 8,
      rejected: 0,
      duplicates: 0,
    });
  });

  it("maps every field of any rows, or names it (property)", async () => {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(anyRows(fc.stringMatching(/^[A-Za-z_ ]{1,6}$/), 4), async (rows) => {
        const guessed = await guess(`rows-${n++}.jsonl`, lines(rows));
        const told = new Set(guessed.leftOut.map(({ path }) => path));
        const texts: unknown[] = [];
        JSON.stringify(guessed.mapping, (_, member: unknown) => {
          texts.push(member);
          return member;
        });
        for (const { path, filled, objects } of profileRows(rows)) {
          if (objects > 0 && filled === 0) continue;
          expect(told.has(path) || texts.includes(path), path).toBe(true);
        }
      }),
      runs(60),
    );
  });
});
