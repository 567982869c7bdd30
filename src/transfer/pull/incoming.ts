import type { Stats } from "node:fs";
import { readdir, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { lakePaths } from "../../lake/lake-paths.js";
import { PULL_DEFAULTS } from "./defaults.js";

/** Bytes of slices' files left by earlier pulls, each at most the file's size. */
export async function bytesWaiting(
  lake: string,
  slices: readonly { readonly root: string; readonly bytes: number }[],
): Promise<number> {
  let sum = 0;
  for (const { root, bytes } of slices) {
    const dir = join(lakePaths(lake).incoming, root);
    let there = 0;
    for (const name of await namesIn(dir))
      if (!name.endsWith(".json")) there += (await statOf(join(dir, name)))?.size ?? 0;
    sum += Math.min(there, bytes);
  }
  return sum;
}

/** Removes installed slices from the incoming folder. */
export async function removeIncoming(lake: string, roots: readonly string[]): Promise<void> {
  const { incoming } = lakePaths(lake);
  for (const root of roots) await rm(join(incoming, root), { recursive: true, force: true });
  await removeIfEmpty(incoming);
}

/** Removes old leftovers of pulls. */
export async function removeOldIncoming(lake: string, nowMs: number): Promise<void> {
  const { incoming } = lakePaths(lake);
  for (const name of await namesIn(incoming)) {
    const dir = join(incoming, name);
    let newest = (await statOf(dir))?.mtimeMs ?? nowMs;
    for (const file of await namesIn(dir))
      newest = Math.max(newest, (await statOf(join(dir, file)))?.mtimeMs ?? nowMs);
    if (nowMs - newest > PULL_DEFAULTS.incomingDays * 86_400_000)
      await rm(dir, { recursive: true, force: true });
  }
  await removeIfEmpty(incoming);
}

async function removeIfEmpty(dir: string): Promise<void> {
  await rmdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(error.code ?? "")) throw error;
  });
}

/** Stats of a path; undefined if another pull has just renamed it. */
async function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

async function namesIn(dir: string): Promise<string[]> {
  return readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw error;
  });
}
