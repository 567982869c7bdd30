import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClickHouseLake } from "../../src/clickhouse/clickhouse-lake.js";
import { clusterStatus } from "../../src/clickhouse/cluster/cluster-status.js";
import { completeGraph } from "../../src/clickhouse/cluster/complete-graph.js";
import { initCluster } from "../../src/clickhouse/cluster/init-cluster.js";
import { CLICKHOUSE_DEFAULTS } from "../../src/clickhouse/defaults.js";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { removeRecords } from "../../src/client/remove-records.js";
import { SAMPLE_CALLS } from "../../src/conformance/sample/sample-calls.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import type { LakeHandle } from "../../src/lake/lake-handle.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import type { RecordFilter } from "../../src/store/corpus.js";
import { bucketsOf } from "../../src/store/memory/buckets.js";
import { foldText } from "../../src/store/raw-words.js";
import { batches, INFO, makeComment, makeRecord, random, withHash } from "../lake/items.js";
import { demo } from "../support/demo-lake.js";
import { copySampleLake } from "../support/sample-lake.js";
import { answerOf } from "./answer-of.js";
import { ClickHouseNode } from "./clickhouse-node.js";
import { demoQueries } from "./demo-queries.js";
import { expectSamePages } from "./same-pages.js";

let node: ClickHouseNode;
let dir: string;
const opened: LakeClient[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-cluster-"));
  node = await ClickHouseNode.start();
});

afterAll(async () => {
  for (const lake of opened) await lake.close();
  await node?.remove();
  await rm(dir, { recursive: true, force: true });
});

/** The same slices in a folder and on ClickHouse. */
async function bothOf(
  folder: string,
  database: string,
): Promise<{ folder: LakeClient; cluster: LakeClient }> {
  await node.sql(`CREATE DATABASE ${database}`);
  const lake = node.address(database);
  const report = await installClickHouse([join(folder, "slices")], { lake });
  expect(report.change).toBe("added");
  const options = { limits: "off", account: "memory", openingBalance: "1000" } as const;
  const both = {
    folder: await openLake(folder, { ...options, exact: true }),
    cluster: await openLake(lake, options),
  };
  opened.push(both.folder, both.cluster);
  return both;
}

describe("a lake of the sample data", () => {
  let both: Awaited<ReturnType<typeof bothOf>>;
  beforeAll(async () => {
    both = await bothOf(await copySampleLake(dir), "sample");
  });

  const calls = SAMPLE_CALLS.filter(({ id }) => !id.startsWith("account."));
  test.each(calls.map((call) => [call.id, call] as const))("%s answers as in a folder", async (id, call) => {
    for (const params of [call.success, call.empty, call.bad.params]) {
      if (params === undefined) continue;
      const [expected, answer] = [
        await answerOf(both.folder, id, params),
        await answerOf(both.cluster, id, params),
      ];
      expect(answer).toEqual(expected);
    }
  });
});

describe("a lake of texts in several cases and normal forms", () => {
  test("finds the same ones that contain a text", async () => {
    const texts = [
      "Café",
      "Cafe\u0301",
      "İzmir",
      "I\u0307zmir",
      "Iris",
      "ΟΔΟΣ",
      "οδος",
      "ΟΔΟΣΤΑ",
      "STRASSE",
      "straße",
      // Of Unicode 16.
      "\u{10D50}\u{10D51}",
    ];
    // What half a surrogate pair becomes on its way to a server.
    const odd = {
      ...makeComment(50),
      id: "\uFFFD",
      parent: "\uFFFD",
      author: "\uFFFD",
      lang: "fr",
      data: { text: "\uFFFD" },
    };
    const items = [...texts.map((text, n) => ({ ...makeComment(n), data: { text } })), odd].map((raw) => ({
      kind: "raw" as const,
      raw,
    }));
    const folder = join(dir, "letters");
    await writeSlices(batches(items), { out: join(dir, "letter-slices"), info: INFO });
    await installSlices([join(dir, "letter-slices")], { lake: folder });
    const both = await bothOf(folder, "letters");
    for (const text of [...texts, "CAFÉ", "İ", "i", "Σ"]) {
      const asked = { platform: "short-video", text, orderBy: "id", offset: 0, limit: 20 } as const;
      const expected = await both.folder.lake.corpus.rawPage(asked);
      expect(await both.cluster.lake.corpus.rawPage(asked), text).toEqual(expected);
      const wanted = texts.filter((of) => foldText(of).includes(foldText(text)));
      expect(expected.items.map(({ data }) => data.text)).toEqual(wanted);
    }
    for (const text of ["\uFFFD", "\ud83d"])
      for (const asked of [
        { ids: [text] },
        { parent: text },
        { replyTo: text },
        { author: text },
        { text },
      ]) {
        const query = { platform: "short-video", lang: "fr", orderBy: "id", offset: 0, limit: 9 } as const;
        const expected = await both.folder.lake.corpus.rawPage({ ...query, ...asked });
        expect(await both.cluster.lake.corpus.rawPage({ ...query, ...asked })).toEqual(expected);
        if (text === "\ud83d") expect(expected.items).toEqual([]);
        for (const { lake } of [both.folder, both.cluster]) {
          const found = await lake.corpus.raw("short-video", "comment", text);
          expect(found).toEqual(text === "\uFFFD" ? odd : undefined);
          expect(await lake.corpus.recordRow(`soc_shv_${text}`)).toBeUndefined();
        }
      }
  });
});

