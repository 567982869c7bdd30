import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { initCluster } from "../../src/clickhouse/cluster/init-cluster.js";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { removeRecords } from "../../src/client/remove-records.js";
import type { RemovalTarget } from "../../src/contract/lake/removal.js";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import type { InstallReport } from "../../src/lake/install/install-report.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import type { InstallProgress } from "../../src/lake/install/publish-generation.js";
import type { Embedder } from "../../src/search/embed/embedder.js";
import { capture } from "../cli/capture.js";
import { commentId, EMBEDDER, recordId, VIDEO, videos } from "../evolution/support.js";
import { makeComment, makeItems, makeRecord } from "../lake/items.js";
import { ClickHouseNode, clusterOf, INTERPRETED } from "./clickhouse-node.js";
import { FolderStates } from "./folder-states.js";
import { answersOf } from "./lake-answers.js";
import { endLeases } from "./server-faults.js";
import { useSlices } from "./use-slices.js";
import { Wire } from "./wire.js";

const OPEN = { account: "memory", limits: "off", openingBalance: "1000", exact: true } as const;
const VECTORS = "SELECT v.id, v.model, v.vec FROM vectors v JOIN records r ON r.id = v.id ORDER BY v.id";

const used = useSlices("refit");

const comments = (from: number, to: number): SliceItem[] =>
  Array.from({ length: to - from }, (_, i) => ({ kind: "raw", raw: makeComment(from + i) }));

beforeAll(async () => {
  const { write } = used;
  await write("first", makeItems(0, 30));
  await write("few", makeItems(30, 36));
  await write("first2", makeItems(0, 28, 1), "first");
  await write("few2", makeItems(36, 41, 2));
  await write("much", [...makeItems(50, 80), ...videos(0, 8, 3)]);
  await write("newer", makeItems(60, 66, 3));
  await write("comments", comments(200, 300));
  await write("newer2", makeItems(62, 64, 5), "newer");
  await write("most", makeItems(100, 160));
  await write("early", videos(10, 16, 2));
  // Replaces videos 13 to 15.
  await write("late", videos(13, 18, 5, 1));
  await write("late2", videos(16, 18, 9, 2), "late");
  await write("late3", videos(15, 18, 10, 3), "late2");
  await write("late4", videos(17, 18, 11, 4), "late3");
});

/** What is done to a lake, step by step: names of slices that are installed together, or what is removed. */
type Step = readonly string[] | { readonly remove: readonly RemovalTarget[] };

const GONE = {
  remove: [
    { kind: "record", id: makeRecord(52).id },
    { kind: "author", id: "u3" },
    { kind: "record", id: recordId(3) },
  ],
} as const;

const ORDERS: Readonly<Record<string, readonly Step[]>> = {
  "revised and grown": [
    ["first"],
    ["few"],
    ["first2"],
    ["few2"],
    ["much"],
    ["newer"],
    GONE,
    ["comments"],
    ["newer2"],
    ["most"],
  ],
  "in a few steps": [["first"], ["first2"], ["few2"]],
  // The embedder is refitted when what is shown again later is hidden.
  "revised in part": [
    ["first"],
    ["early", "few"],
    ["late"],
    ["much"],
    ["late2"],
    ["late3"],
    ["late4", "few2"],
  ],
  "without records at first": [["comments"], ["first"], ["few"], ["first2"]],
};

/** All that two lakes agree on after a step, vectors and the embedder of them included. */
async function stateOf(lake: LakeClient): Promise<readonly unknown[]> {
  await lake.refresh();
  const vectors = await lake.sql<{ id: string; model: string; vec: number[] }>(VECTORS);
  // To compare a million numbers one by one takes longer than to make them.
  const bytesOf = (vec: number[]) => Buffer.from(Float64Array.from(vec).buffer).toString("latin1");
  const shown = vectors.map(({ id, model, vec }) => [id, model, vec.length, bytesOf(vec)]);
  return [await answersOf(lake.lake), lake.lake.index.embedderId, shown];
}

type State = Awaited<ReturnType<typeof stateOf>>;

/** What lakes in a folder have after steps. */
const inFolder = new FolderStates<Step, State>({
  dir: () => used.dir,
  take: (step, lake) =>
    "remove" in step
      ? removeRecords(step.remove, { lake, reason: "takedown" })
      : installSlices(used.folders(step), { lake, threads: 1 }),
  stateOf: shown,
});

/** What somebody finds who opens a lake. */
async function shown(lake: string): Promise<State> {
  await using client = await openLake(lake, OPEN);
  return await stateOf(client);
}

/** Installs that say what they build again: the last one, a revision of a lake with removals, refits. */
const TOLD = ["first", "few", "much", "first2", "comments", "newer", "newer2"];
let toldInFolder: Promise<readonly InstallReport[]> | undefined;

/** What the installs of {@link TOLD} report of a lake in a folder. */
async function installTold(): Promise<readonly InstallReport[]> {
  const lake = join(used.dir, "told");
  const reports: InstallReport[] = [];
  for (const name of TOLD) {
    if (name === "newer2") await removeRecords(GONE.remove, { lake, reason: "takedown" });
    reports.push(await installSlices(used.folders([name]), { lake, threads: 1 }));
  }
  return reports;
}

