import { LakeError } from "../../contract/errors.js";
import { makeFolder } from "../../files/make-folder.js";
import {
  createLockFile,
  givesLocks,
  locksUnsupported,
  type ProcessLock,
  tryLock,
} from "../../files/process-lock.js";
import { lakePaths } from "../lake-paths.js";

/** A held lock. */
export type LakeLock = ProcessLock;

/**
 * Takes the lake's install lock.
 * @throws LakeError `lake_busy` if another writer holds it, `locks_unsupported`
 */
export async function takeInstallLock(lake: string): Promise<LakeLock> {
  return takeLock(
    lakePaths(lake).installLock,
    lake,
    "An install, a removal, a compaction or an import of a catalogue of",
  );
}

/**
 * Takes the lake's pull lock: incoming files have one writer.
 * @throws LakeError `lake_busy` if another pull holds it, `locks_unsupported`
 */
export async function takePullLock(lake: string): Promise<LakeLock> {
  return takeLock(lakePaths(lake).pullLock, lake, "Another pull into");
}

/** Takes the lake's pull lock; undefined while a pull is under way. */
export async function tryPullLock(lake: string): Promise<LakeLock | undefined> {
  return tryNow(lakePaths(lake).pullLock, lake);
}

async function takeLock(path: string, lake: string, work: string): Promise<LakeLock> {
  const lock = await tryNow(path, lake);
  if (lock !== undefined) return lock;
  // Some file systems report every lock as held.
  if (!(await givesLocks(path))) throw locksUnsupported(path);
  throw new LakeError("lake_busy", `${work} ${lake} is under way`, {
    value: lake,
    remedy: "wait for it to end, then run this one again",
  });
}

async function tryNow(path: string, lake: string): Promise<LakeLock | undefined> {
  await makeFolder(lakePaths(lake).locks);
  await createLockFile(path);
  return tryLock(path, "exclusive");
}
