import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { openLake } from "../../src/client/open-lake.js";
import { Database } from "../../src/duckdb/database.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { heldGenerations } from "../../src/lake/open/leases.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { LaterDatabase } from "../../src/store/generation/later-database.js";
import { batches, INFO, makeItems, makeRecord } from "./items.js";

const CHILD = fileURLToPath(new URL("read-only-child.js", import.meta.url));
const MODULE = fileURLToPath(new URL("../../dist/lazy-index.js", import.meta.url));
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const mounts = spawnSync("unshare", ["-m", "true"]).status === 0;
const namespaces = spawnSync("unshare", ["--pid", "--fork", "true"]).status === 0;

let dir: string;
let pristine: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-read-only-"));
  await chmod(dir, 0o755);
  await writeSlices(batches(makeItems(0, 60)), { out: join(dir, "first"), info: INFO });
  for (const n of [0, 1, 2])
    await writeSlices(batches(makeItems(60 + n * 10, 70 + n * 10)), {
      out: join(dir, `more-${n}`),
      info: INFO,
    });
  pristine = join(dir, "pristine");
  await installSlices([join(dir, "first")], { lake: pristine, threads: 1 });
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function copy(name: string): Promise<string> {
  const lake = join(dir, name);
  await cp(pristine, lake, { recursive: true });
  return lake;
}

interface Report {
  readonly found?: number;
  readonly n?: number;
  readonly notices?: readonly string[];
  readonly error?: string;
}

/** Asks a lake in a process of its own. */
function ask(
  lake: string,
  {
    options = {},
    before = [],
    uid,
    hold = false,
  }: {
    readonly options?: object;
    readonly before?: readonly string[];
    readonly uid?: number | undefined;
    readonly hold?: boolean;
  } = {},
): Promise<Report> {
  const [command, ...args] = [
    ...before,
    process.execPath,
    CHILD,
    MODULE,
    lake,
    JSON.stringify(options),
    hold ? "hold" : "",
  ];
  const child = spawn(command!, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TMPDIR: tmpdir() },
    ...(uid === undefined ? {} : { uid }),
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    createInterface(child.stdout!).once("line", (line) => resolve(JSON.parse(line) as Report));
    child.once("exit", (code) => reject(new Error(`it ended with ${code} and said nothing`)));
  });
}

/** Every name below a folder with its size and time of change. */
async function state(path: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await readdir(path, { recursive: true })) {
    const { size, mtimeMs } = await stat(join(path, name));
    found[name] = `${size} ${mtimeMs}`;
  }
  return found;
}

const IN_MEMORY = /is not writable: calls use an account in memory/;

test("readOnly leaves a lake as it is, to the last file and time", async () => {
  const lake = await copy("clean");
  const before = await state(lake);
  const notices: string[] = [];
  const client = await openLake(lake, { readOnly: true, onNotice: (text) => notices.push(text) });
  const { data } = await client.search({ query: "camera", limit: 2 });
  expect(data).toHaveLength(2);
  await client.sql("SELECT count(*) FROM records");
  await client.refresh();
  expect(await heldGenerations(lake)).toEqual(new Set([1]));
  await client.close();
  expect(notices).toEqual([]);
  expect(await state(lake)).toEqual(before);
  await expect(openLake(lake, { readOnly: true, account: "lake" })).rejects.toMatchObject({
    code: "read_only_account",
  });
});

test("a lake whose removals nobody has worked out yet is read without writing", async () => {
  const lake = await copy("removed");
  await removeRecords([{ kind: "record", id: makeRecord(3).id }], { lake, reason: "asked for" });
  await rm(join(lake, "removed"), { recursive: true });
  const before = await state(lake);
  const open = await Lake.open(lake, { readOnly: true });
  expect(open.corpus.recordCount).toBe(59);
  await open.close();
  expect(await state(lake)).toEqual(before);
});

/** A database of 600,000 rows, open for writing, in a folder of its own, and a folder that can stand for the system's. */
async function largeTable(name: string) {
  const [beside, system] = [join(dir, name), join(dir, `${name}-system`)];
  for (const folder of [beside, system]) await mkdir(folder);
  const path = join(beside, "corpus.duckdb");
  const written = await Database.open(path);
  await written.run("CREATE TABLE raw AS SELECT range AS n, md5(range::VARCHAR) AS id FROM range(600_000)");
  return { written, path, beside, system };
}

test("queries that need more memory than readers may take spill into the system's folder", async () => {
  const { written, path, beside, system } = await largeTable("spilling");
  const sql = "SELECT n FROM raw ORDER BY id LIMIT 1 OFFSET ?";
  const pages = [await written.rows(sql, [300_000]), await written.rows(sql, [599_999])];
  await written.close();
  vi.stubEnv("TMPDIR", system);
  onTestFinished(() => void vi.unstubAllEnvs());
  const db = new LaterDatabase(path, 1, 32_000_000);
  expect(await db.rows("SELECT count(*)::INTEGER AS n FROM raw")).toEqual([{ n: 600_000 }]);
  expect(await readdir(system)).toEqual([]);
  expect([await db.rows(sql, [300_000]), await db.rows(sql, [599_999])]).toEqual(pages);
  expect((await readdir(system)).sort()[0]).toMatch(/^mirrorlake-read-[0-9a-f]{16}$/);
  expect(await readdir(beside)).toEqual(["corpus.duckdb"]);
  await db.close();
  expect(await readdir(system)).toEqual([]);
});

