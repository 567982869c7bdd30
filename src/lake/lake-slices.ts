import { realpath, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { UsageError } from "../contract/errors.js";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import { nearestFolder } from "../files/nearest-folder.js";
import { readSliceManifests } from "../store/generation/generation-manifest.js";
import { readCurrent } from "./current.js";
import { lakePaths } from "./lake-paths.js";
import { newestGeneration } from "./missing-current.js";
import { readSettings } from "./settings.js";
import { sliceFault } from "./slice-fault.js";

/**
 * Reads the manifests of the slices in a lake's published generation; none before the first install or without
 * a lake. Without CURRENT, of the generation that the next install publishes again.
 * @throws LakeError `lake_newer_format`, `lake_settings_invalid`, `lake_current_invalid`, `generation_invalid`
 */
export async function lakeSlices(lake: string): Promise<SliceManifest[]> {
  if (!(await isLake(lake))) return [];
  await readSettings(lake);
  for (;;) {
    const number = (await readCurrent(lake)) ?? (await newestGeneration(lake));
    if (number === undefined) return [];
    try {
      return await readSliceManifests(lakePaths(lake).generation(number));
    } catch (error) {
      // An install may have published the next generation meanwhile, and removed this one.
      if (
        (error as NodeJS.ErrnoException).code !== "ENOENT" ||
        ((await readCurrent(lake)) ?? (await newestGeneration(lake))) === number
      )
        throw error;
    }
  }
}

/** Roots of the lake's slices, among some, whose files are gone or not of their sizes: as {@link sliceFault} tells. */
export async function damagedSlices(
  lake: string,
  slices: readonly SliceManifest[],
  among: ReadonlySet<string>,
): Promise<Set<string>> {
  const damaged = new Set<string>();
  for (const slice of slices) {
    const { root } = slice.mirrorlake;
    if (among.has(root) && (await sliceFault(lake, slice)) !== undefined) damaged.add(root);
  }
  return damaged;
}

/**
 * Refuses a place to write to that is a lake's own folder of slices, or in it: what is there is the lake's.
 * @throws UsageError `out_in_lake`
 */
export async function refuseInLake(out: string): Promise<void> {
  const above = await nearestFolder(out);
  let at = join(await realpath(above), relative(above, resolve(out)));
  for (; at !== dirname(at); at = dirname(at)) {
    const lake = dirname(at);
    if (at !== lakePaths(lake).slices || !(await isLake(lake))) continue;
    throw new UsageError("out_in_lake", `Cannot write to ${out}: the slices of the lake ${lake} are there`, {
      value: out,
      remedy: "name a folder outside of the lake; `mirrorlake install` brings slices into it",
    });
  }
}

/** Whether a folder is a lake. */
export async function isLake(dir: string): Promise<boolean> {
  return stat(lakePaths(dir).settings).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return false;
      throw error;
    },
  );
}
