import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shippedAdapters } from "../../src/ingest/adapters/shipped.js";
import { ANY_CHARACTER } from "../support/any-character.js";
import { runs } from "../support/campaign.js";
import { convertValues, sortOut } from "./support.js";

const vector = Array.from({ length: 1536 }, (_, i) => Math.sin(i));

/** A good row of each source of each adapter. */
const GOOD: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  beir: { corpus: { _id: "1", title: "t", text: "some text", lang: "en", metadata: { url: "u" } } },
  "documents-with-vectors": {
    documents: {
      id: "d",
      text: "t",
      lang: "en",
      model: "text-embedding-ada-002",
      embedding: vector,
      metadata: '{"source":"a/b.md"}',
    },
  },
  // Lines after the header; test/adapters/cassette.test.ts has whole answers.
  cassette: { calls: '{"cassette":1}' },
  "products-with-vectors": {
    products: {
      id: "p",
      lang: "en",
      model: "text-embedding-ada-002",
      embedding: vector,
      metadata: '{"Name":"n","Description":"d","Price":1.5,"Brand":"b","Type":"t"}',
    },
  },
  "marketplace-reviews": {
    reviews: {
      Category: "c",
      "Product Name": "p",
      Location: "l",
      Price: "10",
      "Overall Rating": "4.9",
      "Number Sold": "5",
      "Total Review": "2",
      "Customer Rating": "5",
      "Customer Review": "r",
      Sentiment: "Positive",
      Emotion: "Happy",
    },
  },
  "video-transcripts": {
    videos: {
      videoId: "v",
      title: "t",
      speaker: "s",
      description: "d",
      channel: "c",
      segments: [{ start: 1, text: "x" }],
    },
  },
  "news-sentiment": {
    sentences: { primary_gid: "a_1", sentence_normalized: "s", targets: [{ mention: "m", polarity: 2 }] },
  },
  indonlu: {
    car_reviews: { sentence: "s", fuel: "positive", machine: "neutral" },
    tweets: { label: "anger", tweet: "t" },
    hotel_reviews: { review: "r", ac: "neg" },
    opinions: { text: "t", sentiment: "positive" },
    tagged_news: "token\tO",
    news: { id: 1, text: "t", entities: [{ type: "PPL", text: "e" }] },
  },
  gdelt: {
    gkg1: {
      DATE: "20170701",
      TONE: "1,2",
      SOURCEURLS: "https://a.example/b",
      PERSONS: "a;b",
      LOCATIONS: "1#X#Y",
    },
    gkg2: {
      GKGRECORDID: "1-2",
      DATE: 20170701234500,
      DocumentIdentifier: "https://a.example/b",
      V2Tone: "1,2",
      Quotations: "1|2||q",
    },
    events: { GLOBALEVENTID: 1, SQLDATE: 20170701, DATEADDED: 20170701, EventCode: "043", GoldsteinScale: 1 },
    mentions: { GLOBALEVENTID: 1, MentionTimeDate: 20170701234500, MentionIdentifier: "u", Confidence: 5 },
  },
  "microblog-tree": {
    posts: {
      mid: "p",
      author_uid: "u",
      author_name: { followers: 1 },
      text: "t",
      time: 1371115350,
      likes: 1,
    },
    comments: { post_mid: "p", mid: "c", parent: "", uid: "u", text: "t", date: "01-02 10:00", kids: [] },
  },
  "price-history": {
    snapshots: {
      id_producto: "1",
      producto: "p",
      id_ubicacion: "l",
      fecha_snapshot: "2026-05-27",
      marca_temporal_extraccion: "2026-05-27T13:26:58+00:00",
      precio: 1.5,
    },
  },
  "short-video-native": {
    video_lines: {
      aweme_id: "7000000000000000001",
      desc: "d",
      create_time: 1700000000,
      author: { uid: "u" },
      cha_list: [{ cid: "1", cha_name: "c" }],
      text_extra: [{ hashtag_name: "h" }],
      statistics: { digg_count: 1 },
      video: { duration: 1000, cover: { url_list: ["u"] } },
    },
    comment_lines: {
      cid: "c",
      aweme_id: "7000000000000000001",
      text: "t",
      create_time: 1700000000,
      user: { uid: "u" },
    },
    list_answers: { user: { id: "u", nickname: "n" }, stats: { followerCount: 1 } },
  },
  "video-community": { labelled: { content: "t", label: "1" } },
};

/** Replaces one member, at any depth, by any value, or takes it out. */
function mutate(row: unknown, steps: readonly number[], value: unknown): unknown {
  if (row === null || typeof row !== "object" || steps.length === 0) return value;
  const copy = structuredClone(row) as Record<string, unknown>;
  const keys = Object.keys(copy);
  const key = keys[steps[0]! % keys.length];
  if (key === undefined) return value;
  const inner = copy[key];
  const deeper = typeof inner === "object" && inner !== null && steps.length > 1;
  const replaced = deeper ? mutate(inner, steps.slice(1), value) : value;
  if (replaced === undefined) delete copy[key];
  else copy[key] = replaced;
  return copy;
}

/** Any value as a line of a file of text. */
function lineOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const values = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: ANY_CHARACTER }),
  fc.constantFrom(
    undefined,
    null,
    "",
    -1,
    1e300,
    0.5,
    "1e999",
    "\ud83d",
    " ",
    [],
    {},
    [null],
    10n ** 30n,
    "__proto__",
    { toString: "" },
    [{ toString: null, valueOf: 1 }],
  ),
);
const mutation = fc.tuple(fc.array(fc.nat(40), { maxLength: 3 }), values);

describe("whatever a row holds", () => {
  const adapters = shippedAdapters();

  it("every shipped adapter is fuzzed", () => {
    expect(Object.keys(GOOD).toSorted()).toEqual(adapters.map(({ name }) => name));
  });

  it.each(adapters.map((adapter) => [adapter.name, adapter] as const))(
    "%s makes valid items of it, rejects it, or leaves it out",
    async (name, adapter) => {
      const good = GOOD[name]!;
      const plain = sortOut(
        await convertValues(
          adapter,
          Object.fromEntries(Object.entries(good).map(([source, row]) => [source, [row]])),
        ),
      );
      expect(plain.rejects).toEqual([]);
      const sources = fc.constantFrom(...Object.keys(good));
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(sources, mutation), { minLength: 1, maxLength: 8 }),
          async (changes) => {
            const rows: Record<string, unknown[]> = {};
            for (const [source, [steps, value]] of changes) {
              const row = good[source];
              const kept = rows[source] ?? [row];
              kept.push(typeof row === "string" ? lineOf(value) : mutate(row, steps, value));
              rows[source] = kept;
            }
            // Every item is checked by schema inside.
            const { rejects, unused } = sortOut(await convertValues(adapter, rows));
            const read = Object.values(rows).reduce((sum, list) => sum + list.length, 0);
            const lost = [...rejects, ...unused].reduce((sum, { rows: n = 1 }) => sum + n, 0);
            expect(lost).toBeLessThanOrEqual(read);
            for (const { reason } of rejects) expect(reason).not.toBe("");
          },
        ),
        runs(50),
      );
    },
  );
});