/** Does a step in a lake on ClickHouse. */
function take(step: Step, lake: `clickhouse://${string}`): Promise<unknown> {
  return "remove" in step
    ? removeRecords(step.remove, { lake, reason: "takedown" })
    : installClickHouse(used.folders(step), { lake, threads: 1 });
}

describe.each([
  { shards: 1, replicas: 1, orders: ["revised and grown", "without records at first", "revised in part"] },
  { shards: 2, replicas: 1, orders: ["revised and grown", "revised in part"] },
  { shards: 1, replicas: 2, orders: ["in a few steps"] },
])("the embedder on $shards shards, $replicas servers each", ({ shards, replicas, orders }) => {
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

  test.each(orders)("is fitted as in a folder after each step, %s", async (order) => {
    const database = order.replaceAll(" ", "_");
    for (const node of nodes) await node.sql(`CREATE DATABASE ${database}`);
    const lake = `${nodes[0]!.address(database)}?timeout=300` as const;
    const named = nodes.flatMap(({ port }) => ["--node", `127.0.0.1:${port}`]);
    if (nodes.length > 1)
      await capture(["cluster", "init", "--lake", lake, "--cluster", clusterOf(shards), ...named]);
    const steps = ORDERS[order]!;
    for (const [i, step] of steps.entries()) {
      await take(step, lake);
      const expected = await inFolder.after(steps.slice(0, i + 1));
      expect(await shown(lake), `${order}, step ${i}`).toEqual(expected);
    }
    const verified = await capture(["verify", "--lake", lake]);
    expect(verified.code, verified.out).toBe(0);
  });

  test("is told of as a rebuild in a folder is, before it starts", async () => {
    for (const node of nodes) await node.sql("CREATE DATABASE told");
    const lake = `${nodes[0]!.address("told")}?timeout=300` as const;
    const named = nodes.flatMap(({ port }) => ["--node", `127.0.0.1:${port}`]);
    if (nodes.length > 1)
      await capture(["cluster", "init", "--lake", lake, "--cluster", clusterOf(shards), ...named]);
    toldInFolder ??= installTold();
    const reports = await toldInFolder;
    const reasons: (string | undefined)[] = [];
    for (const [i, name] of TOLD.entries()) {
      if (name === "newer2") await removeRecords(GONE.remove, { lake, reason: "takedown" });
      const slices = used.folders([name]);
      const expected = reports[i]!;
      const events: InstallProgress[] = [];
      const onProgress = (event: InstallProgress) => events.push(event);
      const { rebuild } = await installClickHouse(slices, { lake, threads: 1, onProgress });
      const told = events.filter(({ phase }) => phase === "rebuild");
      expect(told.map((event) => event.rebuild)).toEqual(rebuild === undefined ? [] : [rebuild]);
      reasons.push(rebuild?.reason);
      if (rebuild === undefined) continue;
      expect(rebuild).toMatchObject({
        kind: "refit",
        reason: expected.rebuild!.reason,
        why: expected.rebuild!.why,
      });
      expect(rebuild.records).toBe(expected.total.records);
      expect([rebuild.raw, rebuild.ms]).toEqual([undefined, undefined]);
      expect(rebuild.bytes! / rebuild.records).toBeGreaterThan(1536);
      expect(rebuild.bytes! / rebuild.records).toBeLessThan(4 * 1536);
      const phases = events.map(({ phase }) => phase);
      expect(phases.indexOf("rebuild")).toBe(phases.lastIndexOf("publish") + 1);
      expect(phases.lastIndexOf("fit")).toBeGreaterThan(phases.indexOf("rebuild"));
    }
    // Comments are no texts that the embedder is fitted to.
    expect(reasons).toEqual([undefined, undefined, "growth", "growth", undefined, undefined, "superseded"]);
    const { err } = await capture(["install", ...used.folders(["most"]), "--lake", lake]);
    expect(err).toMatch(
      /^The embedder is refitted, since more than a third of the records that the lake shows come at once: \d+ records to embed, and [\d.]+ kB of disk\n$/,
    );
  });
});

