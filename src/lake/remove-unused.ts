import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { removeAbandonedFolders } from "../corpus/temporary-folder.js";
import { lakePaths } from "./lake-paths.js";
import { heldGenerations } from "./leases.js";

/**
 * Removes what no reader can need: folders of installs that were killed, generations that are neither the current one
 * nor read by any process, slices that no such generation holds. Only for the holder of the install lock.
 */
export async function removeUnused(
  lake: string,
  current: number | undefined,
  roots: ReadonlySet<string>,
  nowMs: number,
): Promise<void> {
  const { slices, generations } = lakePaths(lake);
  await removeAbandonedFolders(slices);
  await removeAbandonedFolders(generations);
  const held = await heldGenerations(lake, nowMs);
  for (const name of await namesIn(generations)) {
    const number = Number(name);
    if (Number.isInteger(number) && number !== current && !held.has(number)) {
      await rm(join(generations, name), { recursive: true, force: true });
    }
  }
  for (const name of await namesIn(slices)) {
    if (/^[0-9a-f]{64}$/.test(name) && !roots.has(name)) {
      await rm(join(slices, name), { recursive: true, force: true });
    }
  }
}

async function namesIn(dir: string): Promise<string[]> {
  return readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}
