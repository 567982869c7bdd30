import { spawn } from "node:child_process";
import { appendFile, cp, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { compactLake, corpusHash, gcLake, installSlices, Lake, removeRecords, verifyLake } from "mirrorlake";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { random } from "../lake/items.js";
import { rounds, SEED } from "../support/campaign.js";
import { count } from "../support/count.js";
import { CAN_FAULT, stepThrough } from "../support/faults/run-with-faults.js";
import { COMMENTS, QUICK, recordId, VIDEO, videoId, videos, write } from "./support.js";

const KILLS = rounds(3);

let dir: string;
let pristine: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-kill-"));
  pristine = join(dir, "pristine");
  await installSlices(await write(join(dir, "a"), videos(0, 30)), { lake: pristine, threads: 1 });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Runs the child and kills it when `kill` says so, of each line that it prints. */
async function run(
  args: readonly string[],
  kill: (line: string, stop: () => void) => void,
): Promise<string[]> {
  const path = fileURLToPath(new URL("evolve-child.js", import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const exit = new Promise((resolve) => child.once("exit", resolve));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    kill(line, () => child.kill("SIGKILL"));
  }
  await exit;
  if (child.signalCode !== null) count(child.signalCode === "SIGKILL" ? "kills" : "crashes");
  return lines;
}

/** Whether video 7 is shown, whole; throws where some of it is. */
async function isShown(open: Lake): Promise<boolean> {
  const record = (await open.corpus.recordRow(recordId(7))) !== undefined;
  const video = (await open.corpus.raw(VIDEO, "video", videoId(7))) !== undefined;
  const { total } = await open.corpus.rawPage({
    platform: VIDEO,
    resource: "comment",
    parent: videoId(7),
    orderBy: "id",
    offset: 0,
    limit: 10,
  });
  expect([record, video, total]).toEqual(record ? [true, true, COMMENTS] : [false, false, 0]);
  return record;
}

describe("work on a lake that is killed", () => {
  it("a removal has happened or has not, in a process that has the lake open too", {
    tags: "slow",
  }, async () => {
    const next = random(SEED);
    const outcomes = new Set<boolean>();
    for (let kill = 0; kill < KILLS; kill++) {
      const lake = join(dir, `remove-${kill}`);
      await cp(pristine, lake, { recursive: true });
      const open = await Lake.open(lake, { threads: 1 });
      // The last runs to its end.
      const delay = kill === KILLS - 1 ? 60_000 : next() * 1500;
      let timer: NodeJS.Timeout | undefined;
      const lines = await run([lake, "remove", recordId(7)], (line, stop) => {
        if (line === "ready") timer = setTimeout(stop, delay);
      });
      clearTimeout(timer);
      const shown = await isShown(open);
      if (lines.at(-1) === "done") {
        if (shown) count("lost");
        expect(shown).toBe(false);
      }
      outcomes.add(shown);
      const fresh = await Lake.open(lake, { threads: 1 });
      expect(await isShown(fresh)).toBe(shown);
      await fresh.close();
      await removeRecords([{ kind: "record", id: recordId(7) }], { lake, reason: "again" });
      expect(await isShown(open)).toBe(false);
      await open.close();
      await rm(lake, { recursive: true, force: true });
    }
    expect(outcomes).toContain(false);
  });

  it("before its generation was made current leaves a folder that the next compaction removes first", {
    tags: "slow",
  }, async () => {
    const lake = join(dir, "left");
    await cp(pristine, lake, { recursive: true });
    await cp(join(lake, "generations", "1"), join(lake, "generations", "2"), { recursive: true });
    await removeRecords([{ kind: "record", id: recordId(7) }], { lake, reason: "test" });
    await compactLake({ lake, threads: 1 });
    expect(await verifyLake(lake, { recall: false })).toMatchObject({ ok: true, slices: 1, records: 29 });
    expect(await readdir(join(lake, "generations"))).toEqual(["2"]);
  });

  it("while it removed an old generation leaves what the next removes, and which nobody reads", {
    tags: "slow",
  }, async () => {
    const lake = join(dir, "half");
    await cp(pristine, lake, { recursive: true });
    await removeRecords([{ kind: "record", id: recordId(7) }], { lake, reason: "test" });
    await compactLake({ lake, threads: 1 });
    const [current] = await readdir(join(lake, "generations"));
    const old = join(lake, "generations", "1");
    await cp(join(lake, "generations", current!), old, { recursive: true });
    for (const name of ["readers.lock", "corpus.duckdb"]) await rm(join(old, name));
    await removeRecords([{ kind: "record", id: recordId(8) }], { lake, reason: "test" });
    await compactLake({ lake, threads: 1 });
    expect(await verifyLake(lake, { recall: false })).toMatchObject({ ok: true, records: 28 });
    expect(await readdir(join(lake, "generations"))).toHaveLength(1);
  });

  it("a compaction has happened or has not, and the next tidies up", { tags: "slow" }, async () => {
    const next = random(SEED + 1);
    const source = join(dir, "removed");
    await cp(pristine, source, { recursive: true });
    const { corpus } = await removeRecords([{ kind: "record", id: recordId(7) }], {
      lake: source,
      reason: "test",
    });
    const whole = join(dir, "compact-whole");
    await cp(source, whole, { recursive: true });
    const steps = await run([whole, "compact"], () => {});
    for (let kill = 0; kill < rounds(2); kill++) {
      const lake = join(dir, `compact-${kill}`);
      await cp(source, lake, { recursive: true });
      const at = kill === 0 ? steps.length - 1 : 1 + Math.floor(next() * steps.length);
      let seen = 0;
      await run([lake, "compact"], (_line, stop) => {
        if (++seen === at) stop();
      });
      const open = await Lake.open(lake, { threads: 1 });
      expect(await isShown(open)).toBe(false);
      await open.close();
      expect(await corpusHash(lake)).toBe(corpus);
      await compactLake({ lake, threads: 1 });
      expect(await corpusHash(lake)).toBe(corpus);
      await gcLake({ lake });
      expect(await verifyLake(lake, { recall: false })).toMatchObject({ ok: true, slices: 1, records: 29 });
      await rm(lake, { recursive: true, force: true });
    }
  });

  it.skipIf(!CAN_FAULT)(
    "while it undid a first install leaves a folder that takes the next one",
    {
      tags: "slow",
    },
    async () => {
      const at = await realpath(await mkdtemp(join(dir, "undone-")));
      const lake = join(at, "lake");
      const good = await write(join(dir, "good"), videos(0, 4, 3));
      const [bad] = await write(join(dir, "bad"), videos(4, 6, 40));
      // Good slices are placed before this one is found damaged.
      await appendFile(join(bad!, "records.parquet"), "x");
      const program = fileURLToPath(new URL("../support/faults/work-child.js", import.meta.url));
      const work = ["install", JSON.stringify({ lake, dirs: [...good, bad!] })];
      const seen = new Set<string>();
      const copy = join(dir, "undone-copy");
      const run = await stepThrough(program, work, at, async () => {
        const names = (await readdir(at, { recursive: true })).filter((name) => !/\.tmp-/.test(name));
        if (names.length === 0 || seen.has(names.sort().join())) return;
        seen.add(names.join());
        await rm(copy, { recursive: true, force: true });
        await cp(lake, copy, { recursive: true });
        await installSlices(good, { lake: copy, ...QUICK });
        const report = await verifyLake(copy, { recall: false, threads: 0 });
        expect([report.ok, report.records], names.join()).toEqual([true, 4]);
      });
      expect(run.err).toContain("slice_");
      expect(await readdir(at)).toEqual([]);
    },
  );
});
