import { LakeError } from "../../contract/errors.js";
import { readSliceManifest } from "../../slice/verify-slice.js";
import {
  type GenerationManifest,
  readGenerationManifest,
  readSliceManifests,
} from "../../store/generation/generation-manifest.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { readCurrent } from "../current.js";
import { lakePaths } from "../lake-paths.js";
import { isFirstInstall, newestGeneration, sliceRoots } from "../missing-current.js";
import { generationNumbers } from "../open/leases.js";
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

/** Number of the published generation; undefined without a valid one. */
export async function currentOrNone(lake: string): Promise<number | undefined> {
  return readCurrent(lake).catch((error: unknown) => {
    if (error instanceof LakeError) return undefined;
    throw error;
  });
}

/** Options of {@link readPublished}. */
export interface ReadPublishedOptions {
  /** The clock's time, epoch ms. */
  readonly nowMs: number;
  /** Writes nothing: of a lake without CURRENT only tells what would be published again. */
  readonly dryRun?: boolean;
}

/**
 * Reads the published generation of a lake; undefined before the first install. A damaged one is described by
 * the lake's slices, and so is one that was lost with its whole folder. Where CURRENT is missing, the newest complete generation is published again. Requires the install lock.
 * @throws LakeError `removals_corrupt`, `removals_missing` where CURRENT is missing
 */
export async function readPublished(
  lake: string,
  { nowMs, dryRun = false }: ReadPublishedOptions,
): Promise<Published | undefined> {
  const current = await readCurrent(lake).catch((error: unknown) => {
    if (error instanceof LakeError) return "invalid" as const;
    throw error;
  });
  if (current === "invalid") return recoverPublished(lake, undefined);
  if (current !== undefined) return describe(lake, current);
  const restored = await (dryRun ? newestGeneration(lake) : adoptNewest(lake, nowMs));
  if (restored !== undefined) return { ...(await describe(lake, restored)), restored };
  const generations = await generationNumbers(lake);
  if (generations.length === 0 && ((await isFirstInstall(lake)) || (await sliceRoots(lake)).length === 0))
    return undefined;
  return recoverPublished(lake, undefined);
}

async function describe(lake: string, number: number): Promise<Published> {
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
  return recoverPublished(lake, number);
}

/** Reads the slices of a lake whose generation is damaged or of another format, to rebuild it. */
async function recoverPublished(lake: string, current: number | undefined): Promise<Published> {
  const paths = lakePaths(lake);
  const slices: SourceSlice[] = [];
  for (const root of await sliceRoots(lake)) {
    const dir = paths.slice(root);
    slices.push({ dir, manifest: await readSliceManifest(dir) });
  }
  const number = Math.max(current ?? 0, ...(await generationNumbers(lake)), 0);
  return { number, dir: paths.generation(number), slices };
}
