import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { guessMapping } from "../../src/ingest/guess/guess-mapping.js";
import { compileMapping } from "../../src/ingest/mapping/compile.js";
import { capture } from "../cli/capture.js";
import { runs } from "../support/campaign.js";
import { anyRows } from "./any-rows.js";
import { previewOf, Scratch } from "./support.js";
import { zipOf } from "./zip-writer.js";

let scratch: Scratch;
beforeEach(async () => {
  scratch = await Scratch.make();
});
afterEach(() => scratch.remove());

/** What the guessed mapping makes of the file's first rows. */
async function previewed(name: string, content: string | Uint8Array) {
  const path = await scratch.write(name, content);
  const { mapping, doubts } = await guessMapping(path);
  const { records, rejects } = await previewOf(scratch, mapping, path);
  return { mapping, doubts: doubts.join("\n"), records, rejects };
}

describe("a guessed mapping", () => {
  it("finds the rows of a document, its author, counts and times", async () => {
    const comments = [1, 2, 3].map((n) => ({
      cid: `c${n}`,
      text: `Nice &amp; useful ${n}`,
      digg_count: n,
      create_time: 1_780_000_000 + n,
      user: { uid: `${n % 2}00`, nickname: "x" },
    }));
    const { mapping, records, rejects, doubts } = await previewed(
      "replies.json.gz",
      gzipSync(JSON.stringify({ code: 0, data: { total: 3, comments } })),
    );
    expect(mapping.sources[0]?.read).toEqual({ as: "json", rows: "data.comments" });
    expect(rejects).toEqual([]);
    expect(records[0]).toMatchObject({
      id: "soc_frm_c1",
      text: "Nice & useful 1",
      metrics: { likes: 1 },
      author: { uid_hash: expect.any(String) },
      extra: { published_at: "2026-05-28T20:26:41+00:00" },
    });
    expect(doubts).toContain("platform: forum");
  });

  it("finds the rows of a document that is longer than what is looked at", async () => {
    const messages = Array.from({ length: 9_000 }, (_, n) => ({
      id: `m${n}x`,
      content: `The bridge {over [the] "river" opens on Monday, \\${n} ${", and it costs nothing".repeat(20)}`,
      reactions: [{ emoji: "+1", count: n }],
    }));
    const { mapping, records, rejects, doubts } = await previewed(
      "chat.json",
      JSON.stringify({ guild: { name: "Bridges" }, messages, messageCount: 9_000 }),
    );
    expect(mapping.sources[0]?.read).toEqual({ as: "json", rows: "messages" });
    expect(doubts).toContain("rows: of a long document only the beginning was searched for them");
    expect(rejects).toEqual([]);
    expect(records[1]).toMatchObject({ id: "web_gnw_m1x", text: messages[1]!.content });
  });

  it("finds the rows of a document that has a list of them for each of its keys, whatever is in the keys", async () => {
    const posts = (n: number) =>
      [1, 2].map((i) => ({ post: n * 10 + i, message: `A post about bridge ${n}.${i}` }));
    const document = {
      "https://social.example/a.b": posts(1),
      "https://social.example/c": posts(2),
      "https://social.example/d.e": posts(3),
    };
    const { mapping, records } = await previewed("posts.json", JSON.stringify(document));
    expect(mapping.sources[0]?.read).toEqual({ as: "json", rows: "*" });
    expect(records).toHaveLength(6);
    const several = { "v1.0": [{ a: 1 }, { a: 2 }, { a: 3 }], posts: posts(1), users: [{ name: "Ada" }] };
    const other = await previewed("several.json", JSON.stringify(several));
    expect(other.mapping.sources[0]?.read).toEqual({ as: "json", rows: "posts" });
  });

  it("finds rows with NaN in them, which Python writes", async () => {
    const { mapping, records } = await previewed(
      "python.json",
      '{"n": NaN, "items": [{"id": "a1", "title": "A desk lamp", "price": NaN}, {"id": "a2", "title": NaN, "price": 4.5}]}',
    );
    expect(mapping.sources[0]?.read).toEqual({ as: "json", rows: "items" });
    expect(mapping.rules[0]!.record!.fields).toMatchObject({
      "price.current": { path: "price", absent: ["NaN"] },
    });
    expect(records).toMatchObject([{ title: "A desk lamp" }, { price: { current: 4.5 } }]);
    expect(records[1]).not.toHaveProperty("title");
  });

  it("finds a delimiter, words in other languages, prices, and names like a known one", async () => {
    const rows = [
      "Nombre Producto;Precio;Total Reviews;Disponible",
      "Té verde;3.5;12;true",
      "Mate;4.25;0;false",
    ];
    const { mapping, records, rejects, doubts } = await previewed("precios.csv", `${rows.join("\n")}\n`);
    expect(mapping.sources[0]?.read).toEqual({ as: "csv", delimiter: ";" });
    expect(rejects).toEqual([]);
    expect(records[0]).toMatchObject({
      title: "Té verde",
      price: { current: 3.5 },
      metrics: { reviews: 12 },
    });
    expect(doubts).toContain("price.currency");
    expect(doubts).toContain("captured_at: no field is a time");
  });

  it("takes no picture's address for an id, and cents for what they are", async () => {
    const rows = [1, 2, 3].map((n) => ({
      image_url: `https://example.com/${n}.jpg`,
      title: `Teapot ${n}`,
      price_cents: 1_990 + n,
      currency: "EUR",
      sku: `T-${n}`,
    }));
    const lines = (some: readonly object[]) => some.map((row) => JSON.stringify(row)).join("\n");
    const { records, doubts, rejects } = await previewed("shop.jsonl", lines(rows));
    expect(rejects).toEqual([]);
    expect(records[0]).toMatchObject({
      id: expect.stringMatching(/T-1$/),
      price: { current: 19.91, currency: "EUR" },
    });
    expect(doubts).toContain("price_cents counts hundredths");
    const nameless = await previewed("shop-2.jsonl", lines(rows.map(({ sku: _, ...row }) => row)));
    expect(nameless.doubts).toContain("the file and the place in it are used");
  });

  it("takes the longest texts where no name says which are the words, never addresses or JSON", async () => {
    const rows = [1, 2].map((n) => ({
      q: `https://example.com/${"long".repeat(30)}${n}`,
      j: JSON.stringify({ pad: "x".repeat(200) }),
      zz: `These are the words of the row, of which there are some more than of anything else ${n}`,
    }));
    const { records, doubts } = await previewed(
      "odd.jsonl",
      rows.map((row) => JSON.stringify(row)).join("\n"),
    );
    expect(records[0]?.text).toContain("These are the words");
    expect(doubts).toContain("text: zz has the longest texts");
  });

  it("takes a field called text for the words, whatever they look like", async () => {
    const rows = [1, 2].map((n) => JSON.stringify({ id: n, text: `[package] name = "p${n}"` }));
    const { records, rejects } = await previewed("docs.jsonl", rows.join("\n"));
    expect(rejects).toEqual([]);
    expect(records[0]?.text).toContain("[package]");
  });

  it("quotes names that begin as the path of the row does", async () => {
    const { rejects } = await previewed(
      "odd.jsonl",
      JSON.stringify({ id: 1, text: "words", "$ ": 0, $ref: "x" }),
    );
    expect(rejects).toEqual([]);
  });

  it.each([
    ["Posts.xml", '<?xml version="1.0"?>\n<posts>\n<row Id="1" />\n</posts>\n', /is XML/],
    ["feed.xml", "<rss><channel></channel></rss>", /is XML/],
    ["tweets.js", 'window.YTD.tweets.part0 = [\n{ "tweet" : { "id" : "1" } }\n]\n', /is JavaScript/],
  ])("refuses what is no rows, and says what to do: %s", async (name, content, message) => {
    const path = await scratch.write(name, content);
    await expect(guessMapping(path)).rejects.toMatchObject({
      code: "wrong_format",
      message: expect.stringMatching(message),
      remedy: expect.stringMatching(/JSON|\.json/),
    });
  });

  it("refuses other files beside the one that it looks at, and says where the mapping goes", async () => {
    await scratch.write("posts.jsonl", '{"id":"1","text":"one"}\n');
    const { code, out, err } = await capture(["ingest", "posts.jsonl", "--guess", "mapping.json"], {
      cwd: scratch.dir,
    });
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("--guess looks at one file or folder, mapping.json, not at posts.jsonl");
    expect(err).toContain("mirrorlake ingest --guess posts.jsonl > mapping.json");
  });

  it("is printed with what to check", async () => {
    await scratch.write("a.csv", "id,title\n1,one\n2,two\n");
    const { code, out, err } = await capture(["ingest", "--guess", "a.csv"], { cwd: scratch.dir });
    expect(code).toBe(0);
    expect(compileMapping(JSON.parse(out)).name).toBe("a");
    expect(err).toMatch(/^Check before you use it:\n/);
    expect(err).toContain("licence");
  });

  it("takes texts in apostrophes only where quotes do not read the table as well", async () => {
    const row = (n: number) =>
      `"['Who', 'is', ',', 'no ${n}', '?']","['A text', 'about', ';', 'no ${n}']","O"`;
    const { mapping, records, rejects } = await previewed(
      "qa.csv",
      `question,passage,label\n${row(1)}\n${row(2)}\n`,
    );
    expect(mapping.sources[0]?.read).toBeUndefined();
    expect(rejects).toEqual([]);
    expect(records.length).toBe(2);
  });

  it("takes the longest texts for the words where a title is found, and looks into lists for them", async () => {
    const films = [1, 2].map((n) => ({
      title: `Film ${n}`,
      plot: `A long story of bridges that opens ${n}`.repeat(2),
    }));
    expect((await previewed("films.json", JSON.stringify(films))).records[0]).toMatchObject({
      title: "Film 1",
      text: films[0]!.plot,
    });
    const data = [1, 2].map((n) => ({
      title: `T ${n}`,
      paragraphs: [
        { context: `A paragraph of many words about bridges, number ${n}`, qas: [{ id: `q${n}` }] },
      ],
    }));
    const nested = await previewed("squad.json", JSON.stringify({ version: "1", data }));
    expect(nested.records[1]).toMatchObject({ title: "T 2", text: data[1]!.paragraphs[0]!.context });
    expect(nested.doubts).toContain("paragraphs: only the first object");
  });

  it("is valid, and reads its file, whatever the rows look like (property)", async () => {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(anyRows(fc.string({ minLength: 1, maxLength: 12 })), async (rows) => {
        const lines = rows.map((row) => JSON.stringify(row)).join("\n");
        const path = await scratch.write(`rows-${n++}.jsonl`, lines);
        const { mapping } = await guessMapping(path);
        expect(compileMapping(mapping).sources).toHaveLength(1);
      }),
      {
        ...runs(60),
        examples: [[[{ "$ ": 0 }, { id: false }]], [[{ constructor: [] as never[], id: {} }, { id: {} }]]],
      },
    );
  });
});

