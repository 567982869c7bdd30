import { join } from "node:path";
import { zipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { guessMapping } from "../../src/ingest/guess/guess-mapping.js";
import type { IngestReport } from "../../src/ingest/ingest-report.js";
import { capture } from "../cli/capture.js";
import { Scratch } from "./support.js";

let scratch: Scratch;
let folders = 0;
beforeEach(async () => {
  scratch = await Scratch.make();
});
afterEach(() => scratch.remove());

/** What a guess at files of a folder makes of them. */
async function guessed(files: Readonly<Record<string, string>>) {
  const folder = `in-${++folders}`;
  for (const [name, content] of Object.entries(files)) await scratch.write(`${folder}/${name}`, content);
  const { mapping, doubts, leftOut } = await guessMapping(join(scratch.dir, folder));
  await scratch.write("guess.json", JSON.stringify(mapping));
  const args = ["--captured-at", "2026-05-27T08:00:00Z", "--author-salt", "a salt of this test", "--json"];
  const ingest = ["ingest", folder, "--adapter", "guess.json", ...args];
  const { out, err } = await capture([...ingest, "--out", `out-${folders}`], { cwd: scratch.dir });
  expect(err).toBe("");
  const preview = await capture([...ingest, "--preview", "50"], { cwd: scratch.dir });
  const { items } = JSON.parse(preview.out) as { items: { record: Record<string, unknown> }[] };
  return {
    mapping,
    doubts: doubts.join("\n"),
    leftOut,
    report: JSON.parse(out) as IngestReport,
    records: items.map(({ record }) => record),
  };
}

const table = (rows: readonly (readonly string[])[], delimiter = "\t") =>
  rows.map((row) => `${row.join(delimiter)}\n`).join("");
const many = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));

describe("a guess at several files of one shape", () => {
  it("looks at rows of each for what differs and for the language", async () => {
    const english = many(30, (n) => [
      `${n}`,
      `The committee will meet again on Monday to talk about bridge ${n}`,
    ]);
    const polish = many(30, (n) => [
      `${n}`,
      `Dziewczynki w kolorowych strojach stoją w dużej grupie przy moście ${n}`,
    ]);
    const header = ["LineId", "content"];
    const { mapping, report } = await guessed({
      "a.tsv": table([header, ...english]),
      "b.tsv": table([header, ...polish]),
    });
    expect(mapping.rules[0]!.record).toMatchObject({ id: { hash: ["@file", "@row"] } });
    expect(mapping.defaults!.lang).toEqual({ detect: ["content"] });
    expect(report).toMatchObject({ read: 60, records: 60, rejected: 0 });
  });

  it("says nothing of what a program put beside the files of an archive", async () => {
    const rows = many(20, (n) => `{"id":"${n}","text":"The committee will meet again on day ${n}"}\n`).join(
      "",
    );
    const zip = zipSync({
      "posts.jsonl": new TextEncoder().encode(rows),
      "__MACOSX/._posts.jsonl": new Uint8Array([0, 5, 22, 7]),
      ".DS_Store": new Uint8Array([0, 0, 0, 1]),
    });
    const { doubts } = await guessMapping(await scratch.write("posts.zip", zip));
    expect(doubts.filter((doubt) => doubt.startsWith("files:"))).toEqual([]);
  });

  it("reads the days of a chat as one shape, whatever is optional in them, beside files of another at their root", async () => {
    const said = (n: number) => ({
      type: "message",
      user: `U${n % 3}`,
      text: `The committee will meet again on Monday to talk about bridge ${n}`,
      ts: `17800000${10 + n}.000100`,
      team: "T1",
      blocks: [{ type: "rich_text" }],
    });
    const joined = {
      type: "message",
      subtype: "channel_join",
      user: "U1",
      text: "joined",
      ts: "1780000001.000100",
    };
    const days = Object.fromEntries(
      many(60, (n) => [
        `${n % 2 === 0 ? "general" : "random"}/2026-05-${n}.json`,
        JSON.stringify(n < 4 ? [joined] : n % 5 === 0 ? [joined, said(n)] : [said(n)]),
      ]),
    );
    const channels = many(3, (n) => ({
      id: `C${n}`,
      name: `channel ${n}`,
      created: 1_780_000_000,
      members: ["U1"],
    }));
    const { mapping, report } = await guessed({ ...days, "channels.json": JSON.stringify(channels) });
    const files = mapping.sources.map((source) => source.files);
    expect(files).toContainEqual(["*/*.json"]);
    expect(files).toHaveLength(2);
    expect(report).toMatchObject({ read: 74, records: 74, rejected: 0 });
    const mixed = await guessed({ ...days, "channels/a.json": JSON.stringify(channels) });
    expect(mixed.mapping.sources.map((source) => source.files)).toContainEqual([
      "general/**/*.json",
      "random/**/*.json",
    ]);
  });

  it("gives all rows no language that is not found in long texts of some", async () => {
    const known = many(40, (n) => [`The committee will meet again on Monday to talk about bridge ${n}`]);
    const strange = many(20, (n) => [`${"xqz vlork pmtth grufk ".repeat(6)}${n}`]);
    const { doubts, mapping } = await guessed({
      "a.tsv": table([["body", "n"], ...[...known, ...strange].map(([t]) => [t!, "1"])]),
    });
    expect(mapping.defaults!.lang).toEqual({ detect: ["body"] });
    expect(doubts).toContain("not known 20");
  });

  it("reads all files of a folder whose neighbours have another shape, beyond those that it looks at", async () => {
    const word = (n: number) =>
      JSON.stringify({
        category: "City",
        spelling: `Name${n}`,
        description: `A town at the river, of which there is not much to say here, but for its bridge ${n}`,
        links: [{ name: "more", url: "https://example.com" }],
      });
    const files = Object.fromEntries(many(50, (n) => [`data/words/${n % 3}/word-${n}.json`, word(n)]));
    const { mapping, report } = await guessed({
      ...files,
      "data/package.json": JSON.stringify({ private: true, version: "1.0.0", name: "a package of words" }),
    });
    expect(mapping.sources.map((source) => source.files)).toContainEqual(["data/words/**/*.json"]);
    expect(report).toMatchObject({ read: 51, records: 51 });
  });

  it("names the files that no source reads", async () => {
    const { doubts } = await guessed({
      "a.csv": "id,title\n1,One bridge\n2,Two bridges\n",
      "more.txt": "A line\n",
    });
    expect(doubts).toContain("files: a.csv of 2 were looked at; no source reads 1 file (more.txt)");
  });
});

