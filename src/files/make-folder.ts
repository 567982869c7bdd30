import { mkdir, rmdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UsageError } from "../contract/errors.js";

/**
 * Creates a folder and its missing parents. An existing folder is unchanged; a failure leaves nothing. Used instead of a
 * recursive `mkdir`, which never returns where the kernel reports a missing parent that exists, as in /proc, and in Node.js 20 reports
 * a full disk as a missing folder.
 * @returns the topmost created folder, absolute; undefined if none was created
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
    // A folder that another process has written to by now is kept.
    for (const folder of made.reverse()) await rmdir(folder).catch(() => {});
    throw unwritableFolder(path, error);
  }
  return made[0];
}

/**
 * Takes back what {@link makeFolder} created, from the folder up to the topmost one, as far as it is empty.
 * @param made what `makeFolder` returned
 */
export async function removeMadeFolders(path: string, made: string | undefined): Promise<void> {
  if (made === undefined) return;
  for (let dir = resolve(path); dir.startsWith(made); dir = dirname(dir)) {
    try {
      await rmdir(dir);
    } catch {
      // Another process has written there: the folder stays.
      return;
    }
  }
}

/** The error for a folder that cannot be created or written to. One that names a remedy already stays, such as that locks need native code. */
export function unwritableFolder(path: string, cause: unknown): UsageError {
  if (cause instanceof UsageError) return cause;
  return new UsageError("unwritable_folder", `Cannot make the folder ${path}: ${(cause as Error).message}`, {
    value: path,
    remedy: "name a folder that can be written, or a new one in a folder that can be written",
    cause,
  });
}

/** @throws Error if the path, or a parent of it, is not a folder */
async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" && dirname(path) !== path) return undefined;
    throw error;
  });
  if (stats?.isDirectory() === false) throw new Error(`${path} is not a folder`);
  return stats !== undefined;
}

/** Whether this call created the folder; another process may create it at the same time. */
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
