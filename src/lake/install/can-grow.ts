import { join } from "node:path";
import { LakeError } from "../../contract/errors.js";
import { canBuildUpon } from "../../search/build-index.js";
import { findFileFaults, readChecksums } from "../../store/generation/checksums.js";
import { GENERATION_FILES } from "../../store/generation/generation-manifest.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import { SEARCH_FOLDER, UNCHECKED_FILES } from "../lake-paths.js";
import type { InstallOptions } from "./install-options.js";
import type { Published } from "./published.js";

/**
 * Whether to extend a generation: few new records, not too many segments, and texts that its fitted embedder
 * still suits.
 */
export async function canGrow(
  { dir, manifest }: Published,
  added: readonly SourceSlice[],
  { embedder }: InstallOptions,
): Promise<boolean> {
  if (manifest === undefined || manifest.segments.length >= LAKE_DEFAULTS.maxSegments) return false;
  const records = added.reduce((sum, slice) => sum + slice.manifest.mirrorlake.counts.records, 0);
  const raw = added.reduce((sum, slice) => sum + slice.manifest.mirrorlake.counts.raw, 0);
  const few =
    records <= manifest.liveRecords * LAKE_DEFAULTS.rebuildShare &&
    records + raw <= (manifest.liveRecords + manifest.liveRaw) * LAKE_DEFAULTS.rebuildShare;
  return (
    few &&
    (await canBuildUpon(join(dir, SEARCH_FOLDER), manifest.liveRecords + records, embedder)) &&
    (await isSoundBase(dir))
  );
}

/** Whether the files that the next generation copies, rather than shares, are those that were written: damage must not be sealed anew. */
async function isSoundBase(dir: string): Promise<boolean> {
  try {
    const checksums = await readChecksums(dir);
    const only = [
      GENERATION_FILES.database,
      GENERATION_FILES.columns,
      GENERATION_FILES.slices,
      GENERATION_FILES.manifest,
    ];
    return (
      checksums === undefined ||
      (await findFileFaults(dir, checksums, { except: UNCHECKED_FILES, only })).length === 0
    );
  } catch (error) {
    if (error instanceof LakeError && error.code === "generation_corrupt") return false;
    throw error;
  }
}
