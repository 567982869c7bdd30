import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { LakeError } from "../contract/errors.js";
import {
  createLockFile,
  exists,
  givesLocks,
  locksUnsupported,
  type ProcessLock,
  tryLock,
} from "../files/process-lock.js";
import { TESTING_DEFAULTS } from "./defaults.js";

/**
 * Runs `build` in one process or thread at a time; others wait until it is done, or the process that ran it has ended. A file system
 * without locks lets all of them build.
 * @param path of the lock; the file is removed afterwards
 * @param isBuilt whether there is nothing left to build
 * @throws whatever `build` throws
 */
export async function asSoleBuilder(
  path: string,
  isBuilt: () => Promise<boolean>,
  build: () => Promise<void>,
): Promise<void> {
  const lock = await waitForLock(path, isBuilt);
  try {
    if (!(await isBuilt())) await build();
  } finally {
    if (lock !== undefined) await rm(path, { force: true }); // while it is held: what comes next has a file of its own
    await lock?.release();
  }
}

/** Takes the lock; undefined if it is not needed, because what it is for is built, or cannot be had. */
async function waitForLock(path: string, isBuilt: () => Promise<boolean>): Promise<ProcessLock | undefined> {
  let isSure = false;
  while (!(await isBuilt())) {
    try {
      await createLockFile(path);
      const lock = await tryLock(path, "exclusive");
      if (lock !== undefined && (await exists(path))) return lock;
      await lock?.release();
      // Some file systems report every lock as held.
      if (lock === undefined && !isSure && !(await givesLocks(path))) throw locksUnsupported(path);
      isSure = true;
    } catch (error) {
      if (!(error instanceof LakeError)) throw error;
      if (error.code === "locks_unsupported") return undefined;
      if (error.code !== "lock_missing") throw error;
    }
    await sleep(TESTING_DEFAULTS.lockPollMs);
  }
  return undefined;
}
