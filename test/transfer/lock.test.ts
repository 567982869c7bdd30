import { chmod, cp, lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  checkLock,
  installSlices,
  Lake,
  publishSlices,
  pullSlices,
  readLockFile,
  syncLake,
  writeLockFile,
} from "mirrorlake";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { capture } from "../cli/capture.js";
import { answersOf } from "../lake/same-answers.js";
import { FaultServer } from "./fault-server.js";
import { rootsOf, type SmallSet, smallSet } from "./small-set.js";

let set: SmallSet;
let server: FaultServer;
let work: string;
let run = 0;
beforeAll(async () => {
  set = await smallSet(0, 90);
});
afterAll(() => set?.remove());
beforeEach(async () => {
  server = await FaultServer.start(set.out);
  work = join(set.dir, `work-${run++}`);
  await mkdir(work);
});
afterEach(() => server.close());

async function answers(path: string): Promise<string> {
  const lake = await Lake.open(path);
  try {
    return await answersOf(lake, ["手机 camera", "news rain"]);
  } finally {
    await lake.close();
  }
}

const pull = (args: readonly string[]) => capture(["pull", ...args], { cwd: work });
const sync = (args: readonly string[]) => capture(["sync", ...args], { cwd: work });

test("pull writes a lock file, and sync builds the same lake elsewhere from it", {
  tags: "slow",
}, async () => {
  const pulled = await pull([server.url, "--lake", "first", "--json"]);
  expect(pulled.code, pulled.out).toBe(0);
  const lock = await readLockFile(join(work, "mirrorlake.lock.json"));
  expect(lock.slices.map(({ root }) => root).toSorted()).toEqual(rootsOf(set.manifests));
  expect(lock.slices.every(({ source }) => source === server.url)).toBe(true);

  expect((await sync(["--lake", "second", "--check"])).code).toBe(1);
  const synced = await sync(["--lake", "second"]);
  expect([synced.code, synced.out]).toEqual([
    0,
    expect.stringContaining("in sync with mirrorlake.lock.json"),
  ]);
  expect((await sync(["--lake", "second", "--check"])).code).toBe(0);
  expect(await answers(join(work, "second"))).toBe(await answers(join(work, "first")));

  const requests = server.seen.length;
  const again = await sync(["--lake", "second", "--json"]);
  expect(JSON.parse(again.out)).toMatchObject({ missing: 0, bytesFetched: 0, pulls: [] });
  expect(server.seen.length).toBe(requests);
});

test("a lake that lacks something or has more is drift: exit code 1, and sync refuses what it would have to remove", {
  tags: "slow",
}, async () => {
  await pull([server.url, "--lake", "lake", "--domain", "web", "--lock", "web.lock.json"]);
  expect((await sync(["--lake", "lake", "--lock", "web.lock.json", "--check"])).code).toBe(0);
  await pull([server.url, "--lake", "lake"]);
  const drift = await sync(["--lake", "lake", "--lock", "web.lock.json", "--check", "--json"]);
  expect(drift.code).toBe(1);
  expect(JSON.parse(drift.out).extra.length).toBeGreaterThan(0);
  const refused = await sync(["--lake", "lake", "--lock", "web.lock.json"]);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("lake_drift")]);
  const table = await sync(["--lake", "elsewhere", "--check"]);
  expect([table.code, table.out]).toEqual([1, expect.stringContaining("missing")]);
});

test("without a lock, --no-lock; a lake's own lock, --write; both at once make no sense", {
  tags: "slow",
}, async () => {
  await pull([set.out, "--lake", "lake", "--no-lock"]);
  expect((await sync(["--lake", "lake", "--check"])).err).toContain("lock_not_found");
  expect((await sync(["--lake", "lake", "--write"])).code).toBe(0);
  const lock = await readLockFile(join(work, "mirrorlake.lock.json"));
  expect(lock.slices.map(({ source }) => source)).toEqual(lock.slices.map(() => null));
  const lost = await sync(["--lake", "other"]);
  expect([lost.code, lost.err]).toEqual([1, expect.stringContaining("lock_unsatisfied")]);
  expect((await sync(["--lake", "other", "--source", set.out])).code).toBe(0);
  expect((await sync(["--check", "--write"])).code).toBe(2);
});

test("a path that is no lake never replaces a lock file, and is in sync with none", {
  tags: "slow",
}, async () => {
  await pull([set.out, "--lake", "lake"]);
  const lockFile = join(work, "mirrorlake.lock.json");
  const before = await readFile(lockFile, "utf8");
  const written = await sync(["--lake", "laek", "--write"]);
  expect([written.code, written.err]).toEqual([1, expect.stringContaining("lake_not_found")]);
  expect(await readFile(lockFile, "utf8")).toBe(before);
  const fresh = join(work, "new.lock.json");
  await expect(writeLockFile(fresh, join(work, "laek"))).rejects.toMatchObject({ code: "lake_not_found" });
  await expect(readLockFile(fresh)).rejects.toMatchObject({ code: "lock_not_found" });

  const checked = await sync(["--lake", "laek", "--check"]);
  expect([checked.code, checked.out]).toEqual([
    1,
    expect.stringContaining(`there is no lake at ${join(work, "laek")}`),
  ]);
  await writeFile(fresh, JSON.stringify({ formatVersion: 1, slices: [] }));
  expect(await checkLock({ lake: join(work, "laek"), lockFile: fresh })).toEqual({
    inSync: false,
    noLake: true,
    missing: [],
    extra: [],
  });
  const empty = await sync(["--lake", "laek", "--lock", fresh, "--check"]);
  expect([empty.code, empty.out]).toEqual([1, expect.stringContaining("there is no lake")]);
});