describe("a lake of old and new times, and of odd scores", () => {
  test("counts and adds them the same in each unit of time", async () => {
    const years = [
      "0000",
      "0001",
      "1582",
      "1850",
      "1899",
      "1900",
      "1969",
      "1970",
      "2026",
      "2299",
      "2300",
      "9999",
    ];
    const times = years.flatMap((year) => [`${year}-01-01T00:00:00Z`, `${year}-12-31T23:59:59.999Z`]);
    const scores = [
      600_000_000_001,
      -(2 ** 53),
      2 ** 53,
      0.1,
      0.2,
      -0.5e-6,
      0.5e-6,
      -123.4567895,
      1e15 + 0.3,
    ];
    const items = [...times, ...scores.map(() => "2026-03-31T00:00:00Z")].map((created_at, n) => {
      const score = scores[n % scores.length]!;
      return { kind: "raw" as const, raw: { ...makeComment(n), created_at, score } };
    });
    const folder = join(dir, "times");
    await writeSlices(batches(items), { out: join(dir, "time-slices"), info: INFO });
    await installSlices([join(dir, "time-slices")], { lake: folder });
    const both = await bothOf(folder, "times");
    for (const unit of ["hour", "day", "week", "month"] as const) {
      const asked = { platform: "short-video", resource: "comment" };
      const expected = await both.folder.lake.corpus.rawBuckets(asked, unit);
      expect(
        bucketsOf(
          items.map(({ raw }) => raw),
          unit,
        ),
        unit,
      ).toEqual(expected);
      expect(await both.cluster.lake.corpus.rawBuckets(asked, unit), unit).toEqual(expected);
    }
  });
});

describe("a lake of Korean texts", () => {
  test("ranks them the same by first syllables and by what stands before a word, few or many", async () => {
    const draw = random(5);
    const words = "사과 나무는 열매를 책을 책은 물이 물과 3월 15일에 KBS에서 Smartphone 오래된 집에서".split(
      " ",
    );
    const textOf = (length: number) =>
      Array.from({ length }, () => words[Math.floor(draw() * words.length)]!).join(" ");
    const items = Array.from({ length: 120 }, (_, n) => {
      const { prov, ...record } = makeRecord(n);
      const korean = { ...record, lang: "ko", title: textOf(2), text: textOf(6), entities: [] };
      return { kind: "record" as const, record: withHash(korean, prov.ts) };
    });
    const folder = join(dir, "korean");
    await writeSlices(batches(items), { out: join(dir, "korean-slices"), info: INFO });
    await installSlices([join(dir, "korean-slices")], { lake: folder });
    const both = await bothOf(folder, "korean");
    const [onDisk, onServer] = [both.folder.lake, both.cluster.lake];
    const queries = Array.from({ length: 20 }, () => textOf(3));
    for (const query of [...queries, "책상", "물을 smartphones", '"오래된 집에서"', "물병은 smarties"])
      for (const mode of ["keyword", "hybrid"] as const)
        for (const limit of [5, 300]) {
          const expected = await onDisk.index.rank(query, onDisk.corpus.match({}), { limit, mode });
          const found = await onServer.index.rank(query, onServer.corpus.match({}), { limit, mode });
          expect(found, `${mode} ${limit} ${query}`).toEqual(expected);
        }
  });
});

