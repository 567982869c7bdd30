import { resolve } from "node:path";
import { LakeError } from "../../contract/errors.js";
import { Database } from "../../duckdb/database.js";
import { lakePaths } from "../lake-paths.js";

/** Locks that this process holds: the system's file locks tell processes apart, not calls. */
const held = new Set<string>();

/** A lock that is held. */
export interface LakeLock {
  release(): Promise<void>;
}

/**
 * Takes the lake's install lock.
 * @throws LakeError `lake_busy` when another install has it
 */
export async function takeInstallLock(lake: string): Promise<LakeLock> {
  return takeLock(lakePaths(lake).installLock, lake, "install");
}

/**
 * Takes the lake's pull lock: files that are coming in have one writer.
 * @throws LakeError `lake_busy` when another pull has it
 */
export async function takePullLock(lake: string): Promise<LakeLock> {
  return takeLock(lakePaths(lake).pullLock, lake, "pull");
}

/**
 * Takes a lock that the system itself lets go of when the process ends, however it ends: the lock on a database file
 * that is open for writing.
 */
async function takeLock(path: string, lake: string, what: string): Promise<LakeLock> {
  const key = resolve(path);
  if (held.has(key)) throw busy(lake, what);
  held.add(key);
  try {
    const lock = await Database.open(path, { threads: 1 });
    return {
      release: async () => {
        await lock.close();
        held.delete(key);
      },
    };
  } catch (error) {
    held.delete(key);
    throw /lock/i.test((error as Error).message) ? busy(lake, what, error) : error;
  }
}

function busy(lake: string, what: string, cause?: unknown): LakeError {
  return new LakeError("lake_busy", `Another ${what} into ${lake} is under way`, {
    value: lake,
    remedy: "wait for it to end, then run this one again",
    cause,
  });
}
