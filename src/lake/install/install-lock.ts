import { mkdir } from "node:fs/promises";
import { LakeError } from "../../contract/errors.js";
import {
  createLockFile,
  givesLocks,
  locksUnsupported,
  type ProcessLock,
  tryLock,
} from "../../files/process-lock.js";
import { lakePaths } from "../lake-paths.js";

/** A lock that is held. */
export type LakeLock = ProcessLock;

/**
 * Takes the lake's install lock.
 * @throws LakeError `lake_busy` when another install has it, `locks_unsupported`
 */
export async function takeInstallLock(lake: string): Promise<LakeLock> {
  return takeLock(lakePaths(lake).installLock, lake, "install");
}

/**
 * Takes the lake's pull lock: files that are coming in have one writer.
 * @throws LakeError `lake_busy` when another pull has it, `locks_unsupported`
 */
export async function takePullLock(lake: string): Promise<LakeLock> {
  return takeLock(lakePaths(lake).pullLock, lake, "pull");
}

async function takeLock(path: string, lake: string, what: string): Promise<LakeLock> {
  await mkdir(lakePaths(lake).locks, { recursive: true });
  await createLockFile(path);
  const lock = await tryLock(path, "exclusive");
  if (lock !== undefined) return lock;
  // Some file systems say of every lock that another holds it.
  if (!(await givesLocks(path))) throw locksUnsupported(path);
  throw new LakeError("lake_busy", `Another ${what} into ${lake} is under way`, {
    value: lake,
    remedy: "wait for it to end, then run this one again",
  });
}
