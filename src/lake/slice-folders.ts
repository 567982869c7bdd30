import { LakeError } from "../contract/errors.js";
import { lakePaths } from "./lake-paths.js";
import { isLake, lakeSlices } from "./lake-slices.js";

/**
 * The folders that paths name: a lake stands for the slices of its published generation, anything else for itself.
 * @throws LakeError `lake_empty`
 */
export async function sliceFolders(dirs: readonly string[]): Promise<string[]> {
  const folders: string[] = [];
  for (const dir of dirs) {
    if (!(await isLake(dir))) {
      folders.push(dir);
      continue;
    }
    const slices = await lakeSlices(dir);
    if (slices.length === 0) {
      throw new LakeError("lake_empty", `Nothing has been installed into the lake at ${dir}`, {
        value: dir,
        remedy: "install slices: mirrorlake install <slices…> --lake <dir>",
      });
    }
    folders.push(...slices.map(({ mirrorlake }) => lakePaths(dir).slice(mirrorlake.root)));
  }
  return folders;
}
