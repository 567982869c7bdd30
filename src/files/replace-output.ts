import { access, chmod, lstat, readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../contract/errors.js";
import { renameSynced, syncFile } from "./durable-files.js";
import { makeTemporaryFolder, removeAbandonedFolders, type TemporaryFolder } from "./temporary-folder.js";

/** Links that are followed, one to the next. */
const MOST_LINKS = 40;
const PERMISSIONS = 0o777;

/** What is asked of a file that a caller names. */
export interface OutputOptions {
  /** Folder of a lake, in which the file may not be. */
  readonly lake?: string | undefined;
  /** Runs when the new file is on the disk; if it throws, the old one stays. */
  readonly beforeReplace?: () => void;
}

/**
 * Writes a file that a caller names, by one rename of a new file beside it, and removes what killed processes left of theirs. A link
 * stays, and what it leads to is replaced; the permissions of an existing file stay.
 * @param write writes the new file at the given path
 * @returns what `write` returns
 * @throws UsageError `unwritable_file` if it is a folder, a device, a pipe or a socket, or its folder cannot be written;
 * `file_in_lake`; what `write` and `beforeReplace` throw
 */
export async function replaceOutput<T>(
  out: string,
  write: (path: string) => Promise<T>,
  { lake, beforeReplace }: OutputOptions = {},
): Promise<T> {
  const target = await checkOutput(out, lake);
  const temporary = await folderBeside(target, out);
  try {
    const path = join(temporary.path, basename(target));
    const written = await write(path);
    await syncFile(path);
    const mode = await permissionsOf(target, out);
    if (mode !== undefined) await chmod(path, mode);
    beforeReplace?.();
    await renameSynced(path, target);
    return written;
  } finally {
    await temporary.remove();
  }
}

/**
 * Checks a file that a caller names to be written.
 * @param lake folder of a lake, in which it may not be
 * @returns its path behind all links
 * @throws UsageError `unwritable_file`, `file_in_lake`
 */
export async function checkOutput(out: string, lake?: string): Promise<string> {
  const target = await targetOf(resolve(out)).catch((cause: Error) => {
    throw unwritable(out, cause.message, "name a file in a folder that can be written", cause);
  });
  await permissionsOf(target, out);
  if (lake !== undefined && (await isWithin(target, lake))) {
    throw new UsageError("file_in_lake", `Cannot write ${out}: it is in the folder of the lake ${lake}`, {
      value: out,
      remedy: "name a file outside of the lake: its own files may not be replaced",
    });
  }
  return target;
}

/** The path behind all links. A link that leads nowhere yet has a target, too. */
async function targetOf(path: string, links = 0): Promise<string> {
  const folder = await realpath(dirname(path));
  const real = join(folder, basename(path));
  const found = await lstat(real).catch(unlessAbsent);
  if (found?.isSymbolicLink() !== true) return real;
  if (links === MOST_LINKS) throw new Error("it is a link that leads to itself");
  return targetOf(resolve(folder, await readlink(real)), links + 1);
}

/** Permissions of an existing file; undefined where there is none. @throws UsageError `unwritable_file` if it is no file */
async function permissionsOf(target: string, out: string): Promise<number | undefined> {
  const found = await lstat(target).catch(unlessAbsent);
  if (found === undefined || found.isFile()) return found && found.mode & PERMISSIONS;
  if (found.isDirectory()) throw unwritable(out, "it is a folder", "name a file in it");
  const kind = found.isFIFO() ? "a named pipe" : found.isSocket() ? "a socket" : "a device";
  throw unwritable(
    out,
    `it is ${kind}`,
    "name a file: the old one is replaced as a whole when the new one is complete",
  );
}

/** Whether a path is below a folder, by whatever name. */
async function isWithin(path: string, folder: string): Promise<boolean> {
  const own = await stat(folder, { bigint: true }).catch(() => undefined);
  if (own === undefined) return false;
  for (let at = dirname(path); ; at = dirname(at)) {
    const { dev, ino } = await stat(at, { bigint: true });
    if (dev === own.dev && ino === own.ino) return true;
    if (at === dirname(at)) return false;
  }
}

async function folderBeside(target: string, out: string): Promise<TemporaryFolder> {
  const parent = dirname(target);
  try {
    await access(parent);
    const prefix = `.${basename(target)}.partial-`;
    await removeAbandonedFolders(parent, prefix);
    return await makeTemporaryFolder(parent, prefix);
  } catch (cause) {
    throw unwritableFolder(out, parent, cause as Error);
  }
}

/** The error of a file that a caller names in a folder where nothing can be written: UsageError `unwritable_file`. */
export function unwritableFolder(out: string, folder: string, cause: Error): UsageError {
  const remedy = `name a file in a folder that can be written; ${folder} cannot`;
  return unwritable(out, cause.message, remedy, cause);
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

function unwritable(out: string, why: string, remedy: string, cause?: unknown): UsageError {
  return new UsageError("unwritable_file", `Cannot write ${out}: ${why}`, { value: out, remedy, cause });
}