describe("a lake of the demo's data", () => {
  let both: Awaited<ReturnType<typeof bothOf>>;
  beforeAll(async () => {
    both = await bothOf((await demo()).lake, "demo");
  });

  test("has the same records, slices and as-of", async () => {
    const [folder, cluster] = [both.folder.lake.corpus, both.cluster.lake.corpus];
    expect(cluster.recordCount).toBe(folder.recordCount);
    expect(cluster.asOfMs).toBe(folder.asOfMs);
    expect(await cluster.rawAsOfMs()).toBe(await folder.rawAsOfMs());
    expect(cluster.platforms()).toEqual(folder.platforms());
    expect(cluster.slices({ offset: 0, limit: 100 })).toEqual(folder.slices({ offset: 0, limit: 100 }));
    expect(both.cluster.lake.index.embedderId).toBe(both.folder.lake.index.embedderId);
  });

  test("has the same pages, of as many", async () => {
    await expectSamePages(both.cluster.lake.corpus, both.folder.lake.corpus);
  });

  test("finds the same records in the same order with the same scores", async () => {
    const [folder, cluster] = [both.folder.lake, both.cluster.lake];
    const queries = await demoQueries(folder.corpus, 80);
    for (const { query, filter, mode, limit } of queries) {
      const asked = `${mode} ${JSON.stringify(filter)} ${query}`;
      const expected = await folder.index.rank(query, folder.corpus.match(filter), { limit, mode });
      const found = await cluster.index.rank(query, cluster.corpus.match(filter), { limit, mode });
      expect(found, asked).toEqual(expected);
    }
  });

  test("reads the same vectors and records", async () => {
    const rows = Array.from({ length: 200 }, (_, i) => (i * 37) % both.folder.lake.corpus.rowCount);
    expect(await both.cluster.lake.corpus.records(rows)).toEqual(await both.folder.lake.corpus.records(rows));
    expect(await both.cluster.lake.index.vectors(rows)).toEqual(await both.folder.lake.index.vectors(rows));
  });

  test("finds the nearest by the server's index, scored and ordered as by exact search", async () => {
    const { cluster } = both;
    await buildGraph();
    const before = await graphSearches();
    await expect(ranksAsExactly(cluster.lake, {})).resolves.toBe(1); // few rows: every one is scored
    expect(await graphSearches()).toBe(before);
    await using graph = await ClickHouseLake.open(node.address("demo"), { graph: EVERY });
    const [common] = await cluster.sql<{ lang: string }>(
      "SELECT lang FROM records GROUP BY lang ORDER BY count() DESC LIMIT 1",
    );
    for (const filter of [{}, { langs: [common!.lang] }, { platforms: ["forum", "short-video"] }]) {
      const share = await ranksAsExactly(graph, filter);
      expect(share, JSON.stringify(filter)).toBeGreaterThanOrEqual(0.98);
    }
    expect(await graphSearches()).toBeGreaterThan(before);
    const asked = await graphSearches();
    await using exact = await ClickHouseLake.open(node.address("demo"), { graph: EVERY, exact: true });
    await expect(ranksAsExactly(exact, {})).resolves.toBe(1);
    expect(await graphSearches()).toBe(asked);
  });

  /** The share of the ten nearest that a lake finds, and that all it finds has the scores and the order of exact search. */
  async function ranksAsExactly(lake: LakeHandle, filter: RecordFilter): Promise<number> {
    const { corpus, index } = both.folder.lake;
    let [found, all] = [0, 0];
    for (const { query } of await demoQueries(corpus, 10)) {
      const vector = await index.embedQuery(query);
      if (vector === undefined) continue;
      const wanted = await index.nearest(vector, corpus.match(filter), { limit: 1000, exact: true });
      const got = await lake.index.nearest(vector, lake.corpus.match(filter), { limit: 300, query });
      // All that is found is in the order of exact scores.
      const places = got.map((row) => wanted.indexOf(row));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      const nearest = wanted.slice(0, 10);
      found += nearest.filter((row) => got.includes(row)).length;
      all += nearest.length;
    }
    return found / all;
  }

  test("is brought up to date from tables of versions 1 and 2; those of 2 are read, exactly", async () => {
    const address = node.address("demo");
    await both.cluster.close();
    const become = (version: number) =>
      node
        .sql("TRUNCATE TABLE schema_version", "demo")
        .then(() => node.sql(`INSERT INTO schema_version (version) VALUES (${version})`, "demo"));
    await node.sql("DROP TABLE near SYNC", "demo");
    // Versions 3 and 4 had the index of the table that its vectors are in.
    await node.sql("ALTER TABLE vectors ADD COLUMN shape Array(BFloat16) MATERIALIZED bytes", "demo");
    await node.sql(
      "ALTER TABLE vectors ADD INDEX near shape TYPE vector_similarity('hnsw', 'cosineDistance', 1536)",
      "demo",
    );
    await become(4);
    {
      expect((await clusterStatus(address)).missing).toEqual([]);
      await using lake = await ClickHouseLake.open(address, { graph: EVERY });
      await expect(ranksAsExactly(lake, {})).resolves.toBe(1);
    }
    await node.sql("DROP TABLE own_vectors SYNC", "demo");
    await become(2);
    expect((await clusterStatus(address)).missing).toEqual([]);
    {
      const asked = await graphSearches();
      await using lake = await ClickHouseLake.open(address, { graph: EVERY });
      await expect(ranksAsExactly(lake, {})).resolves.toBe(1);
      expect(await graphSearches()).toBe(asked);
    }
    await node.sql(
      "ALTER TABLE loads DROP COLUMN removes, DROP COLUMN digests SETTINGS mutations_sync = 1",
      "demo",
    );
    await node.sql("ALTER TABLE hidden DROP COLUMN removed SETTINGS mutations_sync = 1", "demo");
    for (const table of ["pending_loads", "removals", "redactions", "layout"])
      await node.sql(`DROP TABLE ${table} SYNC`, "demo");
    await become(1);
    await expect(openLake(address, { account: "memory" })).rejects.toMatchObject({
      code: "cluster_older_format",
    });
    expect((await initCluster({ lake: address, dryRun: true })).state).toBe("planned");
    expect((await initCluster({ lake: address })).state).toBe("upgraded");
    expect((await initCluster({ lake: address })).state).toBe("present");
    expect(
      await node.sql(
        "SELECT count() FROM system.columns WHERE database = 'demo' AND table = 'vectors' AND name = 'shape'",
      ),
    ).toBe("0");
    await buildGraph();
    await using lake = await ClickHouseLake.open(address, { graph: EVERY });
    const asked = await graphSearches();
    expect(await ranksAsExactly(lake, {})).toBeGreaterThanOrEqual(0.98);
    expect(await graphSearches()).toBeGreaterThan(asked);
    const { data } = JSON.parse(
      JSON.stringify(await both.folder.search({ query: "wireless mouse", freshness: "90d" })),
    );
    await using again = await openLake(address, { limits: "off", account: "memory", openingBalance: "1000" });
    expect(
      JSON.parse(JSON.stringify(await again.search({ query: "wireless mouse", freshness: "90d" }))).data,
    ).toEqual(data);
    const target = { kind: "record", id: (data as { id: string }[])[0]!.id } as const;
    expect(await removeRecords([target], { lake: address, reason: "after the upgrade" })).toMatchObject({});
    expect(await again.lake.corpus.recordRow(target.id)).toBeUndefined();
  });
});

/** Copies the demo's vectors to the table of the graph, and waits for the graph. */
async function buildGraph(): Promise<void> {
  await completeGraph(node.address("demo"), 1);
  await expect
    .poll(() => node.sql("SELECT count() FROM system.mutations WHERE NOT is_done AND database = 'demo'"), {
      timeout: 120_000,
    })
    .toBe("0");
}

/** The index is used from the first row on. */
const EVERY = { ...CLICKHOUSE_DEFAULTS.graph, rows: 1 };

/** Searches of indexes of vectors that the server has done. */
async function graphSearches(): Promise<number> {
  return Number(await node.sql("SELECT sum(value) FROM system.events WHERE event = 'USearchSearchCount'"));
}
