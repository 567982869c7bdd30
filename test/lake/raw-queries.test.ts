import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RawItem } from "../../src/contract/slice/slice-item.js";
import { Database } from "../../src/duckdb/database.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import type { RawFilter, RawOrder, RawQuery } from "../../src/store/corpus.js";
import { rawMatches } from "../../src/store/raw-filter.js";
import { wordsMatch } from "../../src/store/raw-words.js";
import { RowStore } from "../../src/store/rows/row-store.js";
import { microsOf, SCORE_SUM, scoreOf, scoreOfText } from "../../src/store/score-sums.js";
import { runs } from "../support/campaign.js";
import { batches, INFO, makeComment } from "./items.js";

/** Comments in a base and, some of them newer, in an addition: two segments, some rows replaced. */
const BASE = 300;
const ADDED = [280, 340] as const;

/** Comments of 34 parents, which take turns three by three: a comment, one more, and the answer to that. */
function commentOf(n: number, edition = 0): RawItem {
  const parent = Math.floor(n / 3) % 34;
  return { ...makeComment(n, edition), parent: String(100_000_000_000_000 + parent) };
}

const ITEMS: readonly RawItem[] = Array.from({ length: ADDED[1] }, (_, n) =>
  commentOf(n, n >= ADDED[0] ? 4 : 0),
);
const OTHER: RawItem = {
  ...makeComment(3),
  resource: "danmaku",
  offset_s: 4.5,
  data: { text: "Ünïcode camera" },
};

/** Prices whose sum in floating point is not what it should be. */
const PRICES: readonly RawItem[] = [0.1, 0.2].map((score, n) => ({
  ...makeComment(11 + n),
  resource: "price",
  created_at: "2026-05-03T10:00:00+08:00",
  score,
}));

/** What half a surrogate pair becomes on its way to an engine stands in its texts. */
const ODD: RawItem = {
  ...makeComment(14),
  id: "\uFFFD",
  resource: "review",
  parent: "\uFFFD",
  author: "\uFFFD",
  lang: "en",
  created_at: "2026-05-04T10:00:00Z",
  score: -(2 ** 53),
  data: { text: "half a \uFFFD 😀" },
};
/** With the score of the other one a number below the doubles that have all digits. */
const ODDS: readonly RawItem[] = [
  ODD,
  { ...makeComment(15), resource: "review", created_at: ODD.created_at!, score: -2 },
];

let dir: string;
let lake: Lake;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-raw-"));
  const write = async (name: string, items: readonly RawItem[]) => {
    const slices = items.map((raw) => ({ kind: "raw" as const, raw }));
    await writeSlices(batches(slices), { out: join(dir, name), info: INFO });
    return installSlices([join(dir, name)], { lake: join(dir, "lake") });
  };
  await write("base", [...Array.from({ length: BASE }, (_, n) => commentOf(n)), OTHER, ...PRICES, ...ODDS]);
  expect(await write("added", ITEMS.slice(ADDED[0]))).toMatchObject({
    change: "added",
    raw: { replaced: 20 },
  });
  lake = await Lake.open(join(dir, "lake"));
});
afterAll(async () => {
  await lake.close();
  await rm(dir, { recursive: true, force: true });
});

const ALL = [...ITEMS, OTHER, ...PRICES, ...ODDS];

function words(item: RawItem): string {
  const { text, title, name } = item.data;
  return [text, title, name]
    .filter((part) => typeof part === "string")
    .join("\n")
    .toLowerCase();
}

/** The answer as a plain filter and sort over all items gives it. */
function model(query: RawQuery): { items: RawItem[]; total: number } {
  const { orderBy, descending = false, offset, limit, text } = query;
  const value = (item: RawItem): number | undefined => {
    if (orderBy === "id") return undefined;
    if (orderBy === "score") return item.score;
    if (orderBy === "offset") return item.offset_s;
    const at = orderBy === "captured" ? item.captured_at : item.created_at;
    return at === undefined ? undefined : Date.parse(at);
  };
  const found = ALL.filter(
    (item) => rawMatches(item, query) && (text === undefined || words(item).includes(text.toLowerCase())),
  ).sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x !== undefined && y !== undefined && x !== y) return descending ? y - x : x - y;
    if ((x === undefined) !== (y === undefined)) return x === undefined ? 1 : -1;
    const order = a.id < b.id ? -1 : a.id > b.id ? 1 : a.resource < b.resource ? -1 : 1;
    return orderBy === "id" && descending && a.id !== b.id ? -order : order;
  });
  return { items: found.slice(offset, offset + limit), total: found.length };
}

