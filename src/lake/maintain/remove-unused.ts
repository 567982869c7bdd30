import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { findAbandonedFolders } from "../../files/temporary-folder.js";
import { GENERATION_FILES, readSliceManifests } from "../../store/generation/generation-manifest.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { SALT_FOLDER } from "../author-salt.js";
import { readCurrent } from "../current.js";
import { lakePaths } from "../lake-paths.js";
import { heldGenerations } from "../open/leases.js";
import { currentDigest } from "../removals/removals-file.js";

/** An unused file or folder of a lake. */
export interface Unused {
  readonly kind: "generation" | "slice" | "temporary" | "removed-rows" | "incoming";
  readonly path: string;
}

/**
 * Finds unused files: those of killed work, old generations without readers, slices of no remaining generation,
 * and hidden rows of older removal states. Without a current generation every slice stays: generations can be
 * rebuilt, slices cannot. Requires the install lock.
 *
 * @param roots further slices to keep
 */
export async function findUnused(
  lake: string,
  current: number | undefined,
  roots: ReadonlySet<string>,
): Promise<Unused[]> {
  const paths = lakePaths(lake);
  const unused: Unused[] = [];
  const add = (kind: Unused["kind"], path: string) => unused.push({ kind, path });
  for (const folder of [lake, paths.slices, paths.generations, paths.removed]) {
    for (const path of await findAbandonedFolders(folder)) add("temporary", path);
  }
  for (const path of await findAbandonedFolders(lake, SALT_FOLDER)) add("temporary", path);
  for (const name of await namesIn(lake)) {
    if (
      /^\.(CURRENT-next|datasets-next|removals-\d+|(mirrorlake\.json|author-salt)-\d+-[0-9a-f]{8})$/.test(
        name,
      )
    )
      add("temporary", join(lake, name));
  }
  // As releases before 0.2.0 named what they wrote.
  for (const name of await namesIn(lake))
    if (/^(catalogue|mirrorlake)\.json-\d+\.tmp$/.test(name)) add("temporary", join(lake, name));
  for (const name of await namesIn(paths.removed))
    if (/^\.\d+-\d+$/.test(name)) add("temporary", join(paths.removed, name));
  for (const name of await namesIn(paths.locks))
    if (/^(install|pull)\.[0-9a-f]{16}$/.test(name)) add("temporary", join(paths.locks, name));
  const held = await heldGenerations(lake);
  const needed = new Set(roots);
  const numbers = (await namesIn(paths.generations)).map(Number).filter(Number.isInteger);
  for (const number of numbers) {
    if (number === current) continue;
    const dir = paths.generation(number);
    if (!held.has(number)) add("generation", dir);
    // A reader of an older generation may hand out its slices.
    else for (const root of await rootsOf(dir)) needed.add(root);
  }
  if (current !== undefined) {
    for (const name of await namesIn(paths.slices)) {
      if (/^[0-9a-f]{64}$/.test(name) && !needed.has(name)) add("slice", join(paths.slices, name));
    }
  }
  const digest = currentDigest(lake);
  for (const name of await namesIn(paths.removed)) {
    const [, generation, of] = /^(\d+)-([0-9a-f]{64})\.json$/.exec(name) ?? [];
    if (generation === undefined) continue;
    const number = Number(generation);
    const stays = of === digest && (number === current || (held.has(number) && numbers.includes(number)));
    if (!stays) add("removed-rows", join(paths.removed, name));
  }
  return unused;
}

/**
 * Removes what {@link findUnused} found. A generation loses its manifest first: without its lock file it would look like
 * one of release 0.1.0 to who comes after a kill, and be kept for readers that may be there.
 */
export async function removeItem({ kind, path }: Unused): Promise<void> {
  if (kind === "generation") await rm(join(path, GENERATION_FILES.manifest), { force: true });
  await rm(path, { recursive: true, force: true });
}

/** Removes all that {@link findUnused} finds. */
export async function removeUnused(
  lake: string,
  current: number | undefined,
  roots: ReadonlySet<string>,
): Promise<void> {
  for (const item of await findUnused(lake, current, roots)) await removeItem(item);
}

/**
 * Removes what {@link findUnused} finds beside a published generation: before another is built, too, since each that was killed may have left
 * as much as a generation takes. Requires the install lock.
 */
export async function removeLeftovers(
  lake: string,
  { number, slices }: { readonly number: number; readonly slices: readonly SourceSlice[] },
): Promise<void> {
  await removeUnused(lake, number, new Set(slices.map(({ manifest }) => manifest.mirrorlake.root)));
}

/** Removes hidden rows of older removal states and of missing generations. */
export async function removeStaleRows(lake: string, current: number | undefined): Promise<void> {
  for (const { kind, path } of await findUnused(lake, current, new Set()))
    if (kind === "removed-rows") await rm(path, { force: true });
}

/** Bytes of a file or of everything in a folder. */
export async function bytesOf(path: string): Promise<number> {
  const stats = await stat(path);
  if (!stats.isDirectory()) return stats.size;
  let bytes = 0;
  for (const name of await readdir(path)) bytes += await bytesOf(join(path, name));
  return bytes;
}

/** Bytes of the published generation: what another of the same content takes. */
export async function currentBytes(lake: string): Promise<number | undefined> {
  const current = await readCurrent(lake);
  return current === undefined ? undefined : bytesOf(lakePaths(lake).generation(current));
}

async function rootsOf(generation: string): Promise<string[]> {
  const manifests = await readSliceManifests(generation).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.name === "LakeError") return [];
    throw error;
  });
  return manifests.map(({ mirrorlake }) => mirrorlake.root);
}

async function namesIn(dir: string): Promise<string[]> {
  return readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}