test("a lock file gets the folder that it is to be in, or an error that names it", async () => {
  const lake = join(work, "lake");
  await mkdir(lake);
  await writeFile(join(lake, "mirrorlake.json"), JSON.stringify({ formatVersion: 1 }));
  const lockFile = join(work, "config", "pins", "lock.json");
  expect((await writeLockFile(lockFile, lake)).slices).toEqual([]);
  expect((await readLockFile(lockFile)).slices).toEqual([]);
  const inFile = join(lockFile, "lock.json");
  await expect(writeLockFile(inFile, lake)).rejects.toMatchObject({ code: "unwritable_folder" });
  expect(await readdir(dirname(lockFile))).toEqual(["lock.json"]);
});

test("a link to a lock file stays, and so do its permissions, and what a killed process left beside it goes", async () => {
  const lake = join(work, "lake");
  await mkdir(lake);
  await writeFile(join(lake, "mirrorlake.json"), JSON.stringify({ formatVersion: 1 }));
  const pins = join(work, "pins");
  await mkdir(pins);
  await writeLockFile(join(pins, "lock.json"), lake);
  await chmod(join(pins, "lock.json"), 0o640);
  const link = join(work, "mirrorlake.lock.json");
  await symlink(join("pins", "lock.json"), link);
  const left = join(pins, ".lock.json.partial-0123456789abcdef");
  await mkdir(left);
  await writeFile(`${left}.lock`, "");
  await writeLockFile(link, lake);
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect((await stat(link)).mode & 0o777).toBe(0o640);
  expect(await readdir(pins)).toEqual(["lock.json"]);
});

test("paths in a lock file are relative to it, so that both can move together", {
  tags: "slow",
}, async () => {
  await cp(set.out, join(work, "public"), { recursive: true });
  await pull(["./public", "--lake", "lake"]);
  const lock = await readLockFile(join(work, "mirrorlake.lock.json"));
  expect(new Set(lock.slices.map(({ source }) => source))).toEqual(new Set(["./public"]));
  const moved = join(set.dir, `moved-${run}`);
  await cp(work, moved, { recursive: true });
  await rm(join(work, "public"), { recursive: true });
  await syncLake({ lake: join(moved, "again"), lockFile: join(moved, "mirrorlake.lock.json") });
  expect(
    (await checkLock({ lake: join(moved, "again"), lockFile: join(moved, "mirrorlake.lock.json") })).inSync,
  ).toBe(true);
});

test("several sources are pulled and installed as one", { tags: "slow" }, async () => {
  const roots = rootsOf(set.manifests);
  const half = join(work, "half");
  await publishSlices(
    roots.slice(0, 2).map((root) => join(set.slices, root)),
    { out: half },
  );
  const lake = join(work, "lake");
  const lockFile = join(work, "mirrorlake.lock.json");
  await pullSlices(half, { lake });
  await writeLockFile(lockFile, lake, new Map(roots.map((root) => [root, half])));
  await pullSlices(server.url, { lake });
  const lock = await writeLockFile(lockFile, lake, new Map(roots.slice(2).map((root) => [root, server.url])));
  expect(new Set(lock.slices.map(({ source }) => source))).toEqual(new Set(["./half", server.url]));
  const report = await syncLake({ lake: join(work, "other"), lockFile });
  expect([report.pulls.length, report.install?.generation]).toEqual([2, 1]);
  await expect(
    syncLake({ lake: join(work, "third"), lockFile: await twoHosts(lockFile), key: "ml_secret" }),
  ).rejects.toMatchObject({ code: "key_ambiguous" });
});

/** The lock file with each slice from a host of its own. */
async function twoHosts(lockFile: string): Promise<string> {
  const lock = await readLockFile(lockFile);
  const slices = lock.slices.map((slice, i) => ({ ...slice, source: `http://host-${i}.invalid/` }));
  const path = join(work, "hosts.lock.json");
  await writeFile(path, JSON.stringify({ ...lock, slices }));
  return path;
}

test("a source that no longer has what is pinned is told, before anything is fetched", {
  tags: "slow",
}, async () => {
  const lake = join(work, "lake");
  await installSlices([set.slices], { lake });
  const lockFile = join(work, "mirrorlake.lock.json");
  await writeLockFile(lockFile, lake, new Map(rootsOf(set.manifests).map((root) => [root, server.url])));
  const lock = JSON.parse(await readFile(lockFile, "utf8"));
  lock.slices[0].root = "f".repeat(64);
  await writeFile(lockFile, JSON.stringify(lock));
  await expect(syncLake({ lake: join(work, "other"), lockFile })).rejects.toMatchObject({
    code: "lock_unsatisfied",
    value: ["f".repeat(64)],
  });
  expect(server.seen.map(({ path }) => path)).toEqual(["/index.json"]);
});

test.each([
  ["not JSON", "{", "lock_invalid"],
  ["a newer format", '{"formatVersion": 2, "slices": []}', "lock_newer_format"],
  ["another shape", '{"formatVersion": 1, "slices": [{"root": "../../etc"}]}', "lock_invalid"],
])("a lock file that is %s is refused", async (_name, text, code) => {
  const lockFile = join(work, "bad.lock.json");
  await writeFile(lockFile, text);
  await expect(readLockFile(lockFile)).rejects.toMatchObject({
    name: "LakeError",
    code,
    value: expect.anything(),
  });
});