const anItem = fc.constantFrom(...ALL);
const anInstant = fc
  .tuple(anItem, fc.constantFrom(-1, 0, 1))
  .map(([item, by]) => Date.parse(item.captured_at) + by);
const aCreation = anItem.map((item) => Date.parse(item.created_at ?? item.captured_at));
const filters: fc.Arbitrary<Partial<RawFilter>> = fc.record(
  {
    resource: fc.constantFrom("comment", "danmaku", "video"),
    ids: fc.array(
      anItem.map(({ id }) => id),
      { maxLength: 12 },
    ),
    parent: anItem.map(({ parent }) => parent!),
    replyTo: fc.oneof(
      fc.constant(null),
      anItem.map(({ id }) => id),
    ),
    author: anItem.map(({ author }) => author!),
    lang: fc.constantFrom("zh", "EN", "fr"),
    text: fc.constantFrom("CAMERA", "手机", "río", "Ünï", "nothing at all"),
    createdFromMs: aCreation,
    createdToMs: aCreation,
    capturedFromMs: anInstant,
    capturedToMs: anInstant,
  },
  { requiredKeys: [] },
);
/** Mostly the combinations that endpoints ask, sometimes any. */
const narrow = fc.oneof(
  filters,
  fc.record({ resource: fc.constant("comment"), parent: anItem.map(({ parent }) => parent!) }),
  fc.record({
    resource: fc.constant("comment"),
    parent: anItem.map(({ parent }) => parent!),
    replyTo: fc.constant(null),
  }),
  anItem.map(({ parent, id }) => ({ resource: "comment", parent: parent!, replyTo: id })),
  anItem.map(({ id }) => ({ resource: "comment", replyTo: id })),
  anItem.map(({ author }) => ({ resource: "comment", author: author! })),
);
const orders = fc.constantFrom<RawOrder>("source", "score", "created", "captured", "offset", "id");

