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
import { ClickHouseNode, INTERPRETED } from "./clickhouse-node.js";
import { answersOf, contentOf, endLeases, FAULTS, type Fault, type Server } from "./server-faults.js";
import { Wire } from "./wire.js";

const MEMORY = { limits: "off", account: "memory", openingBalance: "1000" } as const;
/** Seconds after which a call gives up a server that is silent, and milliseconds within which it has to have ended: it asks more than once. */
const [TIMEOUT_S, ENDED_MS] = [2, 20_000];
/** Videos of the lake, and of each later install. */
const [FIRST, LATER] = [30, 6];
const draw = random(SEED);

let servers: Server[] = [];
let tcp: Wire[] = [];
let dir: string;
let folder: string;
/** Waits as long as it takes; the other one gives up. */
let patient: LakeClient;
let hasty: LakeClient;
let next = FIRST;

const address = (timeout = "") =>
  `${servers[0]!.node.address("faults", servers[0]!.http.port)}${timeout}` as const;
const hastily = () => address(`?timeout=${TIMEOUT_S}`);

async function slicesOf(from: number, to: number): Promise<string> {
  const out = join(dir, `slices-${from}`);
  await writeSlices(batches(videos(from, to)), { out, info: INFO });
  return out;
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-cluster-"));
  folder = join(dir, "folder");
  const between = async (port: number, n: number) => {
    tcp[n] = await Wire.to(port);
    return tcp[n].port;
  };
  // Users whose profile would have answers cut short without a word.
  const settings = ["skip_unavailable_shards=1", "limit=3", ...INTERPRETED];
  const nodes = await ClickHouseNode.startCluster(2, { between, settings });
  for (const [n, node] of nodes.entries())
    servers.push({ node, http: await Wire.to(node.port), tcp: tcp[n]! });
  for (const { node } of servers) await node.sql("CREATE DATABASE faults");
  const names = servers.flatMap(({ http }) => ["--node", `127.0.0.1:${http.port}`]);
  const made = await capture(["cluster", "init", "--lake", address(), "--cluster", "lake", ...names]);
  expect(made.code, made.err).toBe(0);
  const slices = await slicesOf(0, FIRST);
  await installClickHouse([slices], { lake: address() });
  await installSlices([slices], { lake: folder });
  patient = await openLake(address(), MEMORY);
  hasty = await openLake(hastily(), MEMORY);
});

afterAll(async () => {
  await patient?.close();
  await hasty?.close();
  for (const { node, http } of servers) {
    http.remove();
    await node.remove();
  }
  for (const wire of tcp) wire.remove();
  servers = [];
  tcp = [];
  await rm(dir, { recursive: true, force: true });
});

/**
 * Does something while a fault strikes one of the servers at one of the pieces that come from it, then repairs it. Returns how it ended: as
 * a value or by the code of an error. `meanwhile` runs while the fault lasts.
 */
async function struck<T>(
  [name, begin, end]: Fault,
  work: () => Promise<T>,
  { pieces, meanwhile }: { readonly pieces: number; readonly meanwhile: () => Promise<void> },
): Promise<{ readonly value?: T; readonly code?: string }> {
  const [server, wire] = draw() < 0.5 ? [servers[0]!, servers[0]!.http] : [servers[1]!, servers[1]!.tcp];
  let begun: unknown;
  const at = 1 + Math.floor(draw() * pieces);
  wire.after(at, () => {
    begun = begin(server);
  });
  const started = performance.now();
  try {
    const ended = await work().then(
      (value) => ({ value }),
      (error: { code: string }) => ({ code: error.code ?? String(error) }),
    );
    const message = `${name} at piece ${at} of server ${servers.indexOf(server)}`;
    expect(performance.now() - started, message).toBeLessThan(ENDED_MS);
    if (wire.disarm()) begun = begin(server);
    await begun;
    count("faults");
    await meanwhile();
    return ended;
  } finally {
    wire.disarm();
    await begun;
    await end(server);
    await endLeases(servers[0]!, "faults");
  }
}

