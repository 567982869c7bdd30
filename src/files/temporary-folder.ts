import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const NAME = /^\.tmp-(\d+)-\d+$/;

/** Whether a process of this machine is running. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Makes a folder `.tmp-<pid>-<n>` in `parent`, which is made when absent, for work that becomes visible by a rename. */
export async function makeTemporaryFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  for (let n = 0; ; n++) {
    const path = join(parent, `.tmp-${process.pid}-${n}`);
    try {
      await mkdir(path);
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/** Whether a name is that of a temporary folder whose process is gone. */
export function isAbandonedFolder(name: string): boolean {
  const pid = NAME.exec(name)?.[1];
  return pid !== undefined && !isRunning(Number(pid));
}

/** Removes the temporary folders in `parent` whose process is gone; returns how many. */
export async function removeAbandonedFolders(parent: string): Promise<number> {
  const names = await readdir(parent).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  let removed = 0;
  for (const name of names) {
    if (!isAbandonedFolder(name)) continue;
    await rm(join(parent, name), { recursive: true, force: true });
    removed++;
  }
  return removed;
}
