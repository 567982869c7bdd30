import { chmod, cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { diagnoseLake } from "../../src/client/diagnose-lake.js";
import type { Clock } from "../../src/clock.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { verifyLake } from "../../src/lake/verify/verify-lake.js";
import { withheldSlices } from "../../src/lake/withheld-slices.js";
import { writeLockFile } from "../../src/transfer/pull/lock-file-io.js";
import { pullSlices } from "../../src/transfer/pull/pull-slices.js";
import { checkLock, syncLake } from "../../src/transfer/pull/sync-lake.js";
import { QUICK, recordId, videos, write } from "./support.js";

let all: string;
let made: string;
let good: string;
let dir: string;
let lake: string;
let slice: string;
beforeAll(async () => {
  all = await mkdtemp(join(tmpdir(), "mirrorlake-damaged-slices-"));
  made = join(all, "made");
  // Files of a slice may be one with those that it was installed from: a copy of their own stays whole.
  good = join(all, "good");
  await write(made, videos(0, 20));
  await cp(made, good, { recursive: true });
  await installSlices([made], { lake: join(all, "lake"), ...QUICK });
});
afterAll(() => rm(all, { recursive: true, force: true }));
beforeEach(async () => {
  dir = await mkdtemp(join(all, "test-"));
  lake = join(dir, "lake");
  await cp(join(all, "lake"), lake, { recursive: true });
  const [root] = await readdir(join(lake, "slices"));
  slice = join(lake, "slices", root!);
});

const QUIET = { recall: false, threads: 0 } as const;
const lose = () => rm(slice, { recursive: true });
const cut = () => truncate(join(slice, "records.parquet"), 1000);
const cutManifest = () => truncate(join(slice, "datapackage.json"), 100);
const loseFile = () => rm(join(slice, "raw.parquet"));

/** Changes a byte of the records, and none of the sizes. */
async function flip(): Promise<void> {
  const path = join(slice, "records.parquet");
  const bytes = await readFile(path);
  bytes[100]! ^= 0xff;
  await chmod(path, 0o644);
  await writeFile(path, bytes);
}

const DAMAGES = [
  ["missing", "slice_missing", lose],
  ["cut", "slice_truncated", cut],
  ["without its manifest's end", "slice_manifest_invalid", cutManifest],
  ["without a file", "slice_file_missing", loseFile],
] as const;

it.each(DAMAGES)("doctor names a slice that is %s, and its remedy repairs it", async (_, code, damage) => {
  await damage();
  const remedy = `mirrorlake pull <where it came from> --lake ${lake}`;
  const { ok, findings } = await diagnoseLake(lake);
  expect(ok).toBe(false);
  expect(findings).toEqual([expect.objectContaining({ level: "error", code, remedy })]);
  const { slices, install } = await pullSlices(good, { lake });
  expect(slices).toMatchObject([{ state: "wanted" }]);
  expect(install).toMatchObject({ change: "none", generation: 1, slices: [{ state: "repaired" }] });
  expect((await diagnoseLake(lake)).findings).toEqual([]);
  expect(await verifyLake(lake, QUIET)).toMatchObject({ ok: true, problems: [] });
  expect((await pullSlices(good, { lake })).slices).toMatchObject([{ state: "present" }]);
});

it.each(DAMAGES)("an install repairs a slice that is %s", async (_, __, damage) => {
  await damage();
  const { change, slices } = await installSlices([good], { lake, ...QUICK });
  expect([change, slices.map(({ state }) => state)]).toEqual(["none", ["repaired"]]);
  expect(await verifyLake(lake, QUIET)).toMatchObject({ ok: true });
  const again = await installSlices([good], { lake, ...QUICK });
  expect(again.slices).toMatchObject([{ state: "present" }]);
});

it.each(DAMAGES)("sync counts a slice that is %s as missing", async (_, __, damage) => {
  const lockFile = join(dir, "lock.json");
  await writeLockFile(lockFile, lake);
  await damage();
  expect(await checkLock({ lake, lockFile })).toMatchObject({ inSync: false, missing: [{}], extra: [] });
  expect(await syncLake({ lake, lockFile, source: good })).toMatchObject({ missing: 1 });
  expect(await checkLock({ lake, lockFile })).toMatchObject({ inSync: true });
});

it("a rebuild repairs a slice with other bytes from one that is given, as verify's remedy says", {
  tags: "slow",
}, async () => {
  await flip();
  const { problems } = await verifyLake(lake, QUIET);
  expect(problems).toMatchObject([
    {
      code: "slice_corrupt",
      remedy: `mirrorlake install <the slice from where it came> --lake ${lake} --rebuild`,
    },
  ]);
  const { change, slices } = await installSlices([good], { lake, ...QUICK, rebuild: true });
  expect([change, slices.map(({ state }) => state)]).toEqual(["built", ["repaired"]]);
  expect(await verifyLake(lake, QUIET)).toMatchObject({ ok: true });
});

it("a rebuild leaves a whole slice where it is", async () => {
  const { ino } = await stat(join(slice, "records.parquet"));
  const { slices } = await installSlices([good], { lake, ...QUICK, rebuild: true });
  expect(slices).toMatchObject([{ state: "present" }]);
  expect((await stat(join(slice, "records.parquet"))).ino).toBe(ino);
});

it("a rebuild without a slice names it and the remedy", async () => {
  await lose();
  await expect(installSlices([], { lake, ...QUICK, rebuild: true })).rejects.toMatchObject({
    code: "slice_missing",
    remedy: `mirrorlake pull <where it came from> --lake ${lake}`,
  });
});

it("a copy that is damaged repairs nothing, and the lake stays as it was", async () => {
  await cut();
  const bad = join(dir, "bad");
  await cp(good, bad, { recursive: true });
  const [root] = await readdir(bad);
  await truncate(join(bad, root!, "raw.parquet"), 900);
  await expect(installSlices([bad], { lake, ...QUICK })).rejects.toMatchObject({ code: "slice_truncated" });
  expect((await stat(join(slice, "records.parquet"))).size).toBe(1000);
});

const TARGETS = [
  { kind: "record", id: recordId(3) },
  { kind: "author", id: "uid2" },
] as const;
it.each([...DAMAGES, ["of other bytes", "slice_corrupt", flip] as const])(
  "removes from a lake with a slice that is %s what it removes from a whole one, and withholds it",
  { tags: "slow" },
  async (_, __, damage) => {
    const whole = join(dir, "whole");
    await cp(join(all, "lake"), whole, { recursive: true });
    const options = { reason: "test", clock: { now: () => 0 } as Clock };
    const expected = await removeRecords(TARGETS, { lake: whole, ...options });
    expect(expected.derived).toBeGreaterThan(20);
    await damage();
    expect(await removeRecords(TARGETS, { lake, ...options })).toEqual(expected);
    expect(await readFile(join(lake, "removals.jsonl"), "utf8")).toBe(
      await readFile(join(whole, "removals.jsonl"), "utf8"),
    );
    await installSlices([good], { lake, ...QUICK, rebuild: true });
    expect(await verifyLake(lake, QUIET)).toMatchObject({ ok: true, corpus: expected.corpus });
  },
);

it("withholds a lost slice that comes back until it is known what it holds", { tags: "slow" }, async () => {
  const newer = join(dir, "newer");
  await write(newer, videos(0, 1, 30, 1));
  await installSlices([newer], { lake, ...QUICK });
  const other = (await readdir(join(lake, "slices"))).find((name) => !slice.endsWith(name))!;
  const whole = await readdir(good);
  await lose();
  // The record's edition of the lost slice is replaced: the generation does not have it.
  const { withheld } = await removeRecords([{ kind: "record", id: recordId(0) }], { lake, reason: "test" });
  expect(withheld.toSorted()).toEqual([...whole, other].toSorted());
  await pullSlices(good, { lake });
  expect([...(await withheldSlices(lake)).keys()].toSorted()).toEqual([...whole, other].toSorted());
  expect(await verifyLake(lake, QUIET)).toMatchObject({ ok: true });
});

it("shows a slice again that was lost during a removal and holds nothing of it", {
  tags: "slow",
}, async () => {
  const newer = join(dir, "newer");
  const [made] = await write(newer, videos(30, 32, 40));
  await installSlices([newer], { lake, ...QUICK });
  await lose();
  await removeRecords([{ kind: "record", id: recordId(30) }], { lake, reason: "test" });
  expect((await withheldSlices(lake)).size).toBe(2);
  await installSlices([good], { lake, ...QUICK });
  expect([...(await withheldSlices(lake)).keys()]).toEqual([basename(made!)]);
  expect(await verifyLake(lake, QUIET)).toMatchObject({ ok: true });
});
