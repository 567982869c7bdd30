import { mkdir, rmdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UsageError } from "../contract/errors.js";

/**
 * Makes a folder and those above it that are missing; one that is there is left as it is, and on failure nothing stays behind.
 * In place of `mkdir` with `recursive`, which never ends where the kernel says that a parent is missing although it is
 * there, as in /proc.
 * @returns the topmost folder that was made, absolute; undefined when none was
 * @throws UsageError `unwritable_folder`
 */
export async function makeFolder(path: string): Promise<string | undefined> {
  const missing: string[] = [];
  const made: string[] = [];
  try {
    let at = resolve(path);
    while (!(await isFolder(at))) {
      missing.push(at);
      at = dirname(at);
    }
    for (const folder of missing.reverse()) {
      if (await makeOne(folder)) made.push(folder);
    }
  } catch (error) {
    // One that somebody has put something into by now is theirs.
    for (const folder of made.reverse()) await rmdir(folder).catch(() => {});
    throw unwritableFolder(path, error);
  }
  return made[0];
}

/** The error for a folder that cannot be made, or in which nothing can be made. */
export function unwritableFolder(path: string, cause: unknown): UsageError {
  return new UsageError("unwritable_folder", `Cannot make the folder ${path}: ${(cause as Error).message}`, {
    value: path,
    remedy: "name a folder that can be written, or a new one in a folder that can be written",
    cause,
  });
}

/** @throws Error when something else is there, or above it */
async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" && dirname(path) !== path) return undefined;
    throw error;
  });
  if (stats?.isDirectory() === false) throw new Error(`${path} is not a folder`);
  return stats !== undefined;
}

/** Whether it was made, rather than there already: others may be making it too. */
async function makeOne(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && (await isFolder(path))) return false;
    if (code === "EEXIST") throw new Error(`${path} is not a folder`, { cause: error });
    if (code === "ENOENT") throw new Error(`${dirname(path)} takes no folders`, { cause: error });
    throw error;
  }
}
