import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLockFile, givesLocks, type LockMode, tryLock } from "../../src/files/process-lock.js";
import {
  findAbandonedFolders,
  makeTemporaryFolder,
  removeAbandonedFolders,
} from "../../src/files/temporary-folder.js";
import { rounds } from "../support/campaign.js";

const CHILD = fileURLToPath(new URL("lock-child.js", import.meta.url));
const MODULE = fileURLToPath(new URL("../../build/files/process-lock.js", import.meta.url));
const namespaces = spawnSync("unshare", ["--pid", "--fork", "true"]).status === 0;

let dir: string;
let path: string;
const children: ChildProcess[] = [];
const workers: Worker[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-lock-"));
  path = join(dir, "a lock?#%41");
  await createLockFile(path);
});
afterEach(async () => {
  for (const child of children.splice(0)) await killed(child);
  for (const worker of workers.splice(0)) await worker.terminate();
  await rm(dir, { recursive: true, force: true });
});

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** Takes a lock in a process of its own, whose answer it gives. */
async function inProcess(mode: LockMode, file = path, options: { uid?: number; before?: string[] } = {}) {
  const [command = process.execPath, ...rest] = [...(options.before ?? []), process.execPath];
  const child = spawn(command, [...rest, CHILD, MODULE, file, mode], {
    stdio: ["ignore", "pipe", "inherit"],
    ...(options.uid === undefined ? {} : { uid: options.uid }),
  });
  children.push(child);
  const said = await new Promise<string>((resolve) =>
    child.stdout!.once("data", (data) => resolve(String(data).trim())),
  );
  return { child, said };
}

/** Takes a lock in a worker thread. */
async function inThread(mode: LockMode) {
  const worker = new Worker(CHILD, { workerData: [MODULE, path, mode] });
  workers.push(worker);
  const said = await new Promise<string>((resolve) => worker.once("message", resolve));
  return { worker, said };
}

describe("a lock", () => {
  test("is free, then held by one alone or by many who share it, in one process", async () => {
    const alone = await tryLock(path, "exclusive");
    expect(await tryLock(path, "exclusive")).toBeUndefined();
    expect(await tryLock(path, "shared")).toBeUndefined();
    await alone!.release();
    await alone!.release();
    const [a, b] = [await tryLock(path, "shared"), await tryLock(path, "shared")];
    expect(await tryLock(path, "exclusive")).toBeUndefined();
    await a!.release();
    expect(await tryLock(path, "exclusive")).toBeUndefined();
    expect(await tryLock(path, "shared").then((lock) => lock?.release())).toBeUndefined();
    await b!.release();
    const again = await tryLock(path, "exclusive");
    expect(again).toBeDefined();
    await again!.release();
    expect(await readdir(dir)).toEqual(["a lock?#%41"]);
    expect((await stat(path)).size).toBe(512);
  });

  test.each([
    ["exclusive", "shared"],
    ["shared", "exclusive"],
  ] as const)("%s in a process keeps %s from others, until it is killed", async (theirs, ours) => {
    const { child, said } = await inProcess(theirs);
    expect(said).toBe("held");
    const began = performance.now();
    expect(await tryLock(path, ours)).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(5000);
    expect((await inProcess(ours)).said).toBe("refused");
    await killed(child);
    const lock = await tryLock(path, ours);
    expect(lock).toBeDefined();
    await lock!.release();
  });

  test("is shared by any number of processes and threads", async () => {
    const mine = await tryLock(path, "shared");
    const others = await Promise.all([inProcess("shared"), inThread("shared"), inThread("shared")]);
    expect(others.map(({ said }) => said)).toEqual(["held", "held", "held"]);
    await mine!.release();
    expect(await tryLock(path, "exclusive")).toBeUndefined();
    // Letting go of one lock in this process must not drop those of its threads for other processes.
    expect((await inProcess("exclusive")).said).toBe("refused");
  });

  test("of a thread keeps others in the same process out", async () => {
    expect((await inThread("exclusive")).said).toBe("held");
    expect(await tryLock(path, "shared")).toBeUndefined();
    expect((await inThread("shared")).said).toBe("refused");
  });

  test.skipIf(!namespaces)("holds between containers: processes of two PID namespaces", async () => {
    const before = ["unshare", "--pid", "--fork", "--kill-child"];
    expect((await inProcess("shared", path, { before })).said).toBe("held");
    expect((await inProcess("shared", path, { before })).said).toBe("held");
    expect((await inProcess("exclusive", path, { before })).said).toBe("refused");
    expect(await tryLock(path, "exclusive")).toBeUndefined();
  });

  test("needs the right to read only, where it is shared", async () => {
    const uid = process.getuid?.() === 0 ? 65534 : undefined;
    await chmod(path, 0o444);
    await chmod(dir, 0o555);
    const { said } = await inProcess("shared", path, uid === undefined ? {} : { uid });
    expect(said).toBe("held");
    await chmod(dir, 0o755);
    await chmod(path, 0o644);
    expect(await tryLock(path, "exclusive")).toBeUndefined();
  });

  test("says where there is no file, or another than a lock", async () => {
    await expect(tryLock(join(dir, "none"), "shared")).rejects.toMatchObject({ code: "lock_missing" });
    await expect(tryLock(join(dir, "no/folder"), "exclusive")).rejects.toMatchObject({
      code: "lock_missing",
    });
    expect(await readdir(dir)).toHaveLength(1);
    expect(await givesLocks(path)).toBe(true);
    expect(await readdir(dir)).toHaveLength(1);
  });

  test("of many who ask at once goes to one", async () => {
    const file = join(dir, "new");
    const locks = await Promise.all(
      Array.from({ length: 20 }, async () => {
        await createLockFile(file);
        return tryLock(file, "exclusive");
      }),
    );
    expect(locks.filter((lock) => lock !== undefined)).toHaveLength(1);
    for (const lock of locks) await lock?.release();
    expect((await readdir(dir)).sort()).toEqual(["a lock?#%41", "new"]);
  });
});

