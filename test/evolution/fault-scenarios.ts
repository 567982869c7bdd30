import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { openAccount } from "../../src/account/open-account.js";
import { checkAccount } from "../../src/account/repair-account.js";
import { findSlices } from "../../src/lake/find-slices.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { gcLake } from "../../src/lake/maintain/gc-lake.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { verifyLake } from "../../src/lake/verify/verify-lake.js";
import { verifySlices } from "../../src/slice/verify-slice.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { publishSlices } from "../../src/transfer/publish/publish-slices.js";
import { batches, INFO } from "../lake/items.js";
import { recordId, VIDEO, videoId, videos, write } from "./support.js";

/** A piece of work that tests let fail at any change of a file, and what has to hold afterwards. */
export interface FaultScenario {
  readonly name: string;
  /** Makes what the work begins with in an empty folder. */
  prepare(dir: string): Promise<void>;
  /** The work of works.js and its options, for a copy of the folder. */
  work(dir: string): readonly [work: string, options: object];
  /** Checks that what is there is whole, and says what it is: `none`, or a text that is equal for equal content. */
  state(dir: string): Promise<string>;
  /** Checks what has to hold beyond the state being the old or the new one. */
  after?(dir: string, printed: string): Promise<void>;
  /** Code of the error with which the work refuses to be done again once it is done; absent where it changes nothing then. */
  readonly doneCode?: string;
  /** Paths that are left over when all is done and tidied. */
  leftovers(dir: string): Promise<string[]>;
}

const REMOVED = [{ kind: "record", id: recordId(3) }] as const;

/** A lake is whole if `verify` finds nothing, and a search answers. Equal states show the same and rest on the same slices. */
async function lakeState(lake: string): Promise<string> {
  const names: string[] = await readdir(lake).catch(() => []);
  if (!names.includes("mirrorlake.json")) return "none";
  const report = await verifyLake(lake, { recall: false, threads: 0 });
  if (report.generation === 0) {
    // A first install that was killed has placed its slices, or built a generation that CURRENT does not name yet: nothing answers.
    const codes = report.problems.map(({ code }) => code);
    expect(codes).toBeOneOf([[], ["generation_missing"], ["lake_current_missing"]]);
    await expect(Lake.open(lake)).rejects.toMatchObject({ code: codes[0] ?? "lake_empty" });
    return "none";
  }
  expect(report.problems).toEqual([]);
  const open = await Lake.open(lake, { threads: 1 });
  try {
    const { corpus, index } = open;
    const { rows } = await index.rank("giraffe5 zebra5x1", corpus.match({}), { limit: 1, mode: "hybrid" });
    const found = (await corpus.records(rows)).map(({ id }) => id);
    return JSON.stringify([
      report.corpus,
      found,
      corpus.slices({ offset: 0, limit: 99 }).manifests.map((m) => m.mirrorlake.root),
    ]);
  } finally {
    await open.close();
  }
}

async function lakeLeftovers(lake: string): Promise<string[]> {
  await gcLake({ lake });
  return temporariesIn(lake);
}

async function slicesState(out: string): Promise<string> {
  const found = await findSlices([out]).catch((error: { code?: string }) => {
    if (error.code === "slices_not_found") return [];
    throw error;
  });
  if (found.length === 0) return "none";
  await verifySlices(found.map(({ dir }) => dir));
  return JSON.stringify(found.map(({ manifest }) => manifest.mirrorlake.root).sort());
}

async function temporariesIn(dir: string): Promise<string[]> {
  const names = await readdir(dir, { recursive: true });
  return names.filter((name) => /(^|\/)(\.|.*\.part$)/.test(name));
}

const lakeScenario = (
  name: string,
  prepare: (dir: string) => Promise<void>,
  work: (dir: string, lake: string) => readonly [string, object],
): FaultScenario => ({
  name,
  prepare,
  work: (dir) => work(dir, join(dir, "lake")),
  state: (dir) => lakeState(join(dir, "lake")),
  leftovers: (dir) => lakeLeftovers(join(dir, "lake")),
});

async function firstSlices(dir: string): Promise<void> {
  await write(join(dir, "first"), videos(0, 10, 3));
}

async function firstLake(dir: string): Promise<void> {
  await firstSlices(dir);
  await installSlices([join(dir, "first")], { lake: join(dir, "lake"), threads: 1 });
}

async function secondSlices(dir: string): Promise<void> {
  await firstLake(dir);
  await write(join(dir, "second"), videos(9, 12, 20, 1));
}

/** A lake of two slices, and a revision of the second one, which had replaced what is in the first. */
async function lakeToRevise(dir: string): Promise<void> {
  await secondSlices(dir);
  await installSlices([join(dir, "second")], { lake: join(dir, "lake"), threads: 1 });
  const revises = (await findSlices([join(dir, "second")])).map(({ manifest }) => manifest);
  await writeSlices(batches(videos(10, 12, 21, 2)), { out: join(dir, "revision"), info: INFO, revises });
}

