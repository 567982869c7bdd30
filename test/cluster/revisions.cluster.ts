import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { initCluster } from "../../src/clickhouse/cluster/init-cluster.js";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { removeRecords } from "../../src/client/remove-records.js";
import type { RemovalTarget } from "../../src/contract/lake/removal.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import type { RankMode } from "../../src/search/search-index.js";
import { capture } from "../cli/capture.js";
import { commentId, EMBEDDER, recordId, VIDEO, videoId, videos } from "../evolution/support.js";
import { makeItems } from "../lake/items.js";
import { ClickHouseNode, clusterOf, INTERPRETED } from "./clickhouse-node.js";
import { answersOf } from "./lake-answers.js";
import { endLeases } from "./server-faults.js";
import { useSlices } from "./use-slices.js";
import { Wire } from "./wire.js";

const OPEN = { account: "memory", limits: "off", openingBalance: "1000", embedder: EMBEDDER } as const;
const ALL: readonly RankMode[] = ["keyword", "semantic", "hybrid"];
const SQL = [
  "SELECT id, text, captured_at FROM records ORDER BY id",
  "SELECT c.cid, v.item_id FROM comments c JOIN videos v ON v.item_id = c.item_id ORDER BY c.cid",
  "SELECT root, name FROM slices ORDER BY root",
  "SELECT v.id FROM vectors v JOIN records r ON r.id = v.id ORDER BY v.id",
];

const used = useSlices("revisions");

beforeAll(async () => {
  const { write } = used;
  await write("other", makeItems(0, 30));
  await write("a", videos(0, 20, 3));
  // Of these 10 to 19 replace editions of the same install.
  await write("b", videos(10, 25, 5, 1));
  await write("c", videos(5, 13, 8, 2));
  await write("b2", videos(20, 25, 9, 3), "b");
  await write("c2", videos(5, 8, 10, 4), "c");
  await write("all2", videos(1, 4, 11, 5), "a", "b2", "c2");
});

const TARGETS = [
  { kind: "record", id: recordId(14) },
  { kind: "author", id: "u12" },
] as const;
const COMMENT = { kind: "raw", platform: VIDEO, resource: "comment", id: commentId(9, 0) } as const;

/** All that two lakes agree on after a step; how they rank, after the first ones. */
async function stateOf(lake: LakeClient, step: string) {
  await lake.refresh();
  const rows: unknown[] = [];
  for (const text of SQL) rows.push(await lake.sql(text));
  const modes: readonly RankMode[] = ["first", "c", "b2"].includes(step) ? ALL : [];
  const slices = lake.lake.corpus.slices({ offset: 0, limit: 100 });
  return { answers: await answersOf(lake.lake, modes), slices, rows };
}

type State = Awaited<ReturnType<typeof stateOf>>;
let folder: Promise<{ states: ReadonlyMap<string, State>; reports: readonly unknown[] }> | undefined;

/** What a lake in a folder answers after each step, and what its removals report; made once. */
function inFolder() {
  folder ??= makeFolderStates();
  return folder;
}

async function makeFolderStates() {
  const lake = join(used.dir, "folder");
  const states = new Map<string, State>();
  const reports: unknown[] = [];
  const install = (...names: string[]) =>
    installSlices(used.folders(names), { lake, embedder: EMBEDDER, localSet: false, threads: 1 });
  const remove = async (targets: readonly RemovalTarget[]) => {
    const { corpus: _, ...report } = await removeRecords(targets, { lake, reason: "takedown" });
    reports.push({ ...report, withheld: [] });
  };
  await install("other", "a", "b");
  await using client = await openLake(lake, { ...OPEN, exact: true });
  const note = async (step: string) => states.set(step, await stateOf(client, step));
  await note("first");
  await install("c");
  await note("c");
  await install("b", "b2");
  await note("b2");
  await remove(TARGETS);
  await note("removed");
  await install("c2");
  await note("c2");
  await remove([COMMENT]);
  await note("comment removed");
  await install("all2");
  await note("all2");
  await install("a", "b", "c", "b2");
  await note("again");
  return { states, reports };
}

