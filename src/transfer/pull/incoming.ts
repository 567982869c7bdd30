import type { Stats } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isWritable } from "../../files/is-writable.js";
import { writingTo } from "../../files/writing-to.js";
import { lakePaths } from "../../lake/lake-paths.js";
import { lakeSlices } from "../../lake/lake-slices.js";
import {
  findIncoming,
  removeEmptyIncoming,
  removeFromIncoming,
  tidyIncoming,
} from "../../lake/maintain/unused-incoming.js";

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
  await removeEmptyIncoming(lake);
}

/** Removes old leftovers of pulls, and slices among them that the lake holds or no longer wants. Requires the pull lock. */
export async function removeOldIncoming(lake: string, nowMs: number): Promise<void> {
  await removeFromIncoming(lake, await lakeSlices(lake), nowMs);
}

/** Does as {@link removeOldIncoming} does after a pull of nothing, unless another pull is under way or this user may only read the lake. */
export async function tidyAfterNothing(lake: string, nowMs: number): Promise<void> {
  const held = await lakeSlices(lake);
  const { unused } = await findIncoming(lake, held, nowMs);
  if (unused.length === 0 || !(await isWritable(lakePaths(lake).incoming))) return;
  await writingTo(lake, () => tidyIncoming(lake, held, nowMs));
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
