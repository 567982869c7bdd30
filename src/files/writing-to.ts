import { statfsSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseError, DiskError, MirrorlakeError } from "../contract/errors.js";
import { formatBytes } from "../contract/quantity.js";
import { nearestFolder } from "./nearest-folder.js";

const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);
/** What engines and worker threads say of a full disk: their errors have no code of the system. */
const FULL_WORDS = /\b(?:no space left on device|disk quota exceeded|database or disk is full)\b/i;
const REFUSED: Readonly<Record<string, string>> = {
  EROFS: "it is on a read-only file system",
  EACCES: "this user may not",
  EPERM: "this user may not",
};

/**
 * Runs work that writes under a folder or a file, and names what the disk refuses.
 * @param path what is written, or its folder
 * @param wanted estimates the bytes that the work takes in all, if something can be said
 * @throws DiskError `disk_full` with the bytes that are wanted and free once the work has tidied up, `not_writable`; what the work
 * throws
 */
export async function writingTo<T>(
  path: string,
  work: () => Promise<T>,
  wanted: () => Promise<number | undefined> = async () => undefined,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDiskFull(error)) throw refusal(error, path) ?? error;
    const estimate = await wanted().catch(() => undefined);
    throw diskFull(path, freeBytes(await nearestFolder(path)), estimate, error);
  }
}

/** Bytes that this user may still write to the disk of an existing path. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** The error of a disk without space for what is to be written. */
export function diskFull(path: string, free: number, wanted: number | undefined, cause: unknown): DiskError {
  const more = wanted !== undefined && wanted > free ? `about ${formatBytes(wanted)}` : "more";
  return new DiskError(
    "disk_full",
    `The disk of ${path} is full: ${formatBytes(free)} is free, ${more} is wanted`,
    {
      value: { path, wantedBytes: wanted, freeBytes: free },
      remedy:
        "free some space, then do the same again: nothing is half written, and what was fetched is kept",
      cause,
    },
  );
}

/** Whether an error, or one behind it, says that a disk is full. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DiskError) return error.code === "disk_full"; // of a part of the work, which had not tidied up
  if (FULL.has((error as NodeJS.ErrnoException).code ?? "")) return true;
  // Messages of the library may quote data; those of engines and of errors from worker threads are their own.
  const speaks = !(error instanceof MirrorlakeError) || error instanceof DatabaseError;
  return (speaks && FULL_WORDS.test(error.message)) || isDiskFull(error.cause);
}

function refusal(error: unknown, under: string): DiskError | undefined {
  const { code, path } = error as NodeJS.ErrnoException;
  const why = code === undefined || error instanceof MirrorlakeError ? undefined : REFUSED[code];
  if (why === undefined || path === undefined || !resolve(path).startsWith(resolve(under))) return undefined;
  return new DiskError("not_writable", `${path} cannot be changed: ${why}`, {
    value: path,
    remedy: `make ${under} writable, or do it as its owner`,
    cause: error,
  });
}
