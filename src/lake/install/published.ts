import { readdir } from "node:fs/promises";
import { LakeError } from "../../contract/errors.js";
import { readSliceManifest } from "../../slice/verify-slice.js";
import {
  type GenerationManifest,
  readGenerationManifest,
  readSliceManifests,
} from "../../store/generation/generation-manifest.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { publishCurrent, readCurrent } from "../current.js";
import { lakePaths } from "../lake-paths.js";
import { generationNumbers } from "../open/leases.js";

/** The published generation, as the base of another. */
export interface Published {
  readonly number: number;
  readonly dir: string;
  readonly slices: readonly SourceSlice[];
  /** Absent if the generation cannot be extended: damaged, or of another format. */
  readonly manifest?: GenerationManifest;
}

/** Number of the published generation; undefined without a valid one. */
export async function currentOrNone(lake: string): Promise<number | undefined> {
  return readCurrent(lake).catch((error: unknown) => {
    if (error instanceof LakeError) return undefined;
    throw error;
  });
}

/**
 * Reads the published generation of a lake; undefined before the first install. A damaged one is described by
 * its slices.
 */
export async function readPublished(lake: string): Promise<Published | undefined> {
  const paths = lakePaths(lake);
  let number: number | undefined;
  try {
    number = (await readCurrent(lake)) ?? (await adoptNewest(lake));
    if (number === undefined) return undefined;
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

/**
 * Without CURRENT, publishes the newest complete generation: it was published, or its install was killed just
 * before.
 */
async function adoptNewest(lake: string): Promise<number | undefined> {
  for (const number of (await generationNumbers(lake)).reverse()) {
    const dir = lakePaths(lake).generation(number);
    const whole = await readGenerationManifest(dir).then(
      () => true,
      () => false,
    );
    if (!whole) continue;
    await publishCurrent(lake, number);
    return number;
  }
  return undefined;
}

/** Reads the slices of a lake whose generation is damaged or of another format, to rebuild it. */
async function recoverPublished(lake: string, current: number | undefined): Promise<Published> {
  const paths = lakePaths(lake);
  const slices: SourceSlice[] = [];
  for (const name of await readdir(paths.slices)) {
    if (!/^[0-9a-f]{64}$/.test(name)) continue;
    const dir = paths.slice(name);
    slices.push({ dir, manifest: await readSliceManifest(dir) });
  }
  const numbers = (await readdir(paths.generations)).map(Number).filter(Number.isInteger);
  const number = Math.max(current ?? 0, ...numbers, 0);
  return { number, dir: paths.generation(number), slices };
}