describe.each([
  { shards: 1, replicas: 1 },
  { shards: 2, replicas: 1 },
  { shards: 3, replicas: 1 },
  { shards: 1, replicas: 2 },
])("revisions on $shards shards, $replicas servers each", ({ shards, replicas }) => {
  let nodes: ClickHouseNode[] = [];
  beforeAll(async () => {
    nodes =
      shards * replicas === 1
        ? [await ClickHouseNode.start(INTERPRETED)]
        : await ClickHouseNode.startCluster(shards * replicas, { replicas, settings: INTERPRETED });
  });
  afterAll(async () => {
    for (const node of nodes) await node.remove();
  });

  /** An address of a new lake. */
  async function newLake(database: string) {
    for (const node of nodes) await node.sql(`CREATE DATABASE ${database}`);
    const lake = nodes[0]!.address(database);
    if (nodes.length === 1) return lake;
    const named = nodes.flatMap(({ port }) => ["--node", `127.0.0.1:${port}`]);
    const made = await capture(["cluster", "init", "--lake", lake, "--cluster", clusterOf(shards), ...named]);
    expect(made.code, made.err).toBe(0);
    return lake;
  }

  function install(names: readonly string[], lake: `clickhouse://${string}`) {
    return installClickHouse(used.folders(names), { lake, embedder: EMBEDDER });
  }

  test("answer as in a folder after each install, and bring back what their slices had replaced", async () => {
    const lake = await newLake("steps");
    const { states, reports } = await inFolder();
    await install(["other", "a", "b"], lake);
    await using found = await openLake(lake, OPEN);
    const expectSame = async (step: string) =>
      expect(await stateOf(found, step), step).toEqual(states.get(step));
    await expectSame("first");
    expect(await install(["c"], lake)).toMatchObject({ records: { added: 8, replaced: 8 } });
    await expectSame("c");
    const before = await answersOf(found.lake, []);
    await using reader = await openLake(lake, OPEN);
    const report = await install(["b", "b2"], lake);
    expect(report.slices.map(({ state }) => state)).toEqual(["superseded", "installed"]);
    // Who has not refreshed sees all as it was.
    expect(await answersOf(reader.lake, [])).toEqual(before);
    await expectSame("b2");
    expect(await install(["b", "b2"], lake)).toMatchObject({ change: "none" });
    expect(await removeRecords(TARGETS, { lake, reason: "takedown" })).toEqual(reports[0]);
    await expectSame("removed");
    // A reader of superseded slices moves on, since it could not tell what follows from the removal.
    expect(await answersOf(reader.lake, [])).toEqual(states.get("removed")!.answers);
    await install(["c2"], lake);
    await expectSame("c2");
    await removeRecords([COMMENT], { lake, reason: "takedown" });
    await expectSame("comment removed");
    await install(["all2"], lake);
    await expectSame("all2");
    const verified = await capture(["verify", "--lake", lake]);
    expect(verified.code, verified.out).toBe(0);
    // What was superseded stays so, in whatever order it comes.
    expect(await install(["a", "b", "c", "b2"], lake)).toMatchObject({ change: "none" });
    await expectSame("again");
  });
});

