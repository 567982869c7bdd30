import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { removeRecords } from "../../src/client/remove-records.js";
import { SAMPLE_CALLS } from "../../src/conformance/sample/sample-calls.js";
import { capture } from "../cli/capture.js";
import { rounds } from "../support/campaign.js";
import { demo } from "../support/demo-lake.js";
import { copySampleLake } from "../support/sample-lake.js";
import { answerOf } from "./answer-of.js";
import { ClickHouseNode, clusterOf } from "./clickhouse-node.js";
import { demoQueries } from "./demo-queries.js";
import { expectSamePages } from "./same-pages.js";

const MEMORY = { limits: "off", account: "memory", openingBalance: "1000" } as const;
/** Nodes that are started; a lake is on the first of them, two or all. */
const NODES = 3;
let nodes: ClickHouseNode[];
let dir: string;
let sample: { readonly folder: LakeClient; readonly shards: LakeClient } | undefined;
const opened: LakeClient[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-cluster-"));
  nodes = await ClickHouseNode.startCluster(NODES);
});

afterAll(async () => {
  for (const lake of opened) await lake.close();
  for (const node of nodes ?? []) await node.remove();
  await rm(dir, { recursive: true, force: true });
});

const QUERIES = [
  "SELECT src, count(*) AS n, count(metrics_likes) AS m FROM records GROUP BY src ORDER BY src",
  "SELECT count(*) AS n FROM comments WHERE item_id IN (SELECT item_id FROM videos)",
  "SELECT v.item_id, count(c.cid) AS n FROM videos v LEFT JOIN comments c ON c.item_id = v.item_id GROUP BY v.item_id ORDER BY v.item_id",
  "SELECT r.id, s.rank FROM search('lantern', 7) s JOIN records r ON r.id = s.id ORDER BY s.rank",
  "SELECT count(*) AS n FROM vectors v JOIN records r ON r.id = v.id",
];

/** The command line, for a database of the first nodes. */
const on =
  (count: number) =>
  (command: string, database: string, ...more: readonly string[]) =>
    capture([
      ...command.split(" "),
      "--lake",
      nodes[0]!.address(database),
      ...more,
      ...(command === "cluster init"
        ? [
            "--cluster",
            clusterOf(count),
            ...nodes.slice(0, count).flatMap(({ port }) => ["--node", `127.0.0.1:${port}`]),
          ]
        : []),
    ]);
const cluster = on(2);

/** The same slices in a folder and on some shards, installed and asked by the last of their nodes. */
async function bothOf(folder: string, database: string, count: number) {
  for (const node of nodes.slice(0, count)) await node.sql(`CREATE DATABASE ${database}`);
  const made = await on(count)("cluster init", database);
  const address = nodes[count - 1]!.address(database);
  expect(made, made.err).toMatchObject({ code: 0, out: expect.stringContaining("The tables are made.") });
  await installClickHouse([join(folder, "slices")], { lake: address });
  const lakes = {
    folder: await openLake(folder, { ...MEMORY, exact: true }),
    shards: await openLake(address, MEMORY),
  };
  opened.push(lakes.folder, lakes.shards);
  return lakes;
}

describe.each([2, 3])("a lake on %i shards", (count) => {
  test("ranks with the statistics of the whole lake: the same ids, order and scores", async () => {
    const { folder, shards } = await bothOf((await demo()).lake, `ranked_${count}`, count);
    for (const { query, filter, mode, limit } of await demoQueries(folder.lake.corpus, 16)) {
      const asked = `${mode} ${JSON.stringify(filter)} ${query}`;
      const expected = await folder.lake.index.rank(query, folder.lake.corpus.match(filter), { limit, mode });
      const found = await shards.lake.index.rank(query, shards.lake.corpus.match(filter), { limit, mode });
      expect(found, asked).toEqual(expected);
    }
    await expectSamePages(shards.lake.corpus, folder.lake.corpus);
  });
});

