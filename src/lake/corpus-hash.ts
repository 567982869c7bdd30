import { checkArgument } from "../contract/check-options.js";
import { LakeFolderOption, SignalOption } from "../contract/option-schemas.js";
import { inSystemFolder } from "../files/system-folder.js";
import { type ContentHashOptions, contentHash } from "../store/generation/content-hash.js";
import { lakePaths } from "./lake-paths.js";
import { requireCurrent } from "./missing-current.js";
import { removedFrom } from "./open/open-view.js";

/**
 * Hashes the visible content of a lake, its slices without removals: SHA-256 over records (id, `prov.hash`,
 * capture, source) and raw items, each ordered by key. Lakes with the same slices and removals have equal
 * hashes, whatever the order of installs and compactions.
 * @throws LakeError `lake_empty`, `lake_current_missing`, `generation_missing`, `removals_corrupt`, `removals_missing`; the signal's reason when aborted
 */
export async function corpusHash(lake: string, signal?: AbortSignal): Promise<string> {
  checkArgument(LakeFolderOption, lake, "lake", "corpusHash");
  checkArgument(SignalOption.optional(), signal, "signal", "corpusHash");
  return hashCorpus(lake, { signal });
}

/**
 * Does what {@link corpusHash} does, and says how far it is.
 * @throws what {@link corpusHash} throws
 */
export async function hashCorpus(
  lake: string,
  options: Pick<ContentHashOptions, "onRows" | "signal">,
): Promise<string> {
  const generation = await requireCurrent(lake);
  const dir = lakePaths(lake).generation(generation);
  const removed = await removedFrom(lake, generation, dir);
  return inSystemFolder("hash", (tempDirectory) =>
    contentHash(dir, removed.rows, { ...options, tempDirectory }),
  );
}
