import { LakeError } from "../contract/errors.js";
import { counted } from "../contract/quantity.js";
import { Lake } from "./lake.js";
import { lakePaths } from "./lake-paths.js";
import { isLake, lakeSlices } from "./lake-slices.js";
import { currentDigest } from "./removals/removals-file.js";
import { hasRemovals, readSettings } from "./settings.js";

/**
 * Resolves paths to slice folders: a lake stands for the slices of its published generation.
 * @throws LakeError `lake_empty`; `slices_withheld` for a lake with slices that have removed content
 */
export async function sliceFolders(dirs: readonly string[]): Promise<string[]> {
  const folders: string[] = [];
  for (const dir of dirs) folders.push(...((await isLake(dir)) ? await foldersOf(dir) : [dir]));
  return folders;
}

async function foldersOf(path: string): Promise<string[]> {
  const slices = await lakeSlices(path);
  if (slices.length === 0) {
    throw new LakeError("lake_empty", `Nothing has been installed into the lake at ${path}`, {
      value: path,
      remedy: "install slices: mirrorlake install <slices…> --lake <dir>",
    });
  }
  if (hasRemovals(await readSettings(path)) || currentDigest(path) !== undefined) await refuseWithheld(path);
  return slices.map(({ mirrorlake }) => lakePaths(path).slice(mirrorlake.root));
}

/** Removed content must not leave a lake in files. */
async function refuseWithheld(path: string): Promise<void> {
  const lake = await Lake.open(path);
  try {
    const withheld = [...lake.withheld.keys()];
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