describe("an install that refits the embedder", () => {
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

  /** Installs with an embedder of its own, too. @param begun what happens while the slices are being prepared */
  function prepare(name: string, lake: `clickhouse://${string}`, begun?: () => Promise<unknown>) {
    const embedDocuments: Embedder["embedDocuments"] = async (texts, signal) => {
      await begun?.();
      return EMBEDDER.embedDocuments(texts, signal);
    };
    return installClickHouse(used.folders([name]), { lake, embedder: { ...EMBEDDER, embedDocuments } });
  }

  test("changes no view of before, and one that was prepared by the embedder of before holds", async () => {
    await node.sql("CREATE DATABASE overtaken");
    const lake = node.address("overtaken");
    const folder = join(used.dir, "overtaken");
    for (const name of ["first", "few", "first2", "few2"])
      await installSlices(used.folders([name]), { lake: folder, embedder: EMBEDDER, threads: 1 });
    await using expected = await openLake(folder, OPEN);
    await prepare("first", lake);
    await prepare("few", lake);
    await using reader = await openLake(lake, OPEN);
    const before = await answersOf(reader.lake);
    let other: Promise<unknown> | undefined;
    await prepare("few2", lake, () => {
      other ??= prepare("first2", lake);
      return other;
    });
    expect(await answersOf(reader.lake)).toEqual(before);
    await using client = await openLake(lake, OPEN);
    expect(await answersOf(client.lake)).toEqual(await answersOf(expected.lake));
    await reader.refresh();
    expect(await answersOf(reader.lake)).toEqual(await answersOf(expected.lake));
    const verified = await capture(["verify", "--lake", lake]);
    expect(verified.code, verified.out).toBe(0);
  });

  test.each<readonly [string, Step]>([
    ["a removal", { remove: [{ kind: "record", id: makeRecord(31).id }] }],
    ["an install", ["few2"]],
  ])("takes in %s that others made visible while it fitted", async (what, other) => {
    const database = what.split(" ")[1]!;
    await node.sql(`CREATE DATABASE between_${database}`);
    const lake = node.address(`between_${database}`);
    const expected = await inFolder.after([["first"], ["few"], other, ["first2"]]);
    for (const name of ["first", "few"]) await take([name], lake);
    // Nothing of its requests comes through until the others are done.
    let others: Promise<unknown> | undefined;
    await installClickHouse(used.folders(["first2"]), {
      lake: `clickhouse://default@127.0.0.1:${wire.port}/between_${database}?timeout=300`,
      threads: 1,
      onProgress: ({ phase }) => {
        if (phase !== "fit" || others !== undefined) return;
        wire.hush();
        others = take(other, lake).finally(() => wire.repair());
      },
    });
    expect(others).toBeDefined();
    await others;
    expect(await shown(lake)).toEqual(expected);
    // What was fitted without them is not kept.
    const once = "SELECT count() - uniqExact(by, load, ordinal) FROM refitted";
    expect(await node.sql(once, `between_${database}`)).toBe("0");
    const verified = await capture(["verify", "--lake", lake]);
    expect(verified.code, verified.out).toBe(0);
  });

  test("that is struck in the middle shows nothing or all, and is finished by another run", async () => {
    for (const database of ["whole", "struck"]) await node.sql(`CREATE DATABASE ${database}`);
    const addressOf = (database: string) =>
      `clickhouse://default@127.0.0.1:${wire.port}/${database}?timeout=120` as const;
    const before = await inFolder.after([["first"], ["few"]]);
    const after = await inFolder.after([["first"], ["few"], ["first2"]]);
    for (const name of ["first", "few"]) await take([name], addressOf("whole"));
    const start = wire.pieces;
    await take(["first2"], addressOf("whole"));
    const pieces = wire.pieces - start;
    const lake = addressOf("struck");
    for (const name of ["first", "few"]) await take([name], lake);
    for (const share of [0.6, 0.85]) {
      let killed: Promise<unknown> | undefined;
      wire.after(Math.ceil(pieces * share), () => {
        killed = node.kill();
      });
      await take(["first2"], lake).catch(() => {});
      wire.disarm();
      await killed;
      await node.up();
      await endLeases({ node }, "struck");
      expect([before, after], `at ${share}`).toContainEqual(await shown(lake));
    }
    await take(["first2"], lake);
    expect(await shown(lake)).toEqual(after);
    expect((await capture(["verify", "--lake", lake])).code).toBe(0);
  });

  test("does not fit it to quotes of what was removed", async () => {
    await node.sql("CREATE DATABASE quotes");
    const lake = node.address("quotes");
    const gone = { kind: "raw", platform: VIDEO, resource: "comment", id: commentId(2, 1) } as const;
    const steps = [["much"], { remove: [gone] }, ["most"]] as const;
    const expected = await inFolder.after(steps);
    for (const step of steps) await take(step, lake);
    // The words of the quote find the text until it is installed again, so that answers differ by them.
    expect((await shown(lake)).slice(1)).toEqual(expected.slice(1));
  });

  test("is the first one into tables of version 7 that were brought up to date", async () => {
    await node.sql("CREATE DATABASE older");
    const lake = node.address("older");
    await take(["first"], lake);
    for (const table of ["fits", "refitted", "refitted_near"])
      await node.sql(`DROP TABLE ${table} SYNC`, "older");
    await node.sql("TRUNCATE TABLE schema_version", "older");
    await node.sql("INSERT INTO schema_version (version) VALUES (7)", "older");
    // As on several servers, whose tables an install leaves as they are.
    await node.sql("CREATE TABLE schema_version_local AS schema_version", "older");
    await take(["few"], lake);
    const grown = await inFolder.after([["first"], ["few"]]);
    expect(await shown(lake)).toEqual(grown);
    await node.sql("DROP TABLE schema_version_local SYNC", "older");
    expect(await initCluster({ lake })).toMatchObject({ state: "upgraded", version: 8 });
    expect(await shown(lake)).toEqual(grown);
    await take(["few2"], lake);
    const built = await inFolder.after([["first", "few", "few2"]]);
    expect(await shown(lake)).toEqual(built);
  });
});