describe("a temporary folder", () => {
  test("is nobody else's while it is held, and goes once its process is gone", async () => {
    const parent = join(dir, "made");
    const folder = await makeTemporaryFolder(parent);
    await mkdir(join(parent, ".tmp-4711-0"));
    await mkdir(join(parent, "theirs"));
    expect(await findAbandonedFolders(parent)).toEqual([join(parent, ".tmp-4711-0")]);
    expect(await removeAbandonedFolders(parent)).toBe(1);
    expect((await readdir(parent)).sort()).toEqual([
      folder.path.slice(parent.length + 1),
      `${folder.path.slice(parent.length + 1)}.lock`,
      "theirs",
    ]);
    await folder.remove();
    await folder.remove();
    expect(await readdir(parent)).toEqual(["theirs"]);
  });

  test("of a process that was killed goes with its lock", async () => {
    const left = join(dir, ".tmp-0123456789abcdef");
    await mkdir(left);
    await createLockFile(`${left}.lock`);
    const { child } = await inProcess("exclusive", `${left}.lock`);
    expect(await removeAbandonedFolders(dir)).toBe(0);
    await killed(child);
    expect(await findAbandonedFolders(dir)).toEqual([left, `${left}.lock`]);
    expect(await removeAbandonedFolders(dir)).toBe(1);
    expect(await readdir(dir)).toEqual(["a lock?#%41"]);
  });

  test("survives many that look for leftovers while it is made", async () => {
    const parent = join(dir, "busy");
    await mkdir(parent);
    let looking = true;
    const looks = Array.from({ length: 2 }, async () => {
      while (looking) await removeAbandonedFolders(parent);
    });
    const folders = [];
    try {
      for (let i = 0; i < rounds(3); i++) folders.push(await makeTemporaryFolder(parent));
    } finally {
      looking = false;
    }
    await Promise.all(looks);
    for (const folder of folders) expect((await stat(folder.path)).isDirectory()).toBe(true);
    for (const folder of folders) await folder.remove();
    expect(await readdir(parent)).toEqual([]);
  });
});
