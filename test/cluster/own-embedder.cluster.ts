import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { removeRecords } from "../../src/client/remove-records.js";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import type { Embedder } from "../../src/search/embed/embedder.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { capture } from "../cli/capture.js";
import { recordId, videos } from "../evolution/support.js";
import { batches, INFO, makeItems } from "../lake/items.js";
import { answerOf } from "./answer-of.js";
import { ClickHouseNode } from "./clickhouse-node.js";
import { demoQueries } from "./demo-queries.js";

const MEMORY = { limits: "off", account: "memory", openingBalance: "1000" } as const;

/** The vector of a text: the sum of those of its words, so that texts of few words have nearly equal ones. */
function vectorOf(text: string, dims: number): Float32Array {
  const sum = new Float64Array(dims);
  for (const word of text.toLowerCase().split(/[^\p{L}\p{N}]+/u)) {
    const bytes = createHash("sha512").update(word).digest();
    for (let i = 0; i < dims; i += 1) sum[i]! += bytes[(i * 7) % 64]! - 127.5;
  }
  const norm = Math.hypot(...sum) || 1;
  return Float32Array.from(sum, (value) => value / norm);
}

function embedderOf(id: string, dims: number): Embedder {
  return {
    id,
    dims,
    embedDocuments: async (texts) => texts.map((text) => vectorOf(text, dims)),
    embedQuery: async (text) => (text.includes("zzyzx") ? undefined : vectorOf(text, dims)),
  };
}

/** Of few dimensions; and of the model of which slices bring some vectors. */
const SHORT = embedderOf("words-24", 24);
const BROUGHT = embedderOf(INFO.vectorModel!, 1536);
const FIRST: readonly SliceItem[] = [...makeItems(0, 240), ...videos(0, 40)];
const LATER: readonly SliceItem[] = makeItems(230, 250, 1);

let nodes: ClickHouseNode[] = [];
let dir: string;
let databases = 0;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-cluster-"));
  nodes = await ClickHouseNode.startCluster(2);
  await writeSlices(batches(FIRST), { out: join(dir, "first"), info: INFO });
  await writeSlices(batches(LATER), { out: join(dir, "later"), info: INFO });
});

afterAll(async () => {
  for (const node of nodes) await node.remove();
  nodes = [];
  await rm(dir, { recursive: true, force: true });
});

/** Makes a database on so many servers, a shard each; its address. */
async function newLake(servers: number): Promise<`clickhouse://${string}`> {
  const database = `own_${databases++}`;
  const address = nodes[0]!.address(database);
  for (const node of nodes.slice(0, servers)) await node.sql(`CREATE DATABASE ${database}`);
  if (servers === 1) return address;
  const names = nodes.flatMap(({ port }) => ["--node", `127.0.0.1:${port}`]);
  const made = await capture(["cluster", "init", "--lake", address, "--cluster", "lake", ...names]);
  expect(made.code, made.err).toBe(0);
  return address;
}

/** Expects a lake to rank, answer and read vectors as one in a folder does. */
async function expectSame(cluster: LakeClient, folder: LakeClient, queries: number): Promise<void> {
  const [expected, found] = [folder.lake, cluster.lake];
  expect(found.index.embedderId).toBe(expected.index.embedderId);
  for (const { query, filter, mode, limit } of await demoQueries(expected.corpus, queries)) {
    const asked = `${mode} ${JSON.stringify(filter)} ${query}`;
    const options = { limit, mode };
    expect(await found.index.rank(query, found.corpus.match(filter), options), asked).toEqual(
      await expected.index.rank(query, expected.corpus.match(filter), options),
    );
  }
  const vector = (await expected.index.embedQuery("phone camera"))!;
  expect(await found.index.embedQuery("phone camera")).toEqual(vector);
  expect(await found.index.nearest(vector, found.corpus.match({}), { limit: 50 })).toEqual(
    await expected.index.nearest(vector, expected.corpus.match({}), { limit: 50 }),
  );
  const rows = Array.from({ length: expected.corpus.rowCount }, (_, row) => row);
  expect(await found.index.vectors(rows)).toEqual(await expected.index.vectors(rows));
  for (const query of ["phone camera", '"rumah murah"', "giraffe3 video", "zzyzx"]) {
    const params = { query, limit: 20, freshness: "90d" };
    expect(await answerOf(cluster, "search", params)).toEqual(await answerOf(folder, "search", params));
  }
  const views = "SELECT id, model, vec FROM vectors ORDER BY id, model";
  expect(await cluster.sql(views)).toEqual(await folder.sql(views));
}

