import { rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { currentOrNone } from "./install/published.js";
import { LAKE_ENTRIES, lakePaths } from "./lake-paths.js";
import { sliceRoots } from "./missing-current.js";

/**
 * Removes a lake that an install created and could not fill, and nothing else in its folder. The settings go last: a folder with other
 * entries alone would be refused as no lake. The mark of a first install goes after the slices, which would count as those of a lake
 * without it.
 */
export async function removeNewLake(lake: string): Promise<void> {
  if ((await currentOrNone(lake)) !== undefined) return;
  for (const root of await sliceRoots(lake)) await rm(lakePaths(lake).slice(root), { recursive: true });
  for (const name of LAKE_ENTRIES) await rm(join(lake, name), { recursive: true, force: true });
  await rmdir(lake).catch(() => {}); // not empty: other files stay
}
