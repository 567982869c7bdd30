import { checkArgument } from "../contract/check-options.js";
import { LakeFolderOption } from "../contract/option-schemas.js";
import type { WithheldSlice } from "./lake-handle.js";
import { lakePaths } from "./lake-paths.js";
import { currentUnlessNew } from "./missing-current.js";
import { removedFrom } from "./open/open-view.js";

/**
 * Returns the slices of a lake with removed content, by root, with counts of records and raw items: their files
 * must not be handed out, published or copied. `compact` replaces them with revisions.
 * @throws LakeError `lake_current_invalid`, `lake_current_missing`, `generation_missing`, `removals_corrupt`, `removals_missing`
 */
export async function withheldSlices(lake: string): Promise<ReadonlyMap<string, WithheldSlice>> {
  checkArgument(LakeFolderOption, lake, "lake", "withheldSlices");
  const generation = await currentUnlessNew(lake);
  if (generation === undefined) return new Map();
  const { rows } = await removedFrom(lake, generation, lakePaths(lake).generation(generation));
  return new Map(Object.entries(rows.slices));
}