describe("an install of a revision", () => {
  let node: ClickHouseNode;
  let wire: Wire;
  beforeAll(async () => {
    node = await ClickHouseNode.start(INTERPRETED);
    wire = await Wire.to(node.port);
  });
  afterAll(async () => {
    wire.remove();
    await node.remove();
  });

  /** The content of a lake in a folder after some installs. */
  async function contentOf(folder: string, ...installs: readonly (readonly string[])[]): Promise<unknown> {
    const options = { lake: join(used.dir, folder), embedder: EMBEDDER, localSet: false, threads: 1 };
    for (const names of installs) await installSlices(used.folders(names), options);
    await using lake = await openLake(options.lake, { ...OPEN, exact: true });
    return answersOf(lake.lake, []);
  }

  test("takes the place of what a lake in a folder cut from the slice that it revises", async () => {
    const folder = join(used.dir, "cut");
    await contentOf("cut", ["b"]);
    await removeRecords([TARGETS[0]], { lake: folder, reason: "takedown" });
    await compactLake({ lake: folder, embedder: EMBEDDER, threads: 1 });
    await node.sql("CREATE DATABASE cut");
    const lake = node.address("cut");
    const install = (dirs: readonly string[]) => installClickHouse(dirs, { lake, embedder: EMBEDDER });
    const first = await install([join(folder, "slices"), ...used.folders(["b"])]);
    expect(first.slices.map(({ state }) => state).sort()).toEqual(["installed", "superseded"]);
    await install(used.folders(["b2"]));
    await using open = await openLake(lake, OPEN);
    expect(await answersOf(open.lake, [])).toEqual(await contentOf("uncut", ["b"], ["b2"]));
    expect(await open.sql("SELECT root FROM slices")).toHaveLength(1);
    expect((await install([join(folder, "slices")])).slices).toMatchObject([{ state: "superseded" }]);
  });

  test("that is struck in the middle shows nothing or all to its readers, and can be repeated", async () => {
    const database = "struck";
    await node.sql(`CREATE DATABASE ${database}`);
    const lake = `clickhouse://default@127.0.0.1:${wire.port}/${database}?timeout=20` as const;
    const install = (...names: string[]) =>
      installClickHouse(used.folders(names), { lake, embedder: EMBEDDER });
    const first = ["other", "a", "b"];
    await install(...first);
    const start = wire.pieces;
    await install("c");
    const pieces = wire.pieces - start;
    const before = await contentOf("struck", first, ["c"]);
    const after = await contentOf("struck", ["b2"]);
    await using reader = await openLake(node.address(database), OPEN);
    let [ended, seen] = [false, 0];
    const wrong: unknown[] = [];
    const reading = (async () => {
      while (!ended) {
        const content = await reader
          .refresh()
          .then(() => answersOf(reader.lake, []))
          .catch(() => undefined);
        await sleep(100);
        if (content === undefined) continue;
        seen += 1;
        if (!isSame(content, before) && !isSame(content, after)) wrong.push(content);
      }
    })();
    for (const share of [0.55, 0.75, 0.9]) {
      let killed: Promise<unknown> | undefined;
      wire.after(Math.ceil(pieces * share), () => {
        killed = node.kill();
      });
      const done = await install("b2").then(
        () => true,
        () => false,
      );
      if (wire.disarm()) expect(done).toBe(true);
      await killed;
      await node.up();
      await endLeases({ node }, database);
      await using lakeNow = await openLake(lake, OPEN);
      const content = await answersOf(lakeNow.lake, []);
      expect(isSame(content, before) || isSame(content, after), `at ${share}`).toBe(true);
    }
    await install("b2");
    await using lakeNow = await openLake(lake, OPEN);
    expect(await answersOf(lakeNow.lake, [])).toEqual(after);
    ended = true;
    await reading;
    expect(wrong).toEqual([]);
    expect(seen).toBeGreaterThan(0);
    expect((await capture(["verify", "--lake", lake])).code).toBe(0);
  });

  test("costs a look-up nothing of what it hid, in one run or scattered", async () => {
    const database = "hiding";
    await node.sql(`CREATE DATABASE ${database}`);
    const lake = node.address(database);
    const install = (...names: string[]) =>
      installClickHouse(used.folders(names), { lake, embedder: EMBEDDER });
    await install("other", "a", "b");
    await install("b2");
    const expected = await contentOf("hiding", ["other", "a", "b"], ["b2"]);
    const readRows = async () => {
      const sql = "SELECT value FROM system.events WHERE event = 'SelectedRows'";
      return Number(await node.sql(sql));
    };
    for (const step of [undefined, 1, 2]) {
      // As if far more had been replaced: no call asks for these rows.
      if (step !== undefined)
        await node.sql(
          `INSERT INTO hidden SELECT 'raw', replaced.load, 1000000 * ${step} + number * ${step}, replaced.by, 0
            FROM (SELECT load, by FROM hidden WHERE kind = 'raw' LIMIT 1) AS replaced CROSS JOIN (SELECT number FROM numbers(20000)) AS many`,
          database,
        );
      await using open = await openLake(lake, OPEN);
      expect(await answersOf(open.lake, [])).toEqual(expected);
      const before = await readRows();
      const { corpus } = open.lake;
      const video = await corpus.raw(VIDEO, "video", videoId(21));
      const query = { resource: "comment", orderBy: "id", offset: 0, limit: 5 } as const;
      const comments = await corpus.rawPage({ platform: VIDEO, parent: videoId(21), ...query });
      expect([video, comments.items.length]).toEqual([expect.any(Object), comments.total]);
      expect((await readRows()) - before, `step ${step}`).toBeLessThan(45_000);
    }
  });

  test("is refused by tables of an older version, and where what it would bring back was not kept", async () => {
    const database = "older";
    await node.sql(`CREATE DATABASE ${database}`);
    const lake = node.address(database);
    const install = (name: string) => installClickHouse([join(used.dir, name)], { lake, embedder: EMBEDDER });
    const become = async (version: number) => {
      await node.sql("TRUNCATE TABLE schema_version", database);
      await node.sql(`INSERT INTO schema_version (version) VALUES (${version})`, database);
    };
    await installClickHouse([join(used.dir, "a"), join(used.dir, "b")], { lake, embedder: EMBEDDER });
    await become(5);
    // As on several servers, whose tables an install leaves as they are.
    await node.sql("CREATE TABLE schema_version_local AS schema_version", database);
    await expect(install("b2")).rejects.toMatchObject({ code: "cluster_older_format" });
    await install("c");
    await node.sql("DROP TABLE schema_version_local SYNC", database);
    expect(await initCluster({ lake })).toMatchObject({ state: "upgraded", version: 8 });
    await node.sql(
      "ALTER TABLE loads UPDATE records = records - 1 WHERE load = (SELECT min(load) FROM loads) SETTINGS mutations_sync = 1",
      database,
    );
    await expect(install("b2")).rejects.toMatchObject({ code: "cluster_unsupported" });
    await node.sql(
      "ALTER TABLE loads UPDATE records = records + 1 WHERE load = (SELECT min(load) FROM loads) SETTINGS mutations_sync = 1",
      database,
    );
    expect(await install("b2")).toMatchObject({ change: "added" });
  });
});

/** Whether two contents are the same, as texts. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
