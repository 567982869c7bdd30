import { readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { exists } from "./process-lock.js";
import { withAbandoned } from "./temporary-folder.js";

/** Suffix of a folder while its replacement, a temporary folder, is renamed into its place. */
const ASIDE = "-old";
/** Looks at a folder that is just being replaced, which takes two renames. */
const LOOKS = 20;
const PAUSE_MS = 10;

/** Prefix of the temporary folders that replace `target`, beside it. */
export function replacementPrefix(target: string): string {
  return `.${basename(target)}.partial-`;
}

/** Where a folder is set aside while this temporary folder replaces it. */
export function asideOf(temporary: string): string {
  return `${temporary}${ASIDE}`;
}

/**
 * Gives a folder its name back that a killed process had set aside to replace it. A process that is replacing it now is waited for.
 * Returns whether there is a folder of that name that was not there at first.
 * @throws the error of the file system if it cannot be renamed
 */
export async function restoreSetAside(target: string): Promise<boolean> {
  for (let look = 0; look < LOOKS; look++) {
    const aside = await findAside(target);
    if (aside === undefined) return look > 0 && exists(target);
    await withAbandoned(aside.slice(0, -ASIDE.length), async () => {
      if (!(await exists(target)) && (await exists(aside))) await rename(aside, target);
    });
    if (await exists(target)) return true;
    await sleep(PAUSE_MS);
  }
  return false;
}

/** Removes the folders that were set aside for `target`, if it is there. Otherwise they are the only copies. */
export async function removeSetAside(target: string): Promise<void> {
  if (!(await exists(target))) return;
  for (const aside of await asidesOf(target)) await rm(aside, { recursive: true, force: true });
}

async function findAside(target: string): Promise<string | undefined> {
  return (await exists(target)) ? undefined : (await asidesOf(target))[0];
}

async function asidesOf(target: string): Promise<string[]> {
  const names = await readdir(dirname(target)).catch((error: NodeJS.ErrnoException) => {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(error.code ?? "")) return [];
    throw error;
  });
  const prefix = replacementPrefix(target);
  return names
    .filter((name) => name.startsWith(prefix) && name.endsWith(ASIDE))
    .map((name) => join(dirname(target), name));
}
