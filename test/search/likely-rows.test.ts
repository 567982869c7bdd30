import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { queryTerms } from "../../src/search/analysis/query-terms.js";
import { Stemmers } from "../../src/search/analysis/stemming.js";
import { buildIndex } from "../../src/search/build-index.js";
import { ReflectiveEmbedder } from "../../src/search/embed/reflective-embedder.js";
import { EventLoopQueue } from "../../src/search/event-loop-queue.js";
import { EMBEDDER, LOCAL_VECTORS, readIndexManifest } from "../../src/search/index-manifest.js";
import { openSegments } from "../../src/search/segment/open-segments.js";
import { SegmentedIndex } from "../../src/search/segmented-index.js";
import type { NearestSearch } from "../../src/search/vector/nearest-search.js";

const COUNT = 60;
const ALL = RowSet.all(COUNT);
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-likely-"));
  await buildIndex(
    join(dir, "index"),
    async function* () {
      yield Array.from({ length: COUNT }, (_, i) => ({
        id: `web_gnw_${i}`,
        lang: "en",
        text: `storm ${"rain ".repeat(i % 7)} number ${i}`,
      }));
    },
    { threads: 0 },
  );
});
afterAll(() => rm(dir, { recursive: true }));

/** The index, its vectors searched as if by another thread. */
async function open(isAside: boolean): Promise<SegmentedIndex> {
  const at = join(dir, "index");
  const queue = new EventLoopQueue();
  const stemmers = new Stemmers();
  await stemmers.load(["en"]);
  const analyze = (query: string) => queryTerms(query, ["en"], stemmers);
  const embedder = await ReflectiveEmbedder.open(join(at, EMBEDDER), (text) => analyze(text).terms);
  const opened = await openSegments(at, await readIndexManifest(at), LOCAL_VECTORS, queue);
  const searches = opened.searches.map(({ search, ...rows }) => {
    const nearest: NearestSearch["nearest"] = (...asked) => search.nearest(...asked);
    return { ...rows, search: { takesHints: false, exchanges: false, isAside, nearest } };
  });
  return new SegmentedIndex(
    COUNT,
    { segments: opened.segments, searches, close: () => opened.close() },
    {
      embedder,
      fitted: embedder,
      madeBy: embedder.id,
      analyze,
      exact: false,
      queue,
    },
  );
}

test("rows that are best by words are told while another thread searches, and the ranking is the same", async () => {
  const [aside, here] = [await open(true), await open(false)];
  try {
    const told: (readonly number[])[] = [];
    const onLikely = (rows: readonly number[]) => told.push(rows);
    const ranking = await aside.rank("rain", ALL, { limit: 5, onLikely });
    const byWords = await aside.rank("rain", ALL, { limit: 5, mode: "keyword", onLikely });
    expect(told).toEqual([byWords.rows]);
    expect(await here.rank("rain", ALL, { limit: 5, onLikely })).toEqual(ranking);
    expect(told).toHaveLength(1);
  } finally {
    await aside.close();
    await here.close();
  }
});

test("none are told while several queries are ranked: this thread has enough to do", async () => {
  const index = await open(true);
  try {
    const told: (readonly number[])[] = [];
    const ask = () => index.rank("rain", ALL, { limit: 5, onLikely: (rows) => told.push(rows) });
    await Promise.all([ask(), ask()]);
    expect(told.length).toBeLessThan(2);
    await ask();
    expect(told.at(-1)).toHaveLength(5);
  } finally {
    await index.close();
  }
});
