import { stat } from "node:fs/promises";
import { LakeError, SliceError } from "../contract/errors.js";
import { shellWord } from "../contract/shell-word.js";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import { checkSliceFiles } from "../slice/verify-slice.js";
import { lakePaths } from "./lake-paths.js";

/**
 * What is wrong with a slice that a lake is said to hold: LakeError `slice_missing`, or a SliceError; undefined if its files are there
 * with their sizes. Of the files the manifest alone is read, which takes milliseconds; `check` reads more ({@link verifySlice}).
 */
export async function sliceFault(
  lake: string,
  { name, mirrorlake: { root } }: SliceManifest,
  check?: (dir: string) => Promise<unknown>,
): Promise<LakeError | SliceError | undefined> {
  const dir = lakePaths(lake).slice(root);
  const remedy = `mirrorlake pull <where it came from> --lake ${shellWord(lake)}`;
  if (!(await isThere(dir)))
    return new LakeError("slice_missing", `Slice ${root} (${name}) is missing from the lake`, {
      value: root,
      remedy,
    });
  const fault = await refusal(() => checkSliceFiles(dir), remedy);
  if (fault !== undefined || check === undefined) return fault;
  // Only a rebuild looks whether the bytes are those of the manifest.
  return refusal(
    () => check(dir),
    `mirrorlake install <the slice from where it came> --lake ${shellWord(lake)} --rebuild`,
  );
}

async function refusal(check: () => Promise<unknown>, remedy: string): Promise<SliceError | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (!(error instanceof SliceError)) throw error;
    if (error.code === "slice_extra_file" || error.code === "slice_newer_format") return error;
    const { code, message, value } = error;
    return new SliceError(code, message, { value, remedy, cause: error });
  }
}

async function isThere(dir: string): Promise<boolean> {
  return stat(dir).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
}
