import { readdir } from "node:fs/promises";
import { LakeError } from "../contract/errors.js";
import { counted } from "../contract/quantity.js";
import { shellWord } from "../contract/shell-word.js";
import { exists } from "../files/process-lock.js";
import { readGenerationManifest, readSliceManifests } from "../store/generation/generation-manifest.js";
import { readCurrent } from "./current.js";
import { lakePaths } from "./lake-paths.js";
import { generationNumbers } from "./open/leases.js";
import { rebuildCommand } from "./verify/problem.js";

/**
 * Returns the number of the published generation.
 * @throws LakeError `lake_empty` before the first install; `lake_current_missing` or `generation_missing` where the file or the
 * generations were lost, or a first install was killed; `lake_current_invalid`
 */
export async function requireCurrent(lake: string): Promise<number> {
  const current = await readCurrent(lake);
  if (current !== undefined) return current;
  const error = await whyNoCurrent(lake);
  // A first install may have published meanwhile.
  const later = await readCurrent(lake);
  if (later === undefined) throw error;
  return later;
}

/**
 * Returns the number of the published generation; undefined only for a lake into which nothing has been installed.
 * @throws LakeError `lake_current_missing`, `generation_missing`, `lake_current_invalid`
 */
export async function currentUnlessNew(lake: string): Promise<number | undefined> {
  try {
    return await requireCurrent(lake);
  } catch (error) {
    if (error instanceof LakeError && error.code === "lake_empty") return undefined;
    throw error;
  }
}

/**
 * Returns the newest complete generation of a lake without CURRENT: it was published, or its install was killed just before.
 * Undefined if none is complete.
 */
export async function newestGeneration(lake: string): Promise<number | undefined> {
  for (const number of (await generationNumbers(lake)).reverse()) {
    const dir = lakePaths(lake).generation(number);
    const reads = [readGenerationManifest(dir), readSliceManifests(dir)];
    if ((await Promise.allSettled(reads)).every(({ status }) => status === "fulfilled")) return number;
  }
  return undefined;
}

/** Tells why a lake has no CURRENT: nothing was installed, or something was lost. */
export async function whyNoCurrent(lake: string): Promise<LakeError> {
  const { current, slices } = lakePaths(lake);
  if ((await generationNumbers(lake)).length > 0) {
    const isWhole = (await newestGeneration(lake)) !== undefined;
    return new LakeError(
      "lake_current_missing",
      isWhole ? `${current} is missing` : `${current} is missing, and no generation is whole`,
      { value: current, remedy: isWhole ? `mirrorlake gc --lake ${shellWord(lake)}` : rebuildCommand(lake) },
    );
  }
  if (await isFirstInstall(lake)) {
    return new LakeError(
      "lake_empty",
      `The first install into the lake at ${lake} did not end, so nothing is installed`,
      {
        value: lake,
        remedy: `run that install again: mirrorlake install <slices…> --lake ${shellWord(lake)}`,
      },
    );
  }
  const roots = await sliceRoots(lake);
  if (roots.length > 0) {
    return new LakeError(
      "generation_missing",
      `The lake has ${counted(roots.length, "slice")} and no generation of them`,
      { value: slices, remedy: `mirrorlake install ${shellWord(slices)} --lake ${shellWord(lake)}` },
    );
  }
  return new LakeError("lake_empty", `Nothing has been installed into the lake at ${lake}`, {
    value: lake,
    remedy: `install slices: mirrorlake install <slices…> --lake ${shellWord(lake)}`,
  });
}

/** Whether the first install into a lake is under way, or was killed: no generation was published, and slices may be there. */
export async function isFirstInstall(lake: string): Promise<boolean> {
  return exists(lakePaths(lake).firstInstall);
}

/** Roots of the slices in a lake's folder of slices, whether a generation has them or not. */
export async function sliceRoots(lake: string): Promise<string[]> {
  const names: string[] = await readdir(lakePaths(lake).slices).catch((error: NodeJS.ErrnoException) => {
    if (["ENOENT", "ENOTDIR"].includes(error.code ?? "")) return [];
    throw error;
  });
  return names.filter((name) => /^[0-9a-f]{64}$/.test(name));
}
