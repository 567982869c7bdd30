import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { LakeError } from "../contract/errors.js";
import { counted } from "../contract/quantity.js";
import { exists } from "../files/process-lock.js";
import type { FoundSlice } from "./find-slices.js";
import { Lake } from "./lake.js";
import { lakePaths } from "./lake-paths.js";
import { isLake, lakeSlices } from "./lake-slices.js";
import { requireCurrent, whyNoCurrent } from "./missing-current.js";
import { currentDigest } from "./removals/removals-file.js";
import { hasRemovals, readSettings } from "./settings.js";

/**
 * Resolves paths to slice folders: a lake, or its folder of slices, stands for the slices of its published generation, and a slice in
 * it for itself.
 * @param own lake whose folder of slices is taken as it is, whether a generation has them or not
 * @throws LakeError `lake_empty`, `lake_current_missing`, `generation_missing`; `slices_withheld` for a lake with slices that have removed content
 */
export async function sliceFolders(dirs: readonly string[], own?: string): Promise<string[]> {
  const ownPath = own === undefined ? undefined : await realPath(own);
  const folders: string[] = [];
  for (const dir of dirs) {
    const part = await partOfLake(dir);
    if (part === undefined) folders.push(dir);
    else if ((await realPath(part.lake)) === ownPath)
      folders.push(part.lake === dir ? lakePaths(dir).slices : dir);
    else folders.push(...(await foldersOf(part, dir)));
  }
  return folders;
}

/** Names the slices that are in a lake's own folder by their paths there, whatever symbolic links they were found by. */
export async function namedAsOwn(lake: string, found: readonly FoundSlice[]): Promise<FoundSlice[]> {
  const slices = await realPath(lakePaths(lake).slices);
  const named = async (slice: FoundSlice): Promise<FoundSlice> => {
    const { root } = slice.manifest.mirrorlake;
    const isOwn = (await realPath(slice.dir)) === join(slices, root);
    return isOwn ? { ...slice, dir: resolve(lakePaths(lake).slice(root)) } : slice;
  };
  return Promise.all(found.map(named));
}

/** A place in a lake: the lake itself and its folder of slices have no root. */
interface LakePart {
  readonly lake: string;
  readonly root?: string;
}

/** The lake that a path is, or is part of as its folder of slices or a slice. Symbolic links are followed. */
async function partOfLake(dir: string): Promise<LakePart | undefined> {
  if (await isLake(dir)) return { lake: dir };
  const path = await realPath(dir);
  const parent = dirname(path);
  if (path === lakePaths(parent).slices && (await isLake(parent))) return { lake: parent };
  const lake = dirname(parent);
  const root = basename(path);
  const isSlice = path === lakePaths(lake).slice(root) && (await exists(path));
  return isSlice && (await isLake(lake)) ? { lake, root } : undefined;
}

async function realPath(path: string): Promise<string> {
  return realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return resolve(path);
    throw error;
  });
}

async function foldersOf({ lake: path, root }: LakePart, given: string): Promise<string[]> {
  const slices = await lakeSlices(path);
  if (slices.length > 0) await requireCurrent(path);
  const removals = hasRemovals(await readSettings(path)) || currentDigest(path) !== undefined;
  // Slices of a lake that lost its generations are only slices, unless something was removed from them.
  if (slices.length === 0 && !removals && given !== path) return [given];
  if (slices.length === 0) throw await whyNoCurrent(path);
  if (removals) await refuseWithheld(path, root);
  const roots = slices.map(({ mirrorlake }) => mirrorlake.root);
  if (root === undefined) return roots.map((each) => lakePaths(path).slice(each));
  if (roots.includes(root) || !removals) return [given];
  throw new LakeError("slices_withheld", `the lake at ${path} no longer shows its slice ${root}`, {
    value: [root],
    remedy: "name the lake, or a slice that it lists: mirrorlake slices",
  });
}

/** Removed content must not leave a lake in files. */
async function refuseWithheld(path: string, root: string | undefined): Promise<void> {
  const lake = await Lake.open(path);
  try {
    const withheld = [...lake.withheld.keys()].filter((each) => root === undefined || each === root);
    if (withheld.length === 0) return;
    throw new LakeError(
      "slices_withheld",
      `the lake at ${path} has ${counted(withheld.length, "slice")} with something that was removed from it`,
      { value: withheld, remedy: "put revisions without it in their place: mirrorlake compact" },
    );
  } finally {
    await lake.close();
  }
}
