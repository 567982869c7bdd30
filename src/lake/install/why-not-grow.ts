import { join } from "node:path";
import { LakeError } from "../../contract/errors.js";
import { whyNotBuildUpon } from "../../search/build-upon.js";
import type { Embedder } from "../../search/embed/embedder.js";
import { findFileFaults, readChecksums } from "../../store/generation/checksums.js";
import {
  GENERATION_FILES,
  type GenerationManifest,
  grownBy,
} from "../../store/generation/generation-manifest.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import type { SegmentSize } from "../../store/generation/merge-policy.js";
import { SEARCH_FOLDER, UNCHECKED_FILES } from "../lake-paths.js";
import { isSmallGrowth } from "./growth-rule.js";
import type { InstallOptions } from "./install-options.js";
import type { Published } from "./published.js";
import type { RebuildReason } from "./rebuild.js";

/**
 * Why a generation is not just extended by slices: it cannot be, or many new records come (`growth`), or its fitted embedder no longer suits
 * the texts (`fit`). Undefined where it is.
 */
export async function whyNotGrow(
  { dir, manifest }: Published,
  added: readonly SourceSlice[],
  { embedder }: InstallOptions,
): Promise<RebuildReason | undefined> {
  if (manifest === undefined) return "damaged";
  const { records } = itemsOf(added);
  const extension = { documents: manifest.liveRecords + records, brought: grownBy(manifest) + records };
  const refused = await whyNotBuildUpon(join(dir, SEARCH_FOLDER), extension, embedder);
  if (refused === "index") return "index";
  if (!(await isSoundBase(dir))) return "damaged";
  return isSmallGrowth(manifest, { records }) ? refused : "growth";
}

/**
 * Why a generation's index would be built again though nothing comes: its vectors come from another embedder than the one given (`index`), or
 * too much came since the lake's own was fitted (`fit`). Undefined where it suits. @throws SearchError `index_unreadable`
 */
export async function whyOutgrown(
  { dir, manifest }: { readonly dir: string; readonly manifest: GenerationManifest },
  embedder?: Embedder,
): Promise<"index" | "fit" | undefined> {
  const grown = { documents: manifest.liveRecords, brought: grownBy(manifest) };
  return whyNotBuildUpon(join(dir, SEARCH_FOLDER), grown, embedder);
}

/** How many items slices bring. */
export function itemsOf(slices: readonly SourceSlice[]): SegmentSize {
  const sum = (count: "records" | "raw") =>
    slices.reduce((total, slice) => total + slice.manifest.mirrorlake.counts[count], 0);
  return { records: sum("records"), raw: sum("raw") };
}

/** Whether the files that the next generation copies, rather than shares, are those that were written: damage must not get new checksums. */
export async function isSoundBase(dir: string): Promise<boolean> {
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
