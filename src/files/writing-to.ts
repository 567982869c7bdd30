import { statfsSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseError, DiskError, MirrorlakeError, UsageError } from "../contract/errors.js";
import { formatBytes } from "../contract/quantity.js";
import { nearestFolder } from "./nearest-folder.js";

/** With the code of a part of the work, which had not tidied up. */
const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "disk_full"]);
/** What engines and worker threads say of a full disk: their errors have no code of the system. */
const FULL_WORDS = /\b(?:no space left on device|disk quota exceeded|database or disk is full)\b/i;
const TOO_LARGE: ReadonlySet<string> = new Set(["EFBIG"]);
const TOO_LARGE_WORDS = /\bfile too large\b/i;
const REFUSED: Readonly<Record<string, string>> = {
  EROFS: "it is on a read-only file system",
  EACCES: "this user may not",
  EPERM: "this user may not",
};

/**
 * Runs work that writes under a folder or a file, and names what the disk refuses.
 * @param path what is written, or its folder
 * @param wanted estimates the bytes that the work takes in all, if something can be said
 * @param kept what the next try goes on from, if anything: `, and … is kept`
 * @throws DiskError `disk_full` with the bytes that are wanted and free once the work has tidied up, `file_too_large`, `not_writable`; what
 * the work throws
 */
export async function writingTo<T>(
  path: string,
  work: () => Promise<T>,
  wanted: () => Promise<number | undefined> = async () => undefined,
  kept = "",
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDiskFull(error)) throw tooLarge(error, path) ?? refusal(error, path) ?? error;
    const estimate = await wanted().catch(() => undefined);
    throw diskFull(path, freeBytes(await nearestFolder(path)), estimate, error, kept);
  }
}

/** Bytes that this user may still write to the disk of an existing path. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** The error of a disk without space for what is to be written. */
export function diskFull(
  path: string,
  free: number,
  wanted: number | undefined,
  cause: unknown,
  kept = "",
): DiskError {
  const more = wanted !== undefined && wanted > free ? `about ${formatBytes(wanted)}` : "more";
  return new DiskError(
    "disk_full",
    `The disk of ${path} is full: ${formatBytes(free)} is free, ${more} is wanted`,
    {
      value: { path, wantedBytes: wanted, freeBytes: free },
      remedy: `free some space, then do the same again: nothing is half written${kept}`,
      cause,
    },
  );
}

/** Whether an error, or one behind it, says that a disk is full. */
export function isDiskFull(error: unknown): boolean {
  return saysOneOf(error, FULL, FULL_WORDS);
}

/** Whether an error, or one behind it, has one of these codes, or is of an engine or a thread and has these words. */
function saysOneOf(error: unknown, codes: ReadonlySet<string>, words: RegExp): boolean {
  if (!(error instanceof Error)) return false;
  if (codes.has((error as NodeJS.ErrnoException).code ?? "")) return true;
  // Messages of the library may quote data; those of engines and of errors from worker threads are their own.
  const speaks = !(error instanceof MirrorlakeError) || error instanceof DatabaseError;
  return (speaks && words.test(error.message)) || saysOneOf(error.cause, codes, words);
}

function tooLarge(error: unknown, path: string): DiskError | undefined {
  if (error instanceof DiskError || !saysOneOf(error, TOO_LARGE, TOO_LARGE_WORDS)) return undefined;
  return new DiskError("file_too_large", `A file of ${path} would be larger than this process may write`, {
    value: path,
    remedy:
      "raise the limit of this process (ulimit -f), or use a file system that takes larger files; nothing is half written",
    cause: error,
  });
}

function refusal(error: unknown, under: string): DiskError | undefined {
  // A folder in what is there already is refused as a file in it is; a place for something new is the caller's choice.
  const inside = error instanceof UsageError && error.code === "unwritable_folder";
  const { code, path } = (inside ? error.cause : error) as NodeJS.ErrnoException;
  const why = code === undefined || (!inside && error instanceof MirrorlakeError) ? undefined : REFUSED[code];
  if (why === undefined || path === undefined || !resolve(path).startsWith(resolve(under))) return undefined;
  if (resolve(path) === resolve(under) && inside) return undefined;
  return new DiskError("not_writable", `${path} cannot be changed: ${why}`, {
    value: path,
    remedy: `make ${under} writable, or do it as its owner`,
    cause: error,
  });
}