describe("a guess at tables without a header, in apostrophes, or in an archive", () => {
  it("columns are numbered where the first line is no header", async () => {
    const rows = [1, 2, 3].map(
      (n) =>
        `q${n}\t${n % 2}\t出張でお世話になりました。また利用したいと思います、とても良い宿でした ${n}\t{"0": 3}\n`,
    );
    const { mapping, records, rejects, doubts } = await previewed("rows.tsv", rows.join(""));
    expect(mapping.sources[0]!.read).toMatchObject({
      columns: ["column_1", "column_2", "column_3", "column_4"],
    });
    expect(records).toHaveLength(3);
    expect(records[0]).toMatchObject({
      text: expect.stringContaining("出張"),
      id: expect.stringMatching(/_q1$/),
    });
    expect(rejects).toEqual([]);
    expect(doubts).toContain("does not look like a header");
  });

  it("texts in apostrophes hold delimiters and quotes", async () => {
    const rows = [1, 2].map(
      (n) =>
        `Wirtschaft;'Die Firma ${n}, so heißt es, legt den "Rechner" vor; er ''rechnet'' gut und lange genug'\n`,
    );
    const { mapping, records, rejects } = await previewed("articles.csv", rows.join(""));
    expect(mapping.sources[0]!.read).toMatchObject({ delimiter: ";", quote: "'" });
    expect(records.map(({ text }) => text)).toEqual([
      `Die Firma 1, so heißt es, legt den "Rechner" vor; er 'rechnet' gut und lange genug`,
      `Die Firma 2, so heißt es, legt den "Rechner" vor; er 'rechnet' gut und lange genug`,
    ]);
    expect(rejects).toEqual([]);
  });

  it("the first file of an archive is looked at, and lists of texts are kept", async () => {
    const rows = JSON.stringify([{ title: "A film", cast: ["Ann", "Bo"], year: 1990 }]);
    const zip = zipOf([{ name: "films/1990s.json", data: Buffer.from(rows) }]);
    const { mapping, records } = await previewed("films.zip", zip);
    expect(mapping.sources[0]!.files).toEqual(["*.json"]);
    expect(records).toMatchObject([{ title: "A film", extra: { cast: ["Ann", "Bo"], year: 1990 } }]);
  });

  it("ids of a document database are found in their brackets", async () => {
    const rows = [1, 2, 3].map((n) => JSON.stringify({ _id: { $oid: `55f1${n}` }, name: `Place ${n % 2}` }));
    const { records } = await previewed("places.jsonl", rows.join("\n"));
    expect(records.map(({ id }) => String(id).split("_")[2])).toEqual(["55f11", "55f12", "55f13"]);
  });
});
