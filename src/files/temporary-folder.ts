import { randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { LakeError } from "../contract/errors.js";
import { makeFolder } from "./make-folder.js";
import { createLockFile, exists, givesLocks, type ProcessLock, tryLock } from "./process-lock.js";

const PREFIX = ".tmp-";
const LOCK = ".lock";
const TRIES = 8;
/** Codes of the system for what a user may not remove, or what is in use. */
const KEPT_CODES: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EBUSY", "ENOTEMPTY"]);
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
 * @param mode who may do what with it, less what the process's mask takes
 */
export async function makeTemporaryFolder(
  parent: string,
  prefix = PREFIX,
  mode = 0o777,
): Promise<TemporaryFolder> {
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
      await mkdir(path, { mode });
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

/**
 * Removes the folders whose process has ended in a directory that users share. It opens only what is this user's, and leaves what has
 * lost its lock, which tells nothing of its process, or cannot be removed.
 */
export async function removeOwnAbandonedFolders(parent: string, prefix: string): Promise<void> {
  await eachAbandoned(
    parent,
    prefix,
    async (paths) => {
      for (const path of paths)
        await rm(path, { recursive: true, force: true }).catch((error: NodeJS.ErrnoException) => {
          if (!KEPT_CODES.has(error.code ?? "")) throw error;
        });
    },
    isLockedByUs,
  );
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
  counts: (paths: readonly string[]) => Promise<boolean> = async () => true,
): Promise<void> {
  const names = await readdir(parent).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const idOf = (name: string) =>
    name.startsWith(prefix) ? ID.exec(name.slice(prefix.length))?.[1] : undefined;
  for (const id of new Set(names.flatMap((name) => idOf(name) ?? []))) {
    const paths = names.flatMap((name) => (idOf(name) === id ? join(parent, name) : [])).sort();
    if (!(await counts(paths))) continue;
    const lock = await lockAbandoned(join(parent, `${prefix}${id}${LOCK}`));
    if (lock === "held") continue;
    try {
      const there = await Promise.all(paths.map(exists));
      if (there.some(Boolean)) await work(paths.filter((_, i) => there[i]));
    } finally {
      await lock?.release();
    }
  }
}

/** Whether all of some paths, a lock file among them, are this user's: what others made in a shared directory is not opened. */
async function isLockedByUs(paths: readonly string[]): Promise<boolean> {
  if (!paths.some((path) => path.endsWith(LOCK))) return false;
  // Where the system has no such ids, each user has a temporary directory.
  const uid = process.getuid?.();
  if (uid === undefined) return true;
  const owners = await Promise.all(paths.map(ownerOf));
  return owners.every((owner) => owner === uid);
}

/** Id of the user whose a file, folder or link is; undefined if it is gone. */
async function ownerOf(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).uid;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
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
