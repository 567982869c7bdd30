import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { buildIndex } from "../../src/search/build-index.js";
import { readCertificate, verifyCertificate } from "../../src/search/certificate.js";
import type { IndexDocument } from "../../src/search/document.js";
import type { Embedder } from "../../src/search/embed/embedder.js";
import { EventLoopQueue } from "../../src/search/event-loop-queue.js";
import { readIndexManifest } from "../../src/search/index-manifest.js";
import { openIndex } from "../../src/search/open-index.js";
import type { SearchIndex } from "../../src/search/search-index.js";
import { openSegments } from "../../src/search/segment/open-segments.js";

const COUNT = 5_500;
const TOPICS = 100;
let folder: string;
let dir: string;

const idOf = (n: number) => `web_gnw_${String(n).padStart(5, "0")}`;

/** Texts of eight words of a topic each, and a number, so that no two are equal. */
const documents = (from: number, to: number) =>
  async function* (): AsyncGenerator<IndexDocument[]> {
    yield Array.from({ length: to - from }, (_, i) => {
      const n = from + i;
      const topic = n % TOPICS;
      const words = Array.from({ length: 8 }, (_, k) => `w${topic}x${(n * 7 + k * k * 5) % 23}`);
      return { id: idOf(n), lang: "en", text: `${words.join(" ")} n${n}` };
    });
  };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-graph-index-"));
  dir = join(folder, "index");
  await buildIndex(dir, documents(0, COUNT), { index: "hnsw", threads: 0 });
});
afterAll(() => rm(folder, { recursive: true }));

const QUERIES = Array.from({ length: 12 }, (_, i) => `w${i * 8}x3 w${i * 8}x8 w${i * 8}x20`);

/** The part of the exact ten that are found. */
async function share(index: SearchIndex, rows: RowSet): Promise<number> {
  let found = 0;
  let wanted = 0;
  for (const query of QUERIES) {
    const vector = await index.embedQuery(query);
    const exact = await index.nearest(vector!, rows, { limit: 10, exact: true });
    const near = new Set(await index.nearest(vector!, rows, { limit: 10, query }));
    found += exact.filter((row) => near.has(row)).length;
    wanted += exact.length;
  }
  return found / wanted;
}

describe("an index with graphs", { tags: "slow" }, () => {
  it("is certified to be searched by them, and what is certified is confirmed", async () => {
    const { sets } = await readCertificate(dir);
    expect(sets[0]!.recall[0]!.measured).toMatchObject([{ by: "graph" }]);
    expect((await verifyCertificate(dir, { threads: 0 })).shortfalls).toEqual([]);
  });

  it("finds what exact search does, among all and under filters, in every mode", async () => {
    const index = await openIndex(dir);
    const exact = await openIndex(dir, { exact: true });
    try {
      expect(await share(index, RowSet.all(COUNT))).toBeGreaterThanOrEqual(0.98);
      for (const every of [2, 10, 100])
        expect(
          await share(
            index,
            RowSet.fromPredicate(COUNT, (row) => row % every === 0),
          ),
        ).toBeGreaterThanOrEqual(0.98);
      for (const mode of ["hybrid", "semantic", "keyword"] as const) {
        for (const query of QUERIES) {
          const ranked = await index.rank(query, RowSet.all(COUNT), { limit: 10, mode });
          const right = await exact.rank(query, RowSet.all(COUNT), { limit: 10, mode });
          expect(ranked.rows.filter((row) => right.rows.includes(row)).length).toBeGreaterThanOrEqual(9);
        }
      }
    } finally {
      await index.close();
      await exact.close();
    }
  });

  it("begins at rows with words of a query where its recall was measured so: not of another embedder's vectors", async () => {
    const own = join(folder, "own");
    const axes = (text: string) => {
      const vector = new Float32Array(64);
      for (const word of text.split(" ")) vector[Number(/\d+$/.exec(word)![0]) % 64]! += 1;
      return vector;
    };
    const embedder: Embedder = {
      id: "axes",
      dims: 64,
      embedDocuments: async (texts) => texts.map(axes),
      embedQuery: async (text) => axes(text),
    };
    await buildIndex(own, documents(0, COUNT), { embedder, index: "hnsw", threads: 0 });
    const manifest = await readIndexManifest(own);
    for (const set of ["given", "local"] as const) {
      const { searches, close } = await openSegments(own, manifest, set, new EventLoopQueue());
      expect(searches.map(({ search }) => search.takesHints)).toEqual([set === "local"]);
      await close();
    }
  });

  it("keeps its graph when it is extended, and ranks what was added", async () => {
    const more = join(folder, "more");
    await buildIndex(more, documents(COUNT, COUNT + 200), { base: { dir }, index: "hnsw", threads: 0 });
    const graph = "segment-0000/local/graph.hnsw";
    expect((await stat(join(more, graph))).ino).toBe((await stat(join(dir, graph))).ino);
    const index = await openIndex(more);
    const { rows } = await index.rank(`n${COUNT + 150}`, RowSet.all(COUNT + 200), { limit: 1 });
    expect(rows).toEqual([COUNT + 150]);
    await index.close();
  });
});
