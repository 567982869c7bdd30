import { checkArgument } from "../contract/check-options.js";
import { LakeError } from "../contract/errors.js";
import { PathOption, SignalOption } from "../contract/option-schemas.js";
import { contentHash } from "../store/content-hash.js";
import { readCurrent } from "./current.js";
import { lakePaths } from "./lake-paths.js";
import { removedFrom } from "./open/open-view.js";

/**
 * Hash of what a lake shows, its slices minus what was removed: SHA-256 over its records (id, `prov.hash`, capture, source)
 * and raw items, each in the order of its key. Two lakes with the same slices and removals have the same, whatever the order
 * in which these came, and whether or not they were compacted.
 * @throws LakeError `lake_empty`, `removals_corrupt`, `removals_missing`; the signal's reason when aborted
 */
export async function corpusHash(lake: string, signal?: AbortSignal): Promise<string> {
  checkArgument(PathOption, lake, "lake", "corpusHash");
  checkArgument(SignalOption.optional(), signal, "signal", "corpusHash");
  const generation = await readCurrent(lake);
  if (generation === undefined) {
    throw new LakeError("lake_empty", `Nothing has been installed into the lake at ${lake}`, {
      value: lake,
      remedy: "install slices: mirrorlake install <slices…> --lake <dir>",
    });
  }
  const dir = lakePaths(lake).generation(generation);
  const removed = await removedFrom(lake, generation, dir);
  return contentHash(dir, removed.rows, { signal });
}
