import { setTimeout as sleep } from "node:timers/promises";
import { LakeError } from "../contract/errors.js";
import {
  createLockFile,
  exists,
  givesLocks,
  locksUnsupported,
  type ProcessLock,
  tryLock,
} from "./process-lock.js";

/** Options of {@link waitForLock}. */
export interface LockWait {
  /** Time between two looks at whether the lock is free, ms. */
  readonly pollMs: number;
  /** Whether what the lock is for is still to be done; asked before each look. Default: it is. */
  readonly isNeeded?: () => Promise<boolean>;
}

/**
 * Makes a lock's file and waits until this holder has it alone, though others remove the file while they hold it.
 * @returns undefined if the lock is no longer needed, or the file system has none
 * @throws what `isNeeded` throws, and errors of the file system
 */
export async function waitForLock(
  path: string,
  { pollMs, isNeeded = async () => true }: LockWait,
): Promise<ProcessLock | undefined> {
  let isSure = false;
  while (await isNeeded()) {
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
    await sleep(pollMs);
  }
  return undefined;
}
