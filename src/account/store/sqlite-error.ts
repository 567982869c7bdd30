import { closeSync, existsSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { LakeError } from "../../contract/errors.js";
import { unlessLacking } from "../../contract/lacking.js";
import { MAX_PATH_BYTES } from "../../files/process-lock.js";
import { diskFull, freeBytes, isDiskFull } from "../../files/writing-to.js";
import { ACCOUNT_SPACE_BYTES } from "../defaults.js";

/** Primary result codes of SQLite (sqlite.org/rescode.html) with an error of their own. */
const BUSY = new Set([5, 6, 15]);
const NOT_WRITABLE = new Set([3, 8, 14, 23]);
const WRITE_FAILED = new Set([10]);
const FULL = 13;
const CANNOT_OPEN = 14;
/** Files that a connection has open at once: the database, its log, the index of that, a folder to sync. */
const DATABASE_FILES = 4;
const NOT_A_DATABASE = 26;
const CORRUPT = new Set([11, NOT_A_DATABASE]);

/** Returns true if another process or connection holds a lock, so that a retry can succeed. */
export function isBusy(error: unknown): boolean {
  return BUSY.has(primaryCode(error));
}

/** Returns true for an error of the SQLite engine, as opposed to one of the calling code. */
export function isEngineError(error: unknown): boolean {
  return primaryCode(error) !== 0;
}

/** Returns true if the file is not a SQLite database. */
export function isNotADatabase(error: unknown): boolean {
  return primaryCode(error) === NOT_A_DATABASE;
}

/** Converts an engine error for the account at `path` to a LakeError; returns any other error unchanged. */
export function accountError(path: string, error: unknown): unknown {
  const code = primaryCode(error);
  releaseFrames(error);
  const why = error instanceof Error ? error.message : String(error);
  const options = { value: path, cause: error };
  if (BUSY.has(code))
    return new LakeError("account_busy", `Other processes keep the account ${path} busy`, {
      ...options,
      remedy: "Nothing was charged. Try again, or stop a process that writes to the account continuously.",
    });
  const isFull = code === FULL || isDiskFull(error);
  if (isFull || ((WRITE_FAILED.has(code) || code === CANNOT_OPEN) && hasNoSpace(path)))
    return diskFull(path, freeBytes(dirname(path)), undefined, error);
  if (code === CANNOT_OPEN) {
    const lack = lackOfDescriptors(dirname(path));
    if (lack !== undefined) return unlessLacking(lack);
    const bytes = Buffer.byteLength(path);
    if (bytes > MAX_PATH_BYTES)
      return new LakeError(
        "account_not_writable",
        `Cannot open the account ${path}: its path has ${bytes} bytes`,
        {
          ...options,
          remedy: `Put the lake in a folder with a shorter path, that of the account may have ${MAX_PATH_BYTES}, or open the lake with an account in memory.`,
        },
      );
  }
  if (NOT_WRITABLE.has(code) || isSystemRefusal(error))
    return new LakeError("account_not_writable", `The account ${path} cannot be used by this user: ${why}`, {
      ...options,
      remedy: "Make the lake's account folder writable, or open the lake with an account in memory.",
    });
  if (WRITE_FAILED.has(code))
    return new LakeError("ledger_write_failed", `The account ${path} cannot be written: ${why}`, {
      ...options,
      remedy: "Nothing was charged. Check the disk (space, permissions), then call again.",
    });
  if (CORRUPT.has(code))
    return new LakeError("ledger_corrupt", `The account ${path} is damaged: ${why}`, {
      ...options,
      remedy:
        "Restore the file from a backup, or run `mirrorlake account repair`, which keeps all readable entries.",
    });
  return error;
}

/**
 * V8 keeps the receivers of an error's frames until its stack is read: a connection, and with it the file, for as long as somebody
 * keeps the error.
 */
function releaseFrames(error: unknown): void {
  if (error instanceof Error) void error.stack;
}

/** Whether the disk is full: the engine names that only where a page finds no room, not where a file does. */
function hasNoSpace(path: string): boolean {
  const dir = dirname(path);
  return existsSync(dir) && freeBytes(dir) < ACCOUNT_SPACE_BYTES;
}

/**
 * The system's error where this process may open no more files, of which a database takes some. It opens the folder: closing another
 * descriptor of the database would release its locks.
 */
function lackOfDescriptors(dir: string): NodeJS.ErrnoException | undefined {
  const opened: number[] = [];
  try {
    while (opened.length < DATABASE_FILES) opened.push(openSync(dir, "r"));
    return undefined;
  } catch (error) {
    const cause = error as NodeJS.ErrnoException;
    return cause.code === "EMFILE" || cause.code === "ENFILE" ? cause : undefined;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

/** What the driver says where a file cannot be opened: its error has the engine's code in these words alone. */
const NOT_OPENED = /^ConnectionFailed\(.*: (\d+)"\)$/s;

function primaryCode(error: unknown): number {
  const raw = (error as { rawCode?: unknown } | undefined)?.rawCode;
  if (typeof raw === "number") return raw & 0xff;
  return error instanceof Error ? Number(NOT_OPENED.exec(error.message)?.[1] ?? 0) & 0xff : 0;
}

function isSystemRefusal(error: unknown): boolean {
  return ["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST"].includes(
    (error as NodeJS.ErrnoException)?.code ?? "",
  );
}
