import { LakeError } from "../../contract/errors.js";
import { isWritable } from "../../files/is-writable.js";
import { hasDueSteps } from "../install/due-steps.js";
import type { InstallOptions } from "../install/install-options.js";
import type { InstallReport } from "../install/install-report.js";
import { installSlices } from "../install/install-slices.js";
import { lakePaths } from "../lake-paths.js";

/**
 * Does what installs before left to do in a lake, as an install of nothing does: the refit of the embedder, and the merge of segments. It
 * leaves the lake alone where nothing is due, where this user may only read it, and while an install is under way, which does it itself.
 * @returns the report of the install; undefined where there was none
 * @throws what {@link installSlices} throws, but for `lake_busy`
 */
export async function settleLake(options: InstallOptions): Promise<InstallReport | undefined> {
  const { lake, embedder } = options;
  if (!(await hasDueSteps(lake, embedder)) || !(await isWritable(lakePaths(lake).generations)))
    return undefined;
  try {
    return await installSlices([], options);
  } catch (error) {
    if (error instanceof LakeError && error.code === "lake_busy") return undefined;
    throw error;
  }
}
