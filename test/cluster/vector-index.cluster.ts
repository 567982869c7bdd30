import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ClickHouseLake } from "../../src/clickhouse/clickhouse-lake.js";
import { completeGraph } from "../../src/clickhouse/cluster/complete-graph.js";
import { CLICKHOUSE_DEFAULTS } from "../../src/clickhouse/defaults.js";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { removeRecords } from "../../src/client/remove-records.js";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import type { RecordFilter } from "../../src/store/corpus.js";
import { batches, INFO, instant, random, withHash } from "../lake/items.js";
import { useNode } from "./use-node.js";

/** The index is asked from the first row on, whatever share a filter leaves. */
const EVERY = { ...CLICKHOUSE_DEFAULTS.graph, rows: 1, fetched: 100_000 };
/** Beginnings of the words of each language: no two languages have a word in common. */
const LANGUAGES: Readonly<Record<string, string>> = {
  en: "water stone river light house green",
  es: "noche calle verde fuego mundo playa",
  id: "rumah pasar murah jalan hujan besar",
  zh: "手机 相机 电脑 天气 新闻 城市",
  el: "νερό σπίτι δρόμος φωτιά κόσμος νύχτα",
  ru: "вода камень река город улица ночь",
};
const WORDS_PER_BEGINNING = 40;
const RECORDS = 250;
const QUESTIONS = 4;

function wordsOf(lang: string): string[] {
  const beginnings = LANGUAGES[lang]!.split(" ");
  return beginnings.flatMap((word) =>
    Array.from({ length: WORDS_PER_BEGINNING }, (_, n) => `${word}${word[n % word.length]}${n}`),
  );
}

/** Texts of a language that share few of its words. */
function text(lang: string, seed: number, length: number): string {
  const next = random(seed);
  const words = wordsOf(lang);
  const topic = Math.floor(next() * words.length);
  return Array.from({ length }, () => words[(topic + Math.floor(next() ** 2 * 60)) % words.length]).join(" ");
}

/** Records of every language, slice by slice, numbered from `first`. */
function recordsOf(first: number): SliceItem[] {
  return Object.keys(LANGUAGES).flatMap((lang, which) =>
    Array.from({ length: RECORDS }, (_, n): SliceItem => {
      const id = `soc_mbl_${lang}${first + n}`;
      const record = {
        id,
        src: "social",
        platform: "microblog",
        lang,
        text: text(lang, (first + n) * 7 + which, 14),
        author: { uid_hash: `u${n % 50}` },
        metrics: { likes: n, shares: 0, comments: 0 },
        comment_thread: [],
        extra: { source_id: `${lang}${first + n}` },
      };
      return { kind: "record", record: withHash(record as never, instant(n % 40), "test") };
    }),
  );
}