async function lakeWithRemoval(dir: string): Promise<void> {
  await secondSlices(dir);
  const lake = join(dir, "lake");
  await installSlices([join(dir, "second")], { lake, threads: 1 });
  await removeRecords(REMOVED, { lake, reason: "test" });
}

const ingestion = (
  name: string,
  before: (dir: string) => Promise<void>,
  options: { readonly replace?: boolean },
): FaultScenario => ({
  name,
  prepare: async (dir) => {
    const demo = join(import.meta.dirname, "../../fixtures/demo/social_weibo_zh");
    await cp(demo, join(dir, "downloads"), { recursive: true });
    await before(dir);
  },
  work: (dir) => [
    "ingest",
    {
      inputs: [join(dir, "downloads")],
      out: join(dir, "slices"),
      adapter: "microblog-tree",
      capturedAt: "2026-05-01T00:00:00Z",
      authorSalt: "a salt of sixteen",
      ...options,
    },
  ],
  state: (dir) => slicesState(join(dir, "slices")),
  doneCode: "out_not_empty",
  leftovers: (dir) => temporariesIn(dir),
});

async function earlierOutput(dir: string): Promise<void> {
  await write(join(dir, "slices"), videos(0, 3, 3));
}

/** A lake with a generation that nobody reads any more. */
async function lakeWithOldGeneration(dir: string): Promise<void> {
  await firstLake(dir);
  const generations = join(dir, "lake", "generations");
  await cp(join(generations, "1"), join(generations, "7"), { recursive: true });
}

/** Every command that writes. */
export const SCENARIOS: readonly FaultScenario[] = [
  lakeScenario("a first install", firstSlices, (dir, lake) => [
    "install",
    { lake, dirs: [join(dir, "first")] },
  ]),
  lakeScenario("an install that adds", secondSlices, (dir, lake) => [
    "install",
    { lake, dirs: [join(dir, "second")] },
  ]),
  lakeScenario("an install of a revision", lakeToRevise, (dir, lake) => [
    "install",
    { lake, dirs: [join(dir, "revision")] },
  ]),
  lakeScenario("a rebuild", lakeWithRemoval, (_dir, lake) => [
    "install",
    { lake, dirs: [join(lake, "slices")], rebuild: true },
  ]),
  lakeScenario("a removal", secondSlices, (_dir, lake) => ["remove", { lake, targets: REMOVED }]),
  lakeScenario("a compaction", lakeWithRemoval, (_dir, lake) => ["compact", { lake }]),
  lakeScenario("a retention", lakeWithRemoval, (_dir, lake) => ["retain", { lake, olderThan: "10d" }]),
  lakeScenario(
    "a pull",
    async (dir) => {
      await secondSlices(dir);
      await publishSlices([join(dir, "second")], { out: join(dir, "published") });
    },
    (dir, lake) => ["pull", { lake, source: join(dir, "published") }],
  ),
  ingestion("an ingest", async () => {}, {}),
  ingestion("an ingest in the place of another", earlierOutput, { replace: true }),
  {
    name: "a publication",
    prepare: firstSlices,
    work: (dir) => ["publish", { dirs: [join(dir, "first")], out: join(dir, "published") }],
    state: (dir) => slicesState(join(dir, "published")),
    leftovers: (dir) => temporariesIn(dir),
  },
  {
    name: "charged calls",
    prepare: firstLake,
    work: (dir) => [
      "charge",
      { lake: join(dir, "lake"), calls: 4, path: [`raw.${VIDEO}.comments`, { item_id: videoId(5) }] },
    ],
    state: async (dir) => lakeState(join(dir, "lake")),
    after: async (dir, printed) => {
      const lake = join(dir, "lake");
      expect(await checkAccount(lake)).toBeUndefined();
      const account = await openAccount(lake);
      try {
        let charged = 0;
        let sum = 0n;
        for await (const { kind, amount } of account.entries()) {
          if (kind === "call") charged++;
          sum += BigInt(amount);
        }
        const answered = printed.split("\n").filter((line) => line === "answered").length;
        expect([answered, answered + 1]).toContain(charged);
        if (charged > 0) expect((await account.state()).balance).toBe(sum);
      } finally {
        await account.close();
      }
    },
    leftovers: (dir) => lakeLeftovers(join(dir, "lake")),
  },
  lakeScenario("a tidying", lakeWithOldGeneration, (_dir, lake) => ["gc", { lake }]),
  {
    name: "an export",
    prepare: firstLake,
    work: (dir) => [
      "export",
      { lake: join(dir, "lake"), out: join(dir, "records.parquet"), format: "parquet" },
    ],
    state: async (dir) => {
      const bytes = await readFile(join(dir, "records.parquet")).catch(() => undefined);
      return `${await lakeState(join(dir, "lake"))} ${bytes?.toString("base64")}`;
    },
    leftovers: async (dir) => [...(await lakeLeftovers(join(dir, "lake"))), ...(await temporariesIn(dir))],
  },
];
