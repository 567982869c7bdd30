import { checkArgument } from "../contract/check-options.js";
import { PathOption } from "../contract/option-schemas.js";
import { readCurrent } from "./current.js";
import type { WithheldSlice } from "./lake.js";
import { lakePaths } from "./lake-paths.js";
import { removedFrom } from "./open/open-view.js";

/**
 * The slices of a lake that hold something that was removed from it, by root, with how many records and raw items: their
 * files must not be handed out, published or copied as they are. `compact` puts revisions in their place.
 * @throws LakeError `lake_current_invalid`, `removals_corrupt`, `removals_missing`
 */
export async function withheldSlices(lake: string): Promise<ReadonlyMap<string, WithheldSlice>> {
  checkArgument(PathOption, lake, "lake", "withheldSlices");
  const generation = await readCurrent(lake);
  if (generation === undefined) return new Map();
  const { rows } = await removedFrom(lake, generation, lakePaths(lake).generation(generation));
  return new Map(Object.entries(rows.slices));
}