describe("the index of vectors of a lake in several languages", () => {
  const used = useNode("near", []);
  let address: `clickhouse://${string}`;
  let questions: string[] = [];
  let vectors: Float32Array[] = [];

  const sql = (text: string) => used.node.sql(text, address.split("/").pop());

  async function install(name: string, first: number): Promise<void> {
    await writeSlices(batches(recordsOf(first)), { out: join(used.dir, name), info: INFO });
    await installClickHouse([join(used.dir, name)], { lake: address });
  }

  async function buildGraph(): Promise<void> {
    await completeGraph(address, 1);
    const waiting = "SELECT count() FROM system.mutations WHERE NOT is_done";
    await expect.poll(() => sql(waiting), { timeout: 120_000 }).toBe("0");
  }

  async function graphSearches(): Promise<number> {
    return Number(await sql("SELECT sum(value) FROM system.events WHERE event = 'USearchSearchCount'"));
  }

  /** The share of the ten nearest of exact search that the index finds. */
  async function recall(lake: ClickHouseLake, filter: RecordFilter = {}): Promise<number> {
    const rows = lake.corpus.match(filter);
    let [found, all] = [0, 0];
    for (const [i, vector] of vectors.entries()) {
      const wanted = await lake.index.nearest(vector, rows, { limit: 10, exact: true });
      const got = await lake.index.nearest(vector, rows, { limit: 10, query: questions[i]! });
      found += wanted.filter((row) => got.includes(row)).length;
      all += wanted.length;
    }
    expect(all).toBeGreaterThan(0);
    return found / all;
  }

  beforeAll(async () => {
    address = await used.newDatabase();
    await install("first", 0);
    await using lake = await ClickHouseLake.open(address);
    questions = Object.keys(LANGUAGES).flatMap((lang) =>
      Array.from({ length: QUESTIONS }, (_, n) => text(lang, 9000 + n, 4)),
    );
    vectors = await Promise.all(questions.map(async (question) => (await lake.index.embedQuery(question))!));
  });

  test("is asked once it has every record, and finds the nearest of every language", async () => {
    {
      await using lake = await ClickHouseLake.open(address, { graph: EVERY });
      const before = await graphSearches();
      expect(await recall(lake)).toBe(1);
      expect(await graphSearches()).toBe(before);
    }
    await buildGraph();
    await using lake = await ClickHouseLake.open(address, { graph: EVERY });
    const before = await graphSearches();
    expect(await recall(lake)).toBeGreaterThanOrEqual(0.98);
    expect(await graphSearches()).toBeGreaterThanOrEqual(before + vectors.length);
    for (const lang of Object.keys(LANGUAGES))
      expect(await recall(lake, { langs: [lang] }), lang).toBeGreaterThanOrEqual(0.98);
  });

  test("is not asked without words of the query, which it needs to find what is near", async () => {
    await using lake = await ClickHouseLake.open(address, { graph: EVERY });
    await using exact = await ClickHouseLake.open(address, { exact: true });
    const [vector, all] = [vectors[0]!, lake.corpus.match({})];
    const before = await graphSearches();
    const near = await lake.index.nearest(vector, all, { limit: 10 });
    expect(near).toEqual(await exact.index.nearest(vector, exact.corpus.match({}), { limit: 10 }));
    const semantic = { limit: 10, mode: "semantic" } as const;
    const { rows } = await lake.index.rank(questions[0]!, all, semantic);
    expect(rows).toEqual((await exact.index.rank(questions[0]!, exact.corpus.match({}), semantic)).rows);
    expect(await graphSearches()).toBe(before);
    await lake.index.rank(questions[0]!, all, { limit: 10 });
    expect(await graphSearches()).toBeGreaterThan(before);
  });

  test("misses nothing that has words of the query, and leaves the ranking by words as it is", async () => {
    const little = { ...EVERY, depth: 1, breadth: 1 };
    const [few, many] = [
      { ...little, hints: 1 },
      { ...little, hints: 1_500 },
    ];
    await using lake = await ClickHouseLake.open(address, { exact: true });
    await using unaided = await ClickHouseLake.open(address, { graph: few });
    await using aided = await ClickHouseLake.open(address, { graph: many });
    const all = lake.corpus.match({});
    const found = { unaided: 0, aided: 0 };
    for (const [i, query] of questions.entries()) {
      const wanted = await lake.index.nearest(vectors[i]!, all, { limit: 100 });
      for (const [name, { index, corpus }] of Object.entries({ unaided, aided })) {
        const got = await index.nearest(vectors[i]!, corpus.match({}), { limit: 100, query });
        found[name as keyof typeof found] += wanted.filter((row) => got.includes(row)).length;
      }
      const ranked = await lake.index.rank(query, all, { limit: 300, mode: "keyword" });
      const beside = await aided.index.rank(query, aided.corpus.match({}), { limit: 300, mode: "hybrid" });
      expect(beside.rows).toEqual(expect.arrayContaining(ranked.rows.slice(0, 40)));
      expect(await aided.index.rank(query, aided.corpus.match({}), { limit: 300, mode: "keyword" })).toEqual(
        ranked,
      );
    }
    expect(found.unaided).toBeLessThan(found.aided);
    expect(found.aided).toBeGreaterThanOrEqual(0.99 * 100 * questions.length);
  });

  test("gives nothing that was removed", async () => {
    await using lake = await ClickHouseLake.open(address, { graph: EVERY });
    const [row] = await lake.index.nearest(vectors[0]!, lake.corpus.match({}), { limit: 10 });
    const [record] = await lake.corpus.records([row!]);
    await removeRecords([{ kind: "record", id: record!.id }], { lake: address, reason: "asked for" });
    const before = await graphSearches();
    const near = { limit: 10, query: questions[0]! };
    const left = await lake.index.nearest(vectors[0]!, lake.corpus.match({}), near);
    expect(left).toHaveLength(10);
    expect(left).not.toContain(row);
    expect(await graphSearches()).toBeGreaterThan(before);
    expect(await recall(lake)).toBeGreaterThanOrEqual(0.98);
  });

  test("has a later load, too, and is not asked while it lacks one or has a part of it", async () => {
    // As many again: the embedder is refitted, and the vectors of both loads are in another table, but for what was removed.
    await install("second", RECORDS);
    const isAsked = async () => {
      await using lake = await ClickHouseLake.open(address, { graph: EVERY });
      const before = await graphSearches();
      expect(await recall(lake)).toBeGreaterThanOrEqual(0.98);
      return (await graphSearches()) > before;
    };
    expect(await isAsked()).toBe(false);
    await buildGraph();
    expect(await isAsked()).toBe(true);
    expect(await sql("SELECT count() = uniqExact(load, ordinal), count() FROM refitted_near")).toBe(
      `1\t${2 * RECORDS * Object.keys(LANGUAGES).length - 1}`,
    );
    await sql("ALTER TABLE refitted_near DELETE WHERE ordinal % 2 = 1 SETTINGS mutations_sync = 1");
    expect(await isAsked()).toBe(false);
    await buildGraph();
    expect(await isAsked()).toBe(true);
  });
});
