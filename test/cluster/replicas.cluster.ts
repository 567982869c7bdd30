import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { removeRecords } from "../../src/client/remove-records.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { capture } from "../cli/capture.js";
import { recordId, videos } from "../evolution/support.js";
import { batches, INFO, random } from "../lake/items.js";
import { CAMPAIGN, rounds, SEED } from "../support/campaign.js";
import { count } from "../support/count.js";
import { demo } from "../support/demo-lake.js";
import { ClickHouseNode, clusterOf, INTERPRETED } from "./clickhouse-node.js";
import { demoQueries } from "./demo-queries.js";
import { answersOf, contentOf, endLeases, FAULTS, type Fault, type Server } from "./server-faults.js";
import { Wire } from "./wire.js";

const MEMORY = { limits: "off", account: "memory", openingBalance: "1000" } as const;
/** Seconds after which a server that is silent is given up, and milliseconds within which a call has to have ended. */
const [TIMEOUT_S, ENDED_MS] = [10, 120_000];
/** The same for what no fault strikes. */
const PATIENT_S = 60;
/** Videos of the lake, and of each later install. */
const [FIRST, LATER] = [30, 6];
/** Nodes, two of each shard. */
const NODES = 4;
const draw = random(SEED);

let all: Server[] = [];
let tcp: Wire[] = [];
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-cluster-"));
  const between = async (port: number, n: number) => {
    tcp[n] = await Wire.to(port);
    return tcp[n].port;
  };
  // Errors of a server are forgotten in seconds, not in minutes.
  const settings = ["distributed_replica_error_half_life=2", ...INTERPRETED];
  const nodes = await ClickHouseNode.startCluster(NODES, { between, replicas: 2, settings });
  for (const [n, node] of nodes.entries()) all.push({ node, http: await Wire.to(node.port), tcp: tcp[n]! });
});

afterAll(async () => {
  for (const { node, http } of all) {
    http.remove();
    await node.remove();
  }
  for (const wire of tcp) wire.remove();
  all = [];
  tcp = [];
  await rm(dir, { recursive: true, force: true });
});

/** Waits until a server counts no errors of others: it asks those with fewer first, in whatever order they are named. */
async function errorsForgotten({ node }: Server): Promise<void> {
  await expect
    .poll(() => node.sql("SELECT sum(errors_count) FROM system.clusters"), { timeout: ENDED_MS })
    .toBe("0");
}

/** The address of a database on some servers, in their order. */
function addressOf(servers: readonly Server[], database: string, timeout = TIMEOUT_S) {
  const hosts = servers.map(({ http }) => `127.0.0.1:${http.port}`).join();
  return `clickhouse://default@${hosts}/${database}?timeout=${timeout}` as const;
}

/** Makes a database on the servers of the first shards, and the tables of a lake. */
async function init(database: string, shards: number, ...more: readonly string[]) {
  const servers = all.slice(0, 2 * shards);
  for (const { node } of servers) await node.sql(`CREATE DATABASE IF NOT EXISTS ${database}`);
  const names = servers.flatMap(({ http }) => ["--node", `127.0.0.1:${http.port}`]);
  const lake = ["--lake", addressOf(servers, database, PATIENT_S)];
  return capture(["cluster", "init", ...lake, "--cluster", clusterOf(shards), ...names, ...more]);
}

describe("a cluster with replicas", () => {
  test("that would not get the same rows is refused", async () => {
    const one = await init("refused", 1, "--cluster", "keeper_1");
    expect(one.err).toContain("invalid_cluster");
    expect(one.err).toContain("nothing would bring the rows to the others");
    const both = await init("refused", 1, "--replicated");
    expect(both.err).toContain("internal_replication");
    const planned = await init("refused", 1, "--cluster", "keeper_1", "--replicated", "--dry-run");
    expect(planned.out, planned.err).toContain("ENGINE = ReplicatedMergeTree");
  });

  test("answers as a folder does, whichever of its servers is left", async () => {
    const { lake } = await demo();
    expect((await init("ranked", 2)).code).toBe(0);
    await installClickHouse([join(lake, "slices")], { lake: addressOf(all, "ranked", PATIENT_S) });
    await using folder = await openLake(lake, { ...MEMORY, exact: true });
    await using copies = await openLake(addressOf([all[0]!, all[1]!], "ranked"), MEMORY);
    for (const gone of [undefined, ...(CAMPAIGN ? all : [all[0]!, all[2]!])]) {
      await gone?.node.kill();
      for (const { query, filter, mode, limit } of await demoQueries(folder.lake.corpus, 4)) {
        const asked = `${mode} ${JSON.stringify(filter)} ${query}`;
        const options = { limit, mode };
        const expected = await folder.lake.index.rank(query, folder.lake.corpus.match(filter), options);
        const found = await copies.lake.index.rank(query, copies.lake.corpus.match(filter), options);
        expect(found, asked).toEqual(expected);
      }
      await gone?.node.up();
    }
  });
});