/** Calls that begin while a fault lasts fail, all of them; none answers in part. */
async function noneAnswers(): Promise<void> {
  const started = performance.now();
  const answers = await answersOf(hasty);
  expect(new Set(answers)).toEqual(new Set(["service_unavailable"]));
  expect(performance.now() - started).toBeLessThan(ENDED_MS);
}

/** What is struck takes some seconds each: of installs and removals a share, all of them in a campaign. */
const shareOf = (faults: readonly number[]) => FAULTS.filter((_, i) => CAMPAIGN || faults.includes(i));

describe.each(FAULTS)("while a server is %s", (...fault) => {
  test("searches and look-ups fail or answer in full", async () => {
    for (let round = 0; round < rounds(1); round += 1) {
      const expected = await answersOf(patient);
      expect(expected).toEqual(expected.map(() => expect.any(Object)));
      const { value } = await struck(
        fault,
        async () => (await Promise.all([1, 2, 3].map(() => answersOf(hasty)))).flat(),
        {
          pieces: 20,
          meanwhile: noneAnswers,
        },
      );
      for (const [i, answer] of value!.entries())
        if (answer !== "service_unavailable") expect(answer).toEqual(expected[i % expected.length]);
      expect(await answersOf(patient)).toEqual(expected);
    }
  });
});

describe.each(shareOf([0, 3]))("while a server is %s", (...fault) => {
  test("an install is whole or nothing, and can be repeated", async () => {
    for (let round = 0; round < rounds(1); round += 1) {
      const before = patient.lake.corpus.recordCount;
      const slices = await slicesOf(next, next + LATER);
      next += LATER;
      const { value, code } = await struck(fault, () => installClickHouse([slices], { lake: hastily() }), {
        pieces: 40,
        meanwhile: noneAnswers,
      });
      if (value === undefined) expect(code).toMatch(/^cluster_(?:failed|unreachable|busy)$/);
      await patient.refresh();
      const shown = patient.lake.corpus.recordCount - before;
      expect([0, LATER]).toContain(shown);
      if (value !== undefined) expect(shown).toBe(LATER);
      const again = await installClickHouse([slices], { lake: address() });
      expect(again.records.added).toBe(LATER - shown);
      await installSlices([slices], { lake: folder });
      await using expected = await openLake(folder, { ...MEMORY, exact: true });
      await patient.refresh();
      expect(patient.lake.corpus.recordCount).toBe(before + LATER);
      expect(await contentOf(patient)).toEqual(await contentOf(expected));
      const verified = await capture(["verify", "--lake", address()]);
      expect(verified.code, verified.out).toBe(0);
    }
  });
});

describe.each(shareOf([1, 2]))("while a server is %s", (...fault) => {
  test("a removal is acknowledged and holds, or can be repeated", async () => {
    for (let round = 0; round < rounds(1); round += 1) {
      await patient.refresh();
      await installOneMore();
      const id = recordId(next - 1);
      const removal = (lake: ReturnType<typeof address>) =>
        removeRecords([{ kind: "record", id }], { lake, reason: "in a fault" });
      expect(await patient.lake.corpus.recordRow(id)).toBeDefined();
      const { value, code } = await struck(fault, () => removal(hastily()), {
        pieces: 30,
        meanwhile: noneAnswers,
      });
      if (value === undefined) expect(code).toMatch(/^cluster_(?:failed|unreachable|busy)$/);
      else expect(await patient.lake.corpus.recordRow(id)).toBeUndefined();
      await removal(address());
      expect(await patient.lake.corpus.recordRow(id)).toBeUndefined();
      await removeRecords([{ kind: "record", id }], { lake: folder, reason: "in a fault" });
      await using expected = await openLake(folder, { ...MEMORY, exact: true });
      expect(await contentOf(patient)).toEqual(await contentOf(expected));
    }
  });
});

/** Installs a video of its own, for a removal to remove. */
async function installOneMore(): Promise<void> {
  const slices = await slicesOf(next, next + 1);
  next += 1;
  await installClickHouse([slices], { lake: address() });
  await installSlices([slices], { lake: folder });
  await patient.refresh();
}
