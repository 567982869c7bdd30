import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { LakeError } from "../../contract/errors.js";
import { createLockFile, exists, type ProcessLock, tryLock } from "../../files/process-lock.js";
import { GENERATION_FILES } from "../../store/generation/generation-manifest.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import { lakePaths } from "../lake-paths.js";

/** A lease on a generation: installs do not remove it. */
export type Lease = ProcessLock;

const NO_LEASE: Lease = { release: async () => {} };

/** Options for taking a lease. */
export interface LeaseOptions {
  /** Writes nothing, not even the lock file of a generation of release 0.1.0. */
  readonly readOnly?: boolean | undefined;
  /** Called with a message if there is no lease to take: an install may then remove the generation. */
  readonly onNotice?: ((message: string) => void) | undefined;
}

/**
 * Takes a lease on a generation: a shared lock on a file published with it, which any number of processes on
 * the machine can hold, across containers. It needs no write permission and no space. A generation of release
 * 0.1.0 has no such file; it is created if the lake is writable.
 * @throws LakeError `lake_busy` if an install holds the generation for longer than a test for readers takes
 */
export async function takeLease(
  lake: string,
  generation: number,
  { readOnly = false, onNotice = () => {} }: LeaseOptions = {},
): Promise<Lease> {
  const path = lakePaths(lake).lease(generation);
  const { leaseTries, leasePauseMs } = LAKE_DEFAULTS;
  if (!readOnly && !(await exists(path))) await createLockFile(path).catch(unlessReadOnly);
  for (let tries = 0; tries < leaseTries; tries++) {
    if (tries > 0) await wait(Math.min(leasePauseMs, 2 ** tries));
    try {
      const lease = await tryLock(path, "shared");
      if (lease !== undefined) return lease;
    } catch (error) {
      if (!(error instanceof LakeError)) throw error;
      onNotice(`${error.message}: an install may remove what is read meanwhile`);
      return NO_LEASE;
    }
  }
  throw new LakeError("lake_busy", `Generation ${generation} of ${lake} is being removed`, {
    value: generation,
    remedy: "open the lake again",
  });
}

/**
 * Returns the generations with readers. One of release 0.1.0 without a lock file counts as read, since leases
 * cannot be seen.
 */
export async function heldGenerations(lake: string): Promise<Set<number>> {
  const held = new Set<number>();
  for (const generation of await generationNumbers(lake)) {
    try {
      const lock = await tryLock(lakePaths(lake).lease(generation), "exclusive");
      if (lock === undefined) held.add(generation);
      await lock?.release();
    } catch (error) {
      if (!(error instanceof LakeError)) throw error;
      if (error.code !== "lock_missing" || (await isWhole(lake, generation))) held.add(generation);
    }
  }
  return held;
}

/** Whether a generation has what its readers open: one that was partly removed has not. */
async function isWhole(lake: string, generation: number): Promise<boolean> {
  const dir = lakePaths(lake).generation(generation);
  const files = [GENERATION_FILES.manifest, GENERATION_FILES.database].map((name) => exists(join(dir, name)));
  return (await Promise.all(files)).every(Boolean);
}

/**
 * Creates lock files for generations of release 0.1.0, and removes that release's locks and leases. Requires
 * the install lock, after its work: a generation without a lock file is kept until the next install.
 */
export async function upgradeLocks(lake: string): Promise<void> {
  for (const generation of await generationNumbers(lake))
    await createLockFile(lakePaths(lake).lease(generation));
  for (const name of ["readers", "install.lock", "pull.lock"])
    await rm(join(lake, name), { recursive: true, force: true });
}

/** Returns the numbers of the generations in a lake's folder, ascending. */
export async function generationNumbers(lake: string): Promise<number[]> {
  const names = await readdir(lakePaths(lake).generations).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names
    .filter((name) => /^[1-9]\d*$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/**
 * Ignores errors of a lake of another owner, on a read-only or full disk, or without that generation: it is
 * read without a lease.
 */
function unlessReadOnly(error: NodeJS.ErrnoException): void {
  if (!["EROFS", "EACCES", "EPERM", "ENOSPC", "EDQUOT", "ENOENT"].includes(error.code ?? "")) throw error;
}
