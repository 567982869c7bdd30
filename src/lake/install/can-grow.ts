import { join } from "node:path";
import { LakeError } from "../../contract/errors.js";
import { canBuildUpon } from "../../search/build-upon.js";
import { findFileFaults, readChecksums } from "../../store/generation/checksums.js";
import { GENERATION_FILES, grownBy } from "../../store/generation/generation-manifest.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { SEARCH_FOLDER, UNCHECKED_FILES } from "../lake-paths.js";
import { isSmallGrowth } from "./growth-rule.js";
import type { InstallOptions } from "./install-options.js";
import type { Published } from "./published.js";

/** Whether to extend a generation: few new records, and texts that its fitted embedder still suits. */
export async function canGrow(
  { dir, manifest }: Published,
  added: readonly SourceSlice[],
  { embedder }: InstallOptions,
): Promise<boolean> {
  if (manifest === undefined) return false;
  const { liveRecords, liveRaw } = manifest;
  const sum = (count: "records" | "raw") =>
    added.reduce((total, slice) => total + slice.manifest.mirrorlake.counts[count], 0);
  const records = sum("records");
  return (
    isSmallGrowth({ liveRecords, liveRaw }, { records, raw: sum("raw") }) &&
    (await canBuildUpon(
      join(dir, SEARCH_FOLDER),
      { documents: liveRecords + records, brought: grownBy(manifest) + records },
      embedder,
    )) &&
    (await isSoundBase(dir))
  );
}

/** Whether the files that the next generation copies, rather than shares, are those that were written: damage must not get new checksums. */
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