describe("a guess at texts that are no tables, or tables without a usable header", () => {
  it("takes each line for a row where no delimiter makes a table", async () => {
    const lines = ["Sun, dry, 20 degrees", "It rained for hours", "", "Snow, then; rain", "[notice] no more"];
    const { mapping, report, records } = await guessed({ "days.log": `${lines.join("\r\n")}\r\n` });
    expect(mapping.sources[0]!.read).toEqual({ as: "lines" });
    expect(report).toMatchObject({ read: 5, records: 4, rejected: 0 });
    expect(records.map(({ text }) => text)).toEqual(lines.filter((line) => line !== ""));
    const bracket = await guessed({ "days.log": "[Sun Dec 04] ready\n[Sun Dec 05] done\n" });
    expect(bracket.mapping.sources[0]!.read).toEqual({ as: "lines" });
  });

  it("takes what is said in subtitles for rows, without numbers and times", async () => {
    const cues = ["The bridge opens today", "and nobody\r\nhas to pay", "- Is it long?"];
    const srt = cues.map(
      (text, i) => `${i + 1}\r\n00:00:0${i},000 --> 00:00:0${i + 1},500\r\n${text}\r\n\r\n`,
    );
    const said = cues.flatMap((text) => text.split("\r\n"));
    const { doubts, report, records } = await guessed({ "film.srt": `\ufeff${srt.join("")}` });
    expect(records.map(({ text }) => text)).toEqual(said);
    expect(report).toMatchObject({ records: 4, rejected: 0 });
    expect(doubts).toContain("lines: they are subtitles");
    const vtt = cues.map((text, i) => `0${i}:01.000 --> 0${i}:02.000 align:start\n${text}\n\n`);
    const web = await guessed({ "film.vtt": `WEBVTT\nKind: captions\n\nNOTE by hand\n\n${vtt.join("")}` });
    expect(web.records.map(({ text }) => text)).toEqual(said);
  });

  it("takes no row for a header whose label the rows have again", async () => {
    const rows = many(60, (n) => [n % 3 === 0 ? "Not_offensive" : "Offensive", `நல்ல படம் பாருங்கள் ${n}`]);
    const { mapping, report } = await guessed({ "t.tsv": table(rows) });
    expect(mapping.sources[0]!.read).toMatchObject({ columns: ["column_1", "column_2"] });
    expect(report).toMatchObject({ read: 60, records: 60 });
  });

  it("takes a header for one whose name is a label of its column", async () => {
    const rows = many(60, (n) => [
      `댓글입니다 정말 좋네요 ${n}`,
      n % 2 ? "True" : "False",
      n % 3 ? "hate" : "none",
    ]);
    const { mapping, report } = await guessed({ "t.tsv": table([["comments", "bias", "hate"], ...rows]) });
    expect(mapping.sources[0]!.read).toBeUndefined();
    expect(report).toMatchObject({ read: 60, records: 60 });
  });

  it("names columns apart where a header names two alike, and leaves its line out", async () => {
    const rows = many(5, (n) => [
      `私の願いを聞いていただけますか ${n}`,
      `Would you hear my wish ${n}?`,
      `${n}`,
    ]);
    const { report, records, doubts } = await guessed({
      "t.csv": `\ufeff${table([["text", "text", "id"], ...rows], ",")}`,
    });
    expect(report).toMatchObject({ read: 6, records: 5, rejected: 0 });
    expect(records[0]).toMatchObject({ text: rows[0]![0], extra: { text_2: rows[0]![1] }, lang: "ja" });
    expect(doubts).toContain("text, text_2, id");
  });

  it("takes quotes as they stand where they swallow rows", async () => {
    const rows = many(40, (n) => [`${n}`, n % 10 === 3 ? `"যখন খেলা শেষ ${n}` : `ভালো খেলা ${n}`, "good"]);
    const { mapping, report } = await guessed({ "t.tsv": table([["id", "text", "label"], ...rows]) });
    expect(mapping.sources[0]!.read).toMatchObject({ quote: null });
    expect(report).toMatchObject({ read: 40, records: 40, rejected: 0 });
    const whole = many(40, (n) => [`${n}`, n === 3 ? `"two\nlines\tand a tab"` : `"one line ${n}"`, "good"]);
    const quoted = await guessed({ "t.tsv": table([["id", "text", "label"], ...whole]) });
    expect(quoted.mapping.sources[0]!.read).toBeUndefined();
  });
});

