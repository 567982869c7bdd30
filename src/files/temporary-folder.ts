import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { LakeError } from "../contract/errors.js";
import { makeFolder } from "./make-folder.js";
import { createLockFile, exists, givesLocks, type ProcessLock, tryLock } from "./process-lock.js";

const PREFIX = ".tmp-";
const LOCK = ".lock";
const TRIES = 8;
/** Id after the prefix: random digits, or process and counter as in release 0.1.0. */
const ID = /^([0-9a-f]{16}|\d+-\d+)(\.lock(\.[0-9a-f]{16})?)?$/;

/** A folder for work that is published by a rename. While it is locked, it does not count as abandoned. */
export interface TemporaryFolder {
  readonly path: string;
  /** The lock file beside it; other code must not open it. */
  readonly lock: string;
  /** Removes the folder (unless it was renamed) and its lock; further calls do nothing. */
  remove(): Promise<void>;
}

/**
 * Creates a folder `<prefix><random>` in `parent`, which is created if absent, with a lock file beside it. The lock is held until
 * the folder is removed or the process ends.
 */
export async function makeTemporaryFolder(parent: string, prefix = PREFIX): Promise<TemporaryFolder> {
  await makeFolder(parent);
  for (let tries = 1; ; tries++) {
    const path = join(parent, `${prefix}${randomBytes(8).toString("hex")}`);
    const lock = await lockNew(`${path}${LOCK}`, tries % TRIES === 0);
    if (lock === undefined) continue;
    const remove = async () => {
      await rm(path, { recursive: true, force: true });
      await rm(`${path}${LOCK}`, { force: true });
      await lock.release();
    };
    try {
      await mkdir(path);
    } catch (error) {
      await remove();
      throw error;
    }
    return { path, lock: `${path}${LOCK}`, remove };
  }
}

/** Paths of folders in `parent`, and of their lock files, whose process has ended. Changes nothing. */
export async function findAbandonedFolders(parent: string, prefix = PREFIX): Promise<string[]> {
  const found: string[] = [];
  await eachAbandoned(parent, prefix, async (paths) => {
    found.push(...paths);
  });
  return found;
}

/** Removes the folders in `parent` whose process has ended; returns their number. */
export async function removeAbandonedFolders(parent: string, prefix = PREFIX): Promise<number> {
  let removed = 0;
  await eachAbandoned(parent, prefix, async (paths) => {
    for (const path of paths) await rm(path, { recursive: true, force: true });
    removed++;
  });
  return removed;
}

/** Calls `work` unless the process that made a temporary folder is alive. The folder's lock is held meanwhile. */
export async function withAbandoned(folder: string, work: () => Promise<void>): Promise<void> {
  const lock = await lockAbandoned(`${folder}${LOCK}`);
  if (lock === "held") return;
  try {
    await work();
  } finally {
    await lock?.release();
  }
}

/** Calls `work` with the paths of each abandoned folder while holding its lock. */
async function eachAbandoned(
  parent: string,
  prefix: string,
  work: (paths: readonly string[]) => Promise<void>,
): Promise<void> {
  const names = await readdir(parent).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const idOf = (name: string) =>
    name.startsWith(prefix) ? ID.exec(name.slice(prefix.length))?.[1] : undefined;
  for (const id of new Set(names.flatMap((name) => idOf(name) ?? []))) {
    const folder = `${prefix}${id}`;
    const lock = await lockAbandoned(join(parent, `${folder}${LOCK}`));
    if (lock === "held") continue;
    try {
      const paths = names.flatMap((name) => (idOf(name) === id ? join(parent, name) : [])).sort();
      const there = await Promise.all(paths.map(exists));
      if (there.some(Boolean)) await work(paths.filter((_, i) => there[i]));
    } finally {
      await lock?.release();
    }
  }
}

/** Locks a new folder; undefined if another process removed the file as abandoned before it was locked. */
async function lockNew(path: string, doubtful: boolean): Promise<ProcessLock | undefined> {
  await createLockFile(path);
  const lock = await tryLock(path, "exclusive").catch((error: unknown) => {
    if (error instanceof LakeError && error.code === "lock_missing") return undefined;
    if (error instanceof LakeError && error.code === "locks_unsupported") return NO_LOCK;
    throw error;
  });
  if (lock !== undefined && (await exists(path))) return lock;
  await lock?.release();
  if (doubtful && !(await givesLocks(path))) return NO_LOCK;
  // Who looked for abandoned folders and held it may not know the file, which had another name when the folder was listed.
  await rm(path, { force: true });
  return undefined;
}

/** Without file locks no process can know whether a folder is abandoned, so all leave it alone. */
const NO_LOCK: ProcessLock = { release: async () => {} };

/** Locks a folder whose process has ended; undefined if it has no lock file, as before release 0.2.0. */
async function lockAbandoned(path: string): Promise<ProcessLock | "held" | undefined> {
  try {
    return (await tryLock(path, "exclusive")) ?? "held";
  } catch (error) {
    if (!(error instanceof LakeError)) throw error;
    return error.code === "lock_missing" ? undefined : "held";
  }
}
