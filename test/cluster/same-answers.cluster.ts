import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { SAMPLE_CALLS } from "../../src/conformance/sample/sample-calls.js";
import { demo } from "../support/demo-lake.js";
import { copySampleLake } from "../support/sample-lake.js";
import { answerOf } from "./answer-of.js";
import { ClickHouseNode } from "./clickhouse-node.js";
import { demoQueries } from "./demo-queries.js";

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

describe("a lake of the demo's data", () => {
  let both: Awaited<ReturnType<typeof bothOf>>;
  beforeAll(async () => {
    both = await bothOf((await demo()).lake, "demo");
  });

  test("has the same records, slices and as-of", async () => {
    const [folder, cluster] = [both.folder.lake.corpus, both.cluster.lake.corpus];
    expect(cluster.recordCount).toBe(folder.recordCount);
    expect(cluster.asOfMs).toBe(folder.asOfMs);
    expect(cluster.platforms()).toEqual(folder.platforms());
    expect(cluster.slices({ offset: 0, limit: 100 })).toEqual(folder.slices({ offset: 0, limit: 100 }));
    expect(both.cluster.lake.index.embedderId).toBe(both.folder.lake.index.embedderId);
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
});