test("far pages that are asked for at once take no more memory than one", async () => {
  const { written, path, system } = await largeTable("far");
  const offsets = [300_000, 400_000, 500_000, 599_999];
  const sql = "SELECT n FROM raw ORDER BY id";
  const pages = await Promise.all(offsets.map((offset) => written.rows(`${sql} LIMIT 1 OFFSET ${offset}`)));
  await written.close();
  vi.stubEnv("TMPDIR", system);
  onTestFinished(() => void vi.unstubAllEnvs());
  const db = new LaterDatabase(path, 1, 64_000_000);
  const asked = offsets.map((offset) => db.page(sql, [], { limit: 1, offset }));
  const wrong = db.page("SELECT n FROM nowhere", [], { limit: 1, offset: 300_000 });
  const later = db.page(sql, [], { limit: 1, offset: offsets[0]! });
  expect(await Promise.all(asked)).toEqual(pages);
  await expect(wrong).rejects.toMatchObject({ code: "sql_failed" });
  expect(await later).toEqual(pages[0]);
  // None had to spill.
  expect(await readdir(system)).toEqual([]);
  await db.close();
});

test.skipIf(!mounts)(
  "a lake on a read-only mount opens, with an account in memory and a notice",
  { tags: "slow" },
  async () => {
    const lake = await copy("mounted");
    const script = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"';
    const before = ["unshare", "-m", "sh", "-c", script, "sh", lake];
    const report = await ask(lake, { before });
    expect(report).toMatchObject({ found: 2, n: 60 });
    expect(report.notices).toEqual([expect.stringMatching(IN_MEMORY)]);
  },
);

test("a lake of another owner opens, and is not removed under its reader", { tags: "slow" }, async () => {
  const lake = await copy("foreign");
  const uid = isRoot ? NOBODY : undefined;
  if (!isRoot) await protect(lake, 0o555, 0o444);
  const report = await ask(lake, { uid, hold: true });
  expect(report).toMatchObject({ found: 2, n: 60 });
  expect(report.notices).toEqual([expect.stringMatching(IN_MEMORY)]);
  if (!isRoot) await protect(lake, 0o755, 0o644);
  expect(await heldGenerations(lake)).toEqual(new Set([1]));
  await installSlices([join(dir, "more-0")], { lake, threads: 1 });
  await installSlices([join(dir, "more-1")], { lake, threads: 1 });
  expect((await readdir(join(lake, "generations"))).sort()).toEqual(["1", "3"]);
});

test.skipIf(!namespaces)(
  "readers in two PID namespaces keep what they read, until they die",
  { tags: "slow" },
  async () => {
    const lake = await copy("namespaces");
    const before = ["unshare", "--pid", "--fork", "--kill-child"];
    const options = { account: "memory" };
    await Promise.all([
      ask(lake, { before, options, hold: true }),
      ask(lake, { before, options, hold: true }),
    ]);
    await installSlices([join(dir, "more-0")], { lake, threads: 1 });
    await installSlices([join(dir, "more-1")], { lake, threads: 1 });
    expect((await readdir(join(lake, "generations"))).sort()).toEqual(["1", "3"]);
    for (const child of children.splice(0)) {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    }
    await expect.poll(() => heldGenerations(lake)).toEqual(new Set());
    await installSlices([join(dir, "more-2")], { lake, threads: 1 });
    expect(await readdir(join(lake, "generations"))).toEqual(["4"]);
  },
);

test.skipIf(!mounts)("a lake on a full disk is read, with a lease", { tags: "slow" }, async () => {
  const place = join(dir, "small-disk");
  await mkdir(place);
  const script =
    'mount -t tmpfs -o size=64m none "$1" && cp -r "$2" "$1/lake" && cat /dev/zero > "$1/filler" 2>/dev/null; ' +
    '! echo more > "$1/more" 2>/dev/null || exit 9; shift 2; exec "$@"';
  const before = ["unshare", "-m", "sh", "-c", script, "sh", place, pristine];
  const report = await ask(join(place, "lake"), { before, options: { account: "memory" } });
  expect(report).toMatchObject({ found: 2, n: 60, notices: [] });
});

test("a lake of release 0.1.0 opens, and is upgraded at the next install", { tags: "slow" }, async () => {
  const lake = await copy("old");
  const lease = join(lake, "generations", "1", "readers.lock");
  await rm(lease);
  await rm(join(lake, "locks"), { recursive: true });
  await mkdir(join(lake, "readers"));
  await writeFile(join(lake, "readers", "1-4711-0"), "another-host");
  for (const name of ["install.lock", "pull.lock"]) await writeFile(join(lake, name), "a DuckDB database");
  const notices: string[] = [];
  const reader = await Lake.open(lake, { readOnly: true, onNotice: (text) => notices.push(text) });
  expect(notices).toEqual([expect.stringContaining("an install may remove what is read meanwhile")]);
  expect(reader.corpus.recordCount).toBe(60);
  await installSlices([join(dir, "more-0")], { lake, threads: 1 });
  // Nobody can know whether what had no lock file until now is read.
  expect((await readdir(join(lake, "generations"))).sort()).toEqual(["1", "2"]);
  expect(await readdir(lake)).not.toContain("readers");
  expect(await readdir(lake)).not.toContain("install.lock");
  await reader.close();
  await installSlices([join(dir, "more-1")], { lake, threads: 1 });
  expect(await readdir(join(lake, "generations"))).toEqual(["3"]);
  const written = await copy("old-written");
  await rm(join(written, "generations", "1", "readers.lock"));
  const open = await Lake.open(written);
  expect(await heldGenerations(written)).toEqual(new Set([1]));
  await open.close();
  expect(await heldGenerations(written)).toEqual(new Set());
});

async function protect(path: string, folders: number, files: number): Promise<void> {
  if (folders & 0o200) await chmod(path, folders);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await protect(child, folders, files);
    else await chmod(child, files);
  }
  await chmod(path, folders);
}