describe.each([1, 2])("a lake on %i shards with two replicas each", (shards) => {
  const database = `struck_${shards}`;
  let servers: Server[];
  let folder: string;
  /** Asks the first server, and the second in its place. */
  let lake: LakeClient;
  /** Ask one server each. */
  let alone: LakeClient[];
  let next = FIRST;
  const address = (timeout = PATIENT_S) => addressOf(servers.slice(0, 2), database, timeout);

  async function slicesOf(from: number, to: number): Promise<string> {
    const out = join(dir, `${database}-${from}`);
    await writeSlices(batches(videos(from, to)), { out, info: INFO });
    return out;
  }

  beforeAll(async () => {
    servers = all.slice(0, 2 * shards);
    folder = join(dir, database);
    const made = await init(database, shards);
    expect(made.code, made.err).toBe(0);
    const slices = await slicesOf(0, FIRST);
    await installClickHouse([slices], { lake: address() });
    await installSlices([slices], { lake: folder });
    lake = await openLake(address(TIMEOUT_S), MEMORY);
    alone = await Promise.all(
      servers.map((each) => openLake(addressOf([each], database, PATIENT_S), MEMORY)),
    );
  });

  afterAll(async () => {
    for (const each of [lake, ...(alone ?? [])]) await each?.close();
  });

  /**
   * Does something while a fault strikes one of the servers, then repairs it; every call has to be answered in full meanwhile: `during`
   * has what calls were answered while the fault lasted.
   */
  async function struck<T>(
    [name, begin, end]: Fault,
    work: () => Promise<T>,
    pieces: number,
  ): Promise<{
    readonly value?: T;
    readonly code?: string;
    readonly during: readonly unknown[];
    readonly message: string;
  }> {
    const number = Math.floor(draw() * servers.length);
    const server = servers[number]!;
    const wire = number === 0 ? server.http : server.tcp;
    const at = 1 + Math.floor(draw() * pieces);
    let begun: unknown;
    wire.after(at, () => {
      begun = begin(server);
    });
    const message = `${name} at piece ${at} of server ${number}`;
    try {
      const ended = await work().then(
        (value) => ({ value }),
        (error: { code: string }) => ({ code: error.code ?? String(error) }),
      );
      if (wire.disarm()) begun = begin(server);
      await begun;
      count("faults");
      const started = performance.now();
      const during = await answersOf(lake);
      expect(performance.now() - started, message).toBeLessThan(ENDED_MS);
      return { ...ended, during, message };
    } finally {
      wire.disarm();
      await begun;
      await end(server);
      await endLeases(servers[0]!, database);
    }
  }

  /** Every server shows what a folder does, and has all of it. */
  async function expectFolder(): Promise<void> {
    await using expected = await openLake(folder, { ...MEMORY, exact: true });
    const content = await contentOf(expected);
    for (const each of [lake, ...alone]) {
      await each.refresh();
      expect(await contentOf(each)).toEqual(content);
    }
    const verified = await capture(["verify", "--lake", addressOf(servers, database, PATIENT_S)]);
    expect(verified.code, verified.out).toBe(0);
  }

  /** A share of the faults, of one shard and of two; all in a campaign. */
  const shareOf = (ofOne: readonly number[], ofTwo: readonly number[]) =>
    FAULTS.filter((_, i) => CAMPAIGN || (shards === 1 ? ofOne : ofTwo).includes(i));

  test.each(shareOf([0, 1, 2, 3], [0]))("answers in full while a server is %s", async (...fault) => {
    for (let round = 0; round < rounds(1); round += 1) {
      const answers = await answersOf(lake);
      expect(answers).toEqual(answers.map(() => expect.any(Object)));
      const ask = async () => (await Promise.all([1, 2, 3].map(() => answersOf(lake)))).flat();
      const { value, during, message } = await struck(fault, ask, 20);
      expect(during, message).toEqual(answers);
      for (const [i, answer] of value!.entries()) expect(answer).toEqual(answers[i % answers.length]);
      expect(await answersOf(lake)).toEqual(answers);
    }
  });

  test.each(shareOf([0, 1], [0, 3]))("installs all or nothing while a server is %s", async (...fault) => {
    for (let round = 0; round < rounds(1); round += 1) {
      const slices = await slicesOf(next, next + LATER);
      next += LATER;
      const install = (timeout: number) => installClickHouse([slices], { lake: address(timeout) });
      const answers = await answersOf(lake);
      const before = lake.lake.corpus.recordCount;
      const { value, code, during, message } = await struck(fault, () => install(TIMEOUT_S), 60);
      expect(during, message).toEqual(answers); // what it opened, until it is refreshed
      if (value === undefined) expect(code).toMatch(/^cluster_(?:failed|unreachable|busy)$/);
      else expect(value.records.added).toBe(LATER);
      await install(PATIENT_S);
      await installSlices([slices], { lake: folder });
      await lake.refresh();
      expect(lake.lake.corpus.recordCount).toBe(before + LATER);
      await expectFolder();
    }
  });

  test.each(shareOf([0, 1], [3]))("shows nothing that was removed while a server is %s", async (...fault) => {
    for (let round = 0; round < rounds(1); round += 1) {
      const slices = await slicesOf(next, next + 1);
      next += 1;
      await installClickHouse([slices], { lake: address() });
      await installSlices([slices], { lake: folder });
      for (const each of [lake, ...alone]) await each.refresh();
      const target = { kind: "record", id: recordId(next - 1) } as const;
      const remove = (timeout: number) =>
        removeRecords([target], { lake: address(timeout), reason: "in a fault" });
      const rowsOf = () => Promise.all(alone.map((each) => each.lake.corpus.recordRow(target.id)));
      expect(await rowsOf()).toEqual(servers.map(() => expect.any(Number)));
      const answers = await answersOf(lake);
      const { value, code, during, message } = await struck(fault, () => remove(TIMEOUT_S), 40);
      if (value === undefined) {
        expect(code).toMatch(/^cluster_(?:failed|unreachable|busy)$/);
        await remove(PATIENT_S);
      }
      // Those without the record, or the earlier ones where the removal failed.
      const whole = [await answersOf(lake), ...(value === undefined ? [answers] : [])];
      expect(whole, message).toContainEqual(during);
      expect(await rowsOf()).toEqual(servers.map(() => undefined));
      await removeRecords([target], { lake: folder, reason: "in a fault" });
      await expectFolder();
    }
  });

  test("a removal that reached one server alone is on all of them before the next one counts", async () => {
    const [first, second] = [recordId(1), recordId(2)];
    const remove = (id: string) =>
      removeRecords([{ kind: "record", id }], { lake: address(), reason: "twice" });
    await remove(first);
    await Promise.all(servers.map(errorsForgotten));
    const newest = "load = (SELECT max(load) FROM loads_local)";
    // The one that all ask for loads.
    await servers[0]!.node.sql(
      `ALTER TABLE loads_local DELETE WHERE ${newest} SETTINGS mutations_sync = 1`,
      database,
    );
    // Servers ask another one in place of one that is slow to connect, which any is for a moment on a busy machine.
    const forgotten = async () => {
      await using forgetful = await openLake(address(), MEMORY);
      return forgetful.lake.corpus.recordRow(first);
    };
    await expect.poll(forgotten, { timeout: ENDED_MS }).toBeDefined();
    await remove(second);
    for (const each of alone)
      for (const id of [first, second]) expect(await each.lake.corpus.recordRow(id)).toBeUndefined();
    for (const id of [first, second])
      await removeRecords([{ kind: "record", id }], { lake: folder, reason: "twice" });
    await expectFolder();
  });

  test("a server that lost rows is found, and nothing is written until it has them", async () => {
    const lost = servers.at(-1)!.node;
    // Rows of an install that failed may be there as well, with the greatest number: they count nowhere.
    await lost.sql(
      "INSERT INTO records_local SELECT * REPLACE (load + 1 AS load) FROM records_local ORDER BY load DESC LIMIT 1",
      database,
    );
    const complete = await lost.sql(
      "SELECT arrayStringConcat(groupUniqArray(load), ',') FROM loads",
      database,
    );
    const rows = `load = (SELECT max(load) FROM records_local WHERE load IN (${complete}))`;
    await lost.sql(`ALTER TABLE records_local DELETE WHERE ${rows} SETTINGS mutations_sync = 1`, database);
    const verified = await capture(["verify", "--lake", address()]);
    expect(verified).toMatchObject({ code: 1, out: expect.stringContaining("cluster_replicas_differ") });
    await servers[1]!.node.sql("TRUNCATE TABLE loads_local", database);
    const removal = removeRecords([{ kind: "record", id: recordId(3) }], {
      lake: address(),
      reason: "uneven",
    });
    await expect(removal).rejects.toMatchObject({ code: "cluster_damaged" });
  });
});