describe.each([
  ["of few dimensions", SHORT, 1],
  ["of few dimensions, on two shards", SHORT, 2],
  ["of the model of some of the slices' vectors", BROUGHT, 1],
] as const)("an embedder of one's own, %s", (_, embedder, servers) => {
  let lake: `clickhouse://${string}`;
  let folder: string;
  const others = [undefined, embedderOf("another", 24)];

  beforeAll(async () => {
    [lake, folder] = [await newLake(servers), join(dir, `folder-${databases}`)];
    await installClickHouse([join(dir, "first")], { lake, embedder });
    await installSlices([join(dir, "first")], { lake: folder, embedder });
  });

  test("ranks as in a folder where it is at hand, and where it is not, says so", async () => {
    for (const opened of [embedder, ...others]) {
      await using cluster = await openLake(lake, { ...MEMORY, embedder: opened });
      await using expected = await openLake(folder, { ...MEMORY, embedder: opened, exact: true });
      expect(await cluster.warmUp({ searches: 4 })).toMatchObject({ searches: 4 });
      await expectSame(cluster, expected, opened === embedder ? 60 : 10);
    }
    await using cluster = await openLake(lake, MEMORY);
    const { note } = await cluster.lake.index.rank("phone", cluster.lake.corpus.match({}), { limit: 5 });
    expect(note).toContain(`${embedder.id}, which made others, is not at hand`);
  });

  test("is needed by later installs, which rank as in a folder, without what was removed", async () => {
    const later = [join(dir, "later")];
    for (const other of [...others, embedderOf(embedder.id, 12)])
      await expect(installClickHouse(later, { lake, embedder: other })).rejects.toMatchObject({
        code: "embedder_differs",
      });
    await using cluster = await openLake(lake, { ...MEMORY, embedder });
    const fit = async () => {
      throw new Error("An embedder of a lake that has its vectors is not fitted again");
    };
    expect((await installClickHouse(later, { lake, embedder: { ...embedder, fit } })).change).toBe("added");
    await installSlices(later, { lake: folder, embedder });
    await cluster.refresh();
    const options = { ...MEMORY, embedder, exact: true };
    {
      await using expected = await openLake(folder, options);
      const [all, wanted] = [cluster.lake.corpus.match({}), expected.lake.corpus.match({})];
      for (const query of ["phone camera", "news rain river"]) {
        const rank = { limit: 30, mode: "semantic" } as const;
        const [ranked, right] = [
          await cluster.lake.index.rank(query, all, rank),
          await expected.lake.index.rank(query, wanted, rank),
        ];
        const idsOf = async ({ lake: { corpus } }: LakeClient, { rows }: typeof ranked) =>
          (await corpus.records(rows)).map(({ id }) => id);
        expect(await idsOf(cluster, ranked)).toEqual(await idsOf(expected, right));
        expect(ranked.scores).toEqual(right.scores);
      }
    }
    const target = { kind: "record", id: recordId(3) } as const;
    const query = { query: "giraffe3 video", limit: 50, freshness: "90d" };
    expect(JSON.stringify(await answerOf(cluster, "search", query))).toContain(target.id);
    await removeRecords([target], { lake, reason: "own" });
    expect(JSON.stringify(await answerOf(cluster, "search", query))).not.toContain(target.id);
    const verified = await capture(["verify", "--lake", lake]);
    expect(verified.code, verified.out).toBe(0);
  });

  test("of other dimensions is refused", async () => {
    const other = embedderOf(embedder.id, 12);
    await expect(openLake(lake, { ...MEMORY, embedder: other })).rejects.toMatchObject({
      code: "embedder_differs",
    });
  });
});

test("a lake without vectors of an embedder is not given some of its records", async () => {
  const lake = await newLake(1);
  await installClickHouse([join(dir, "first")], { lake });
  const install = installClickHouse([join(dir, "later")], { lake, embedder: SHORT });
  await expect(install).rejects.toMatchObject({ code: "embedder_differs" });
  await using client = await openLake(lake, { ...MEMORY, embedder: SHORT });
  expect(client.lake.index.embedderId).toMatch(/^(?!words-24)/);
});

test("many records that are equally near rank by their ids", async () => {
  const alike: Embedder = {
    ...SHORT,
    id: "alike",
    embedDocuments: async (texts) => texts.map(() => vectorOf("same", 24)),
  };
  const [lake, folder] = [await newLake(1), join(dir, "folder-alike")];
  await installClickHouse([join(dir, "first")], { lake, embedder: alike });
  await installSlices([join(dir, "first")], { lake: folder, embedder: alike });
  await using cluster = await openLake(lake, { ...MEMORY, embedder: alike });
  await using expected = await openLake(folder, { ...MEMORY, embedder: alike, exact: true });
  const vector = vectorOf("same", 24);
  for (const limit of [1, 10]) {
    const nearest = ({ lake: { corpus, index } }: LakeClient) =>
      index.nearest(
        Float32Array.from({ length: 1536 }, (_, i) => vector[i] ?? 0),
        corpus.match({}),
        { limit },
      );
    expect(await nearest(cluster)).toEqual(await nearest(expected));
  }
});
