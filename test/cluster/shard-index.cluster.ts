import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ClickHouseLake } from "../../src/clickhouse/clickhouse-lake.js";
import { completeGraph } from "../../src/clickhouse/cluster/complete-graph.js";
import { initCluster } from "../../src/clickhouse/cluster/init-cluster.js";
import { CLICKHOUSE_DEFAULTS } from "../../src/clickhouse/defaults.js";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import type { RecordFilter } from "../../src/store/corpus.js";
import { demo } from "../support/demo-lake.js";
import { ClickHouseNode } from "./clickhouse-node.js";
import { demoQueries } from "./demo-queries.js";

/** The index is used from the first row on, and looks at few rows: at fewer than a shard has. */
const EVERY = { ...CLICKHOUSE_DEFAULTS.graph, rows: 1, breadth: 320 };
const QUERIES = 20;
let nodes: ClickHouseNode[];
let folder: LakeClient | undefined;
let address: `clickhouse://${string}`;

beforeAll(async () => {
  nodes = await ClickHouseNode.startCluster(2);
  const [first] = nodes;
  address = first!.address("near");
  for (const node of nodes) await node.sql("CREATE DATABASE near");
  const named = nodes.map(({ port }) => `127.0.0.1:${port}`);
  await initCluster({ lake: address, cluster: "lake", nodes: named });
  const { lake } = await demo();
  await installClickHouse([join(lake, "slices")], { lake: address });
  await completeGraph(address, 1);
  for (const node of nodes)
    while ((await node.sql("SELECT count() FROM system.mutations WHERE NOT is_done")) !== "0")
      await sleep(100);
  folder = await openLake(lake, { limits: "off", account: "memory", exact: true });
});

afterAll(async () => {
  await folder?.close();
  for (const node of nodes ?? []) await node.remove();
});

/** Searches of its index of vectors that each server has done. */
function graphSearches(): Promise<number[]> {
  const sql = "SELECT sum(value) FROM system.events WHERE event = 'USearchSearchCount'";
  return Promise.all(nodes.map(async (node) => Number(await node.sql(sql))));
}

/** The share of the ten nearest of exact search in a folder that a lake's ten nearest have. */
async function recall(lake: ClickHouseLake, filter: RecordFilter): Promise<number> {
  const { corpus, index } = folder!.lake;
  let [found, all] = [0, 0];
  for (const { query } of await demoQueries(corpus, QUERIES)) {
    const vector = await index.embedQuery(query);
    if (vector === undefined) continue;
    const wanted = await index.nearest(vector, corpus.match(filter), { limit: 10, exact: true });
    const got = await lake.index.nearest(vector, lake.corpus.match(filter), { limit: 300, query });
    found += wanted.filter((row) => got.slice(0, 10).includes(row)).length;
    all += wanted.length;
  }
  expect(all).toBeGreaterThan(0);
  return found / all;
}

test("each shard's index finds the nearest", async () => {
  await using lake = await ClickHouseLake.open(address, { graph: EVERY });
  const before = await graphSearches();
  expect(await recall(lake, {})).toBeGreaterThanOrEqual(0.98);
  for (const [n, searches] of (await graphSearches()).entries()) expect(searches).toBeGreaterThan(before[n]!);
});

test("finds the nearest among what a filter leaves", async () => {
  await using lake = await ClickHouseLake.open(address, { graph: EVERY });
  expect(await recall(lake, { platforms: ["forum", "short-video"] })).toBeGreaterThanOrEqual(0.98);
});

test("a lake of few records, and a filter that leaves few, ask no shard's index", async () => {
  await using small = await ClickHouseLake.open(address);
  await using large = await ClickHouseLake.open(address, { graph: EVERY });
  const before = await graphSearches();
  expect(await recall(small, {})).toBe(1);
  const few = folder!.lake.corpus.platforms().find(({ slug }) => {
    const { count, size } = folder!.lake.corpus.match({ platforms: [slug] });
    return count > 0 && count < size / 10;
  });
  expect(await recall(large, { platforms: [few!.slug] })).toBe(1);
  expect(await graphSearches()).toEqual(before);
});