describe("raw queries over two segments", () => {
  it("answer what a plain filter and sort answer", async () => {
    await fc.assert(
      fc.asyncProperty(
        narrow,
        orders,
        fc.boolean(),
        fc.nat(12),
        fc.integer({ min: 1, max: 30 }),
        async (filter, orderBy, descending, offset, limit) => {
          const query: RawQuery = { platform: "short-video", ...filter, orderBy, descending, offset, limit };
          expect(await lake.corpus.rawPage(query)).toEqual(model(query));
        },
      ),
      runs(400),
    );
  });

  it("find every item by its key, the newest edition of it, and no other", async () => {
    for (const item of ALL) {
      expect(await lake.corpus.raw(item.platform, item.resource, item.id)).toEqual(item);
    }
    expect(await lake.corpus.raw("short-video", "video", ITEMS[0]!.id)).toBeUndefined();
    expect(await lake.corpus.raw("forum", "comment", ITEMS[0]!.id)).toBeUndefined();
  });

  it("count by hour, day, week and month", async () => {
    for (const [unit, width] of [
      ["hour", 13],
      ["day", 10],
      ["month", 7],
    ] as const) {
      const counts = new Map<string, { count: number; score: number }>();
      for (const item of ITEMS) {
        if (item.created_at === undefined) continue;
        const start = item.created_at.slice(0, width);
        const bucket = counts.get(start) ?? { count: 0, score: 0 };
        counts.set(start, { count: bucket.count + 1, score: bucket.score + item.score });
      }
      const buckets = await lake.corpus.rawBuckets({ platform: "short-video", resource: "comment" }, unit);
      expect(buckets.map(({ start, count, score }) => [start.slice(0, width), count, score])).toEqual(
        [...counts]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([start, { count, score }]) => [start, count, score]),
      );
    }
    const weeks = await lake.corpus.rawBuckets({ platform: "short-video", resource: "comment" }, "week");
    expect(await lake.corpus.rawBuckets({ platform: "short-video", resource: "price" }, "day")).toEqual([
      { start: "2026-05-03T00:00:00.000Z", count: 2, score: 0.3 },
    ]);
    expect(await lake.corpus.rawBuckets({ platform: "short-video", resource: "review" }, "day")).toEqual([
      { start: "2026-05-04T00:00:00.000Z", count: 2, score: -(2 ** 53) - 2 },
    ]);
    expect(weeks.every(({ start }) => new Date(start).getUTCDay() === 1)).toBe(true);
  });

  it("read the items of a parent at one place", async () => {
    const current = (await readFile(join(dir, "lake", "CURRENT"), "utf8")).trim();
    const store = await RowStore.open<RawItem>(
      join(dir, "lake", "generations", current, "segments", "0000", "raw"),
      "deflated",
    );
    const parents = [...store.scan()]
      .flat()
      .filter(({ resource }) => resource === "comment")
      .map(({ parent }) => parent);
    store.close();
    expect(parents.filter((parent, i) => parent !== parents[i - 1])).toHaveLength(new Set(parents).size);
  });

  it.each([
    { ids: ["\uFFFD"] },
    { parent: "\uFFFD" },
    { author: "\uFFFD" },
    { text: "a \uFFFD" },
    { text: "😀" },
  ])("find nothing by half a surrogate pair: %j", async (filter) => {
    for (const more of [{ resource: "review" }, { lang: "en" }]) {
      const query = { platform: "short-video", ...more, orderBy: "id", offset: 0, limit: 5 } as const;
      expect(await lake.corpus.rawPage({ ...query, ...filter })).toEqual({ items: [ODD], total: 1 });
      const half = JSON.parse(JSON.stringify(filter).replace(/\uFFFD|😀/, "\\ud83d")) as Partial<RawFilter>;
      expect(await lake.corpus.rawPage({ ...query, ...half })).toEqual({ items: [], total: 0 });
      expect(await lake.corpus.rawBuckets({ ...query, ...half }, "day")).toEqual([]);
      expect(wordsMatch(ODD, half.text)).toBe(half.text === undefined);
    }
    expect(await lake.corpus.raw("short-video", "review", "\uFFFD")).toEqual(ODD);
    expect(await lake.corpus.raw("short-video", "review", "\ud83d")).toBeUndefined();
  });

  it("take hostile text as text", async () => {
    for (const text of ["%", "'; DROP TABLE raw; --", '"', "\\", "\u0000"]) {
      const query: RawQuery = {
        platform: "short-video",
        text,
        parent: text,
        orderBy: "id",
        offset: 0,
        limit: 5,
      };
      expect(await lake.corpus.rawPage(query)).toEqual({ items: [], total: 0 });
      expect(await lake.corpus.raw(text, text, text)).toBeUndefined();
    }
  });
});

it("scores are added as millionths the same in a program and in the engine", async () => {
  const score = fc.oneof(
    fc.integer({ min: -(2 ** 48), max: 2 ** 48 }),
    fc.integer({ min: -(2 ** 52), max: 2 ** 52 }).map((n) => 1024 * n),
    fc.double({ min: -1000, max: 1000, noNaN: true }),
    fc.integer({ min: -(2 ** 40), max: 2 ** 40 }).map((n) => (2 * n + 1) / 2_000_000),
  );
  const db = await Database.open(":memory:");
  await fc.assert(
    fc.asyncProperty(fc.array(score, { minLength: 1, maxLength: 20 }), async (scores) => {
      const [row] = await db.rows<{ sum: string }>(
        `SELECT ${SCORE_SUM} AS sum FROM (SELECT unnest(?::DOUBLE[]) AS score)`,
        [scores],
      );
      expect(scoreOf(scores.reduce((sum, each) => sum + microsOf(each), 0n))).toBe(scoreOfText(row!.sum));
    }),
    runs(100),
  );
  await db.close();
});
