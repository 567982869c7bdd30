import { cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { diagnoseLake } from "../../src/client/diagnose-lake.js";
import { takePullLock } from "../../src/lake/install/install-lock.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { gcLake } from "../../src/lake/maintain/gc-lake.js";
import { retainLake } from "../../src/lake/maintain/retain-lake.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { publishSlices } from "../../src/transfer/publish/publish-slices.js";
import { writeLockFile } from "../../src/transfer/pull/lock-file-io.js";
import { pullSlices } from "../../src/transfer/pull/pull-slices.js";
import { syncLake } from "../../src/transfer/pull/sync-lake.js";
import { COMPACT, QUICK, recordId, videos, write } from "./support.js";

const DAY_MS = 86_400_000;

let all: string;
let lake: string;
let incoming: string;
let slices: string;
let root: string;
beforeAll(async () => {
  all = await mkdtemp(join(tmpdir(), "mirrorlake-incoming-"));
  const dirs = await write(join(all, "a"), videos(0, 20));
  await installSlices(dirs, { lake: join(all, "lake"), ...QUICK });
  await publishSlices(dirs, { out: join(all, "public") });
});
afterAll(() => rm(all, { recursive: true, force: true }));
beforeEach(async () => {
  lake = join(await mkdtemp(join(all, "test-")), "lake");
  await cp(join(all, "lake"), lake, { recursive: true });
  incoming = join(lake, "incoming");
  slices = join(lake, "slices");
  [root] = (await readdir(slices)) as [string];
  // As a pull leaves it that is killed just after its install.
  await cp(slices, incoming, { recursive: true });
});

const codes = async (now = Date.now()) =>
  (await diagnoseLake(lake, { clock: { now: () => now } })).findings.map(({ code }) => code);

describe("what a killed pull left of slices that the lake holds", () => {
  it("is named by a diagnosis, with the remedy", async () => {
    const { findings } = await diagnoseLake(lake);
    expect(findings).toEqual([
      {
        level: "warning",
        code: "leftovers",
        message: expect.stringMatching(/in 1 unused file or folder \(incoming\)$/),
        remedy: `mirrorlake gc --lake ${lake}`,
      },
    ]);
  });

  it("is collected, though not on a dry run", async () => {
    const items = [{ kind: "incoming", path: join(incoming, root), bytes: expect.any(Number) }];
    expect(await gcLake({ lake, dryRun: true })).toMatchObject({ items });
    expect(await readdir(incoming)).toEqual([root]);
    expect(await gcLake({ lake })).toMatchObject({ items });
    expect(await readdir(lake)).not.toContain("incoming");
    expect(await codes()).toEqual([]);
  });

  it("is gone after a compaction, with what was removed from it", async () => {
    await removeRecords([{ kind: "record", id: recordId(3) }], { lake, reason: "test" });
    await compactLake({ lake, ...COMPACT });
    expect(await readdir(slices)).not.toContain(root);
    expect(await readdir(lake)).not.toContain("incoming");
  });

  it("is gone after a compaction that has nothing else to do", async () => {
    expect(await compactLake({ lake, ...COMPACT })).toMatchObject({ change: "none" });
    expect(await readdir(lake)).not.toContain("incoming");
  });

  it("is collected after a compaction that ran while a pull was under way", async () => {
    const pull = await takePullLock(lake);
    await removeRecords([{ kind: "record", id: recordId(3) }], { lake, reason: "test" });
    await compactLake({ lake, ...COMPACT });
    expect(await gcLake({ lake })).toMatchObject({ items: [] });
    expect(await readdir(incoming)).toEqual([root]);
    await pull.release();
    expect(await gcLake({ lake })).toMatchObject({ items: [{ kind: "incoming" }] });
  });

  it("is gone after a retention that drops the slice whole", async () => {
    await installSlices(await write(join(lake, "..", "b"), videos(20, 24, 40)), { lake, ...QUICK });
    await cp(slices, incoming, { recursive: true });
    const { dropped } = await retainLake({ lake, olderThan: "15d", ...COMPACT });
    expect(dropped).toEqual([root]);
    expect(await readdir(lake)).not.toContain("incoming");
  });

  it("is gone after a pull and a sync that find nothing to fetch, and after an install of what is there", async () => {
    expect((await pullSlices(join(all, "public"), { lake })).install).toBeUndefined();
    expect(await readdir(lake)).not.toContain("incoming");

    await cp(slices, incoming, { recursive: true });
    const lockFile = join(lake, "..", "mirrorlake.lock");
    await writeLockFile(lockFile, lake, new Map());
    expect(await syncLake({ lake, lockFile })).toMatchObject({ missing: 0 });
    expect(await readdir(lake)).not.toContain("incoming");

    await cp(slices, incoming, { recursive: true });
    await rm(join(lake, "CURRENT"));
    await rm(join(lake, "generations"), { recursive: true });
    await installSlices([slices], { lake, ...QUICK });
    expect(await readdir(lake)).not.toContain("incoming");
  });

  it("stays while another pull is under way, and where the lake's own copy is damaged", async () => {
    const pull = await takePullLock(lake);
    await pullSlices(join(all, "public"), { lake });
    await pull.release();
    expect(await readdir(incoming)).toEqual([root]);
    await rm(join(slices, root, "records.parquet"));
    await gcLake({ lake });
    expect(await readdir(incoming)).toEqual([root]);
  });
});

describe("what an interrupted pull left", () => {
  beforeEach(() => rm(incoming, { recursive: true }));

  it("waits for the next pull for 14 days, which a diagnosis says", async () => {
    const partial = join(incoming, "f".repeat(64), "records.parquet.part");
    await mkdir(join(partial, ".."), { recursive: true });
    await writeFile(partial, "x");
    expect(await gcLake({ lake })).toMatchObject({ items: [] });
    const { ok, findings } = await diagnoseLake(lake);
    expect(ok).toBe(true);
    expect(findings).toEqual([
      {
        level: "note",
        code: "pull_unfinished",
        message: expect.stringContaining(incoming),
        remedy: expect.stringMatching(/run that pull again.*14 days/),
      },
    ]);
    const later = Date.now() + 15 * DAY_MS;
    expect(await codes(later)).toEqual(["leftovers"]);
    await gcLake({ lake, clock: { now: () => later } });
    expect(await readdir(lake)).not.toContain("incoming");
  });

  it("of a slice of which nothing was left is collected", { tags: "slow" }, async () => {
    await cp(slices, join(lake, "..", "before"), { recursive: true });
    await installSlices(await write(join(lake, "..", "b"), videos(20, 24, 400)), { lake, ...QUICK });
    const targets = Array.from({ length: 20 }, (_, n) => ({ kind: "record", id: recordId(n) }) as const);
    await removeRecords(targets, { lake, reason: "test" });
    expect((await compactLake({ lake, ...COMPACT })).revised).toEqual([{ from: root, to: null }]);
    await cp(join(lake, "..", "before"), incoming, { recursive: true });
    expect(await gcLake({ lake })).toMatchObject({ items: [{ path: join(incoming, root) }] });
  });

  it("of a dataset is collected once its slices are installed, or when its newest file is old", async () => {
    const done = join(incoming, "dataset-0123456789abcdef");
    const young = join(incoming, "dataset-1123456789abcdef");
    for (const dir of [done, young]) {
      await mkdir(join(dir, "name", "data"), { recursive: true });
      await writeFile(join(dir, "name", "data", "rows.jsonl"), "{}\n");
    }
    await cp(join(slices, root), join(done, "slices", "videos"), { recursive: true });
    await writeFile(join(done, "slices", "rejects.jsonl"), "");
    const past = new Date(Date.now() - 15 * DAY_MS);
    for (const path of [young, join(young, "name"), join(young, "name", "data")])
      await utimes(path, past, past);
    await gcLake({ lake });
    expect(await readdir(incoming)).toEqual(["dataset-1123456789abcdef"]);
    expect(await readFile(join(young, "name", "data", "rows.jsonl"), "utf8")).toBe("{}\n");
    await utimes(join(young, "name", "data", "rows.jsonl"), past, past);
    await gcLake({ lake });
    expect(await readdir(lake)).not.toContain("incoming");
  });
});