describe("a lake on two shards", () => {
  test("previews its tables, makes them, and shows what each server has", async () => {
    for (const node of nodes.slice(0, 2)) await node.sql("CREATE DATABASE told");
    const planned = await cluster("cluster init", "told", "--dry-run", "--json");
    expect(planned.code, planned.err).toBe(0);
    const plan = JSON.parse(planned.out) as { state: string; statements: { on: string; sql: string }[] };
    expect(plan.state).toBe("planned");
    expect(plan.statements.map(({ sql }) => sql).join("\n")).toContain(
      "Distributed('lake_2', 'told', 'records_local'",
    );
    expect(await nodes[0]!.sql("SHOW TABLES", "told")).toBe("");
    expect(await cluster("cluster status", "told")).toMatchObject({
      err: expect.stringContaining("lake_not_found"),
    });
    expect((await cluster("cluster init", "told")).out).toContain("The tables are made.");
    expect((await cluster("cluster init", "told")).out).toContain("The tables are there already.");
    for (const node of nodes.slice(0, 2)) {
      await node.sql("DROP TABLE near", "told");
      await node.sql("DROP TABLE near_local SYNC", "told");
      for (const table of ["vectors_local", "vectors"])
        await node.sql(`ALTER TABLE ${table} ADD COLUMN shape Array(BFloat16)`, "told");
    }
    await nodes[0]!.sql("TRUNCATE TABLE schema_version_local", "told");
    await nodes[0]!.sql("INSERT INTO schema_version_local (version) VALUES (4)", "told");
    const upgraded = await cluster("cluster init", "told", "--json");
    expect(JSON.parse(upgraded.out), upgraded.err).toMatchObject({ state: "upgraded" });
    for (const node of nodes.slice(0, 2))
      expect(
        await node.sql(
          `SELECT (SELECT count() FROM system.columns WHERE database = 'told' AND name = 'shape' AND table LIKE 'near%'),
            (SELECT arrayStringConcat(arraySort(groupArray(table)), ' ') FROM system.data_skipping_indices
              WHERE database = 'told' AND name = 'graph')`,
        ),
      ).toBe("2\tnear_local refitted_near_local");
    const other = [
      "cluster",
      "init",
      "--lake",
      nodes[0]!.address("told"),
      "--cluster",
      "lake",
      "--replicated",
    ];
    expect((await capture(other)).err).toContain("cluster_exists");
    const unknown = [
      "cluster",
      "init",
      "--lake",
      nodes[0]!.address("nowhere"),
      "--cluster",
      "moon",
      "--dry-run",
    ];
    expect((await capture(unknown)).code).not.toBe(0);
    const shown = await cluster("cluster status", "told", "--json");
    const status = JSON.parse(shown.out) as {
      missing: unknown[];
      tables: { server: string }[];
      loads: unknown[];
    };
    expect(status.missing).toEqual([]);
    expect(new Set(status.tables.map(({ server }) => server)).size).toBe(2);
    await nodes[1]!.sql("DROP TABLE postings_local", "told");
    expect(await cluster("cluster status", "told")).toMatchObject({
      code: 1,
      out: expect.stringContaining("missing: postings_local"),
    });
    expect((await cluster("verify", "told")).out).toContain("cluster_table_missing");
  });

  test("answers every endpoint as a folder does", async () => {
    const { folder, shards } = await bothOf(await copySampleLake(dir), "sample", 2);
    sample = { folder, shards };
    const rows = await Promise.all(
      nodes.slice(0, 2).map((node) => node.sql("SELECT count() FROM records_local", "sample")),
    );
    expect(rows.map(Number).every((count) => count > 0)).toBe(true);
    expect(rows.reduce((sum, count) => sum + Number(count), 0)).toBe(folder.lake.corpus.recordCount);
    const calls = SAMPLE_CALLS.filter((call) => !call.id.startsWith("account."));
    // All of them in a campaign, with a node that has nothing else to do.
    const every = Math.max(1, Math.round(calls.length / rounds(9)));
    for (const { id, success } of calls.filter((_, i) => i % every === 0))
      expect(await answerOf(shards, id, success), id).toEqual(await answerOf(folder, id, success));
  });

  test("answers queries as a folder does: joins, subqueries and searches mean the whole lake", async () => {
    for (const text of QUERIES)
      expect(await sample!.shards.sql(text), text).toEqual(await sample!.folder.sql(text));
    const ids = async (lake: LakeClient) => {
      const found: unknown[] = [];
      for await (const batch of lake.arrow({ domains: ["social"] }))
        found.push(...(batch.getChild("id") ?? []));
      return found.sort();
    };
    expect(await ids(sample!.shards)).toEqual(await ids(sample!.folder));
  });

  test("verifies its rows on each of them, after they were restored too, and removes", async () => {
    const { shards } = await bothOf(await copySampleLake(join(dir, "verified")), "verified", 2);
    for (const node of nodes.slice(0, 2)) {
      const backup = `File('${join(node.backups, "verified")}')`;
      await node.sql(`BACKUP DATABASE verified TO ${backup}`);
      await node.sql("DROP DATABASE verified SYNC");
      await node.sql(`RESTORE DATABASE verified FROM ${backup}`);
    }
    const verified = await cluster("verify", "verified", "--json");
    expect(JSON.parse(verified.out)).toMatchObject({
      ok: true,
      shards: [{ shard: 1 }, { shard: 2 }],
      problems: [],
    });
    const [record] = await shards.lake.corpus.records([7]);
    const target = { kind: "record", id: record!.id } as const;
    await removeRecords([target], { lake: nodes[0]!.address("verified"), reason: "on shards" });
    expect(await shards.lake.corpus.recordRow(record!.id)).toBeUndefined();
    await expect(shards.lake.corpus.records([7])).rejects.toMatchObject({ code: "record_removed" });
    // Which rows a shard has depends on the number of the load: each has some of so many.
    await nodes[1]!.sql(
      "ALTER TABLE vectors_local DELETE WHERE ordinal % 2 = 1 SETTINGS mutations_sync = 1",
      "verified",
    );
    await nodes[0]!.sql(
      "ALTER TABLE records_local UPDATE record = '{}' WHERE ordinal % 2 = 0 SETTINGS mutations_sync = 1",
      "verified",
    );
    const { out, code } = await cluster("verify", "verified");
    expect(code).toBe(1);
    expect(out).toContain("vectors has ");
    expect(out).toContain("rows of records are not what was loaded");
  });

  test("without one of its servers fails, and never answers in part", async () => {
    const lake = sample!.shards;
    const search = () => lake.search({ query: "phone", freshness: "90d" });
    const before = (await search()).data;
    await nodes[0]!.kill();
    await expect(search()).rejects.toMatchObject({ code: "service_unavailable" });
    await nodes[0]!.up();
    expect((await search()).data).toEqual(before);
  });
});
