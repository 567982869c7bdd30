import { LakeError, SliceError } from "../../contract/errors.js";
import { shellWord } from "../../contract/shell-word.js";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { readSliceManifest } from "../../slice/verify-slice.js";
import {
  type GenerationManifest,
  readGenerationManifest,
  readSliceManifests,
} from "../../store/generation/generation-manifest.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { NOTHING_REMOVED, type RemovedRows } from "../../store/removals/removed-rows.js";
import { readCurrent } from "../current.js";
import type { FoundSlice } from "../find-slices.js";
import { lakePaths } from "../lake-paths.js";
import { isFirstInstall, newestGeneration, sliceRoots } from "../missing-current.js";
import { generationNumbers } from "../open/leases.js";
import { currentDigest, removedRowsOf } from "../removals/removals-file.js";
import { adoptNewest } from "./adopt-newest.js";

/** The published generation, as the base of another. */
export interface Published {
  /** 0 where neither CURRENT nor a folder of a generation says which it was. */
  readonly number: number;
  readonly dir: string;
  readonly slices: readonly SourceSlice[];
  /** Absent if the generation cannot be extended: damaged, or of another format. */
  readonly manifest?: GenerationManifest;
  /** Its number, where CURRENT was missing. */
  readonly restored?: number;
}

/** Numbers of items. */
export interface ItemCounts {
  readonly records: number;
  readonly raw: number;
}

/** Number of the published generation; undefined without a valid one. */
export async function currentOrNone(lake: string): Promise<number | undefined> {
  return readCurrent(lake).catch((error: unknown) => {
    if (error instanceof LakeError) return undefined;
    throw error;
  });
}

/**
 * Numbers of records and raw items of a generation that are shown: no other edition replaced them, no removal hides them. 0 without a
 * readable one. Where it is not known what is hidden, as in a copy of a lake, nothing is.
 */
export function shownItems(lake: string, published: Published | undefined): ItemCounts {
  if (published?.manifest === undefined) return { records: 0, raw: 0 };
  const { records, raw } = hiddenRows(lake, published.number);
  const { liveRecords, liveRaw } = published.manifest;
  return { records: liveRecords - records.length, raw: liveRaw - raw.length };
}

function hiddenRows(lake: string, generation: number): RemovedRows {
  const digest = currentDigest(lake);
  if (digest === undefined) return NOTHING_REMOVED;
  try {
    return removedRowsOf(lake, generation, digest);
  } catch (error) {
    if (error instanceof LakeError && error.code === "removals_unresolved") return NOTHING_REMOVED;
    throw error;
  }
}

/** Options of {@link readPublished}. */
export interface ReadPublishedOptions {
  /** The clock's time, epoch ms. */
  readonly nowMs: number;
  /** Writes nothing: of a lake without CURRENT only tells what would be published again. */
  readonly dryRun?: boolean;
  /** Slices from elsewhere whose manifests stand for those of the lake's copies, where these cannot be read. */
  readonly offered?: readonly FoundSlice[];
}

/**
 * Reads the published generation of a lake; undefined before the first install. A damaged one is described by
 * the lake's slices, and so is one that was lost with its whole folder. Where CURRENT is missing, the newest complete generation is published again. Requires the install lock.
 * @throws LakeError `removals_corrupt`, `removals_missing` where CURRENT is missing; SliceError where a damaged generation has a damaged slice
 */
export async function readPublished(
  lake: string,
  { nowMs, dryRun = false, offered = [] }: ReadPublishedOptions,
): Promise<Published | undefined> {
  const current = await readCurrent(lake).catch((error: unknown) => {
    if (error instanceof LakeError) return "invalid" as const;
    throw error;
  });
  if (current === "invalid") return recoverPublished(lake, undefined, offered);
  if (current !== undefined) return describe(lake, current, offered);
  const restored = await (dryRun ? newestGeneration(lake) : adoptNewest(lake, nowMs));
  if (restored !== undefined) return { ...(await describe(lake, restored, offered)), restored };
  const generations = await generationNumbers(lake);
  if (generations.length === 0 && ((await isFirstInstall(lake)) || (await sliceRoots(lake)).length === 0))
    return undefined;
  return recoverPublished(lake, undefined, offered);
}

async function describe(lake: string, number: number, offered: readonly FoundSlice[]): Promise<Published> {
  const paths = lakePaths(lake);
  try {
    const dir = paths.generation(number);
    const manifest = await readGenerationManifest(dir);
    const manifests = await readSliceManifests(dir);
    return {
      number,
      dir,
      manifest,
      slices: manifests.map((m) => ({ dir: paths.slice(m.mirrorlake.root), manifest: m })),
    };
  } catch (error) {
    const damaged = error instanceof LakeError || (error as NodeJS.ErrnoException).code === "ENOENT";
    if (!damaged) throw error;
  }
  return recoverPublished(lake, number, offered);
}

/** Reads the slices of a lake whose generation is damaged or of another format, to rebuild it. */
async function recoverPublished(
  lake: string,
  current: number | undefined,
  offered: readonly FoundSlice[],
): Promise<Published> {
  const paths = lakePaths(lake);
  const slices: SourceSlice[] = [];
  for (const root of await sliceRoots(lake)) {
    const dir = paths.slice(root);
    const whole = offered.find(({ manifest }) => manifest.mirrorlake.root === root);
    slices.push({ dir, manifest: await manifestOf(lake, dir, whole?.manifest) });
  }
  const number = Math.max(current ?? 0, ...(await generationNumbers(lake)), 0);
  return { number, dir: paths.generation(number), slices };
}

/** The manifest of a lake's slice, or that of a whole copy where it cannot be read. */
async function manifestOf(
  lake: string,
  dir: string,
  whole: SliceManifest | undefined,
): Promise<SliceManifest> {
  try {
    return await readSliceManifest(dir);
  } catch (error) {
    if (!(error instanceof SliceError)) throw error;
    if (whole !== undefined) return whole;
    const { code, message, value } = error;
    const remedy = `install a whole copy of it first: mirrorlake install <the slice from where it came> --lake ${shellWord(lake)}`;
    throw new SliceError(code, message, { value, remedy, cause: error });
  }
}
