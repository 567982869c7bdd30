import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { LakeError } from "../contract/errors.js";
import { createLockFile, exists, givesLocks, type ProcessLock, tryLock } from "./process-lock.js";

const PREFIX = ".tmp-";
const LOCK = ".lock";
const TRIES = 8;
/** What follows the prefix: random digits, or a process and a number as release 0.1.0 named them. */
const ID = /^([0-9a-f]{16}|\d+-\d+)(\.lock(\.[0-9a-f]{16})?)?$/;

/** A folder for work that becomes visible by a rename. While it is locked, nobody takes it for one that was left behind. */
export interface TemporaryFolder {
  readonly path: string;
  /** The lock file beside it, which nothing else may open. */
  readonly lock: string;
  /** Removes the folder, where it has not become another by a rename, and its lock; further calls do nothing. */
  remove(): Promise<void>;
}

/**
 * Makes a folder `<prefix><random>` in `parent`, which is made when absent, with a lock file beside it that is held until the
 * folder is removed or the process ends.
 */
export async function makeTemporaryFolder(parent: string, prefix = PREFIX): Promise<TemporaryFolder> {
  await mkdir(parent, { recursive: true });
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

/** Paths of the folders in `parent`, and of their lock files, that a process left which is gone. Changes nothing. */
export async function findAbandonedFolders(parent: string, prefix = PREFIX): Promise<string[]> {
  const found: string[] = [];
  await eachAbandoned(parent, prefix, async (paths) => {
    found.push(...paths);
  });
  return found;
}

/** Removes the folders in `parent` that a process left which is gone; returns how many. */
export async function removeAbandonedFolders(parent: string, prefix = PREFIX): Promise<number> {
  let removed = 0;
  await eachAbandoned(parent, prefix, async (paths) => {
    for (const path of paths) await rm(path, { recursive: true, force: true });
    removed++;
  });
  return removed;
}

/** Works on what each abandoned folder consists of, holding its lock meanwhile. */
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

/** The lock of a new folder; undefined where another took the file for one left behind before it was locked. */
async function lockNew(path: string, doubtful: boolean): Promise<ProcessLock | undefined> {
  await createLockFile(path);
  const lock = await tryLock(path, "exclusive").catch((error: unknown) => {
    if (error instanceof LakeError && error.code === "lock_missing") return undefined;
    if (error instanceof LakeError && error.code === "locks_unsupported") return NO_LOCK;
    throw error;
  });
  if (lock !== undefined && (await exists(path))) return lock;
  await lock?.release();
  return doubtful && !(await givesLocks(path)) ? NO_LOCK : undefined;
}

/** On a file system without locks nobody finds out that a folder is not in use any more: all leave it alone. */
const NO_LOCK: ProcessLock = { release: async () => {} };

/** The lock of a folder that its process no longer holds; undefined where it has none, as before release 0.2.0. */
async function lockAbandoned(path: string): Promise<ProcessLock | "held" | undefined> {
  try {
    return (await tryLock(path, "exclusive")) ?? "held";
  } catch (error) {
    if (!(error instanceof LakeError)) throw error;
    return error.code === "lock_missing" ? undefined : "held";
  }
}