describe("a guess at documents", () => {
  it("takes the members of an object for rows where they are alike", async () => {
    const recipe = (n: number) => ({
      id: n,
      name: `Soup ${n}`,
      instructions: `Bring water to a boil, then add the leek and wait ${n}`,
    });
    const { mapping, report } = await guessed({
      "db.json": JSON.stringify(Object.fromEntries(many(9, (n) => [`k${n}`, recipe(n)]))),
    });
    expect(mapping.sources[0]!.read).toEqual({ as: "json", rows: "*" });
    expect(report).toMatchObject({ read: 9, records: 9, rejected: 0 });
  });

  it("takes a list of sentences for the words of a row that has no others", async () => {
    const rows = many(4, (n) => ({
      url: `https://example.com/${n}`,
      title: `Soup ${n}`,
      tags: ["soup", "lunch"],
      steps: [
        "Bring four cups of water to a boil in a pot.",
        `Add leek, and simmer for ${n} minutes until tender.`,
      ],
    }));
    const { records } = await guessed({ "r.json": JSON.stringify(rows) });
    expect(records[0]).toMatchObject({
      text: `${rows[0]!.steps.join("\n")}`,
      extra: { tags: ["soup", "lunch"] },
    });
  });

  it("leaves out IP addresses and numbers of payment cards, and takes neither for an id", async () => {
    const cards = ["4111111111111111", "5500005555555559", "6011000990139424"];
    const { leftOut, mapping } = await guessed({
      "p.jsonl": cards
        .map((card, n) => JSON.stringify({ card, host: `10.0.0.${n}`, title: "A desk lamp" }))
        .join("\n"),
    });
    expect(Object.fromEntries(leftOut.map(({ path, reason }) => [path, reason]))).toMatchObject({
      card: expect.stringContaining("payment cards"),
      host: expect.stringContaining("IP addresses"),
    });
    expect(mapping.rules[0]!.record).toMatchObject({ id: { hash: ["@file", "@row"] } });
  });
});

describe("a guess at numbered rows", () => {
  it("gives two collections whose rows are numbered from 1 ids of their own", async () => {
    const numbered = (text: string) =>
      many(3, (n) => JSON.stringify({ id: n + 1, text: `${text} ${n}` })).join("\n");
    const idOf = async (name: string) => {
      const path = await scratch.write(`${name}.jsonl`, numbered(name));
      const { mapping, doubts } = await guessMapping(path);
      expect(doubts.join("\n")).toContain(
        `id: id has low numbers, as other data have too: ${name}- stands before it`,
      );
      return mapping.rules[0]!.record!.id;
    };
    expect(await idOf("talks")).toEqual({ template: "talks-{id}" });
    expect(await idOf("songs")).toEqual({ template: "songs-{id}" });
    const far = await scratch.write(
      "far.jsonl",
      '{"id": 9007199254740993, "text": "a"}\n{"id": 9007199254740995, "text": "b"}\n',
    );
    expect((await guessMapping(far)).mapping.rules[0]!.record!.id).toBe("id");
  });
});

describe("a guess at prices in texts", () => {
  it.each([
    ["price", ["$1,299.00", "$4.50"], [1299, 4.5], "USD"],
    ["cena", ["1 299,00 zł", "4,50 zł"], [1299, 4.5], "PLN"],
    ["価格", ["¥1,299", "¥450"], [1299, 450], "JPY"],
    ["preço", ["R$ 1.299,00", "R$ 4,50"], [1299, 4.5], "BRL"],
    ["Price", ["Rs. 1,12,999", "Rs. 450"], undefined, undefined],
    ["price", ["EUR 1.299", "EUR 12.990"], [1299, 12_990], "EUR"],
    ["price", ["on request", "$4.50"], undefined, undefined],
  ])("%s: %j", async (name, texts, numbers, currency) => {
    const rows = texts.map((text, n) =>
      JSON.stringify({ id: `a${n}`, title: `A desk lamp ${n}`, [name]: text }),
    );
    const { records, report } = await guessed({ "p.jsonl": rows.join("\n") });
    expect(report).toMatchObject({ records: 2, rejected: 0 });
    expect(records.map(({ price }) => price)).toEqual(
      texts.map((_, i) => numbers && expect.objectContaining({ current: numbers[i], currency })),
    );
    if (numbers === undefined) expect(JSON.stringify(records[0])).toContain(texts[0]);
  });
});
