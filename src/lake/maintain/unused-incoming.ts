import { readdir, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { SliceError } from "../../contract/errors.js";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { exists } from "../../files/process-lock.js";
import { supersededRoots } from "../../slice/superseded-roots.js";
import { readSliceManifest } from "../../slice/verify-slice.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import { type LakeLock, tryPullLock } from "../install/install-lock.js";
import { lakePaths } from "../lake-paths.js";
import { readRemovals, removedRoots } from "../removals/removals-file.js";
import { sliceFault } from "../slice-fault.js";
import { removeItem, type Unused } from "./remove-unused.js";

/** What pulls left in a lake's incoming folder. */
export interface Incoming {
  /** What no pull will use: slices that the lake holds, supersedes or has removed, and what was not asked for again. */
  readonly unused: readonly Unused[];
  /** Paths of what the next pull goes on with. */
  readonly waiting: readonly string[];
}

/**
 * Tells what the incoming folder holds. It changes nothing; without the pull lock a pull may be at work there.
 * @param held manifests of the slices that the lake holds
 * @param nowMs time, from which the age of leftovers is counted
 */
export async function findIncoming(
  lake: string,
  held: readonly SliceManifest[],
  nowMs: number,
): Promise<Incoming> {
  const { incoming } = lakePaths(lake);
  const names = await namesIn(incoming);
  if (names.length === 0) return { unused: [], waiting: [] };
  const gone = new Set(supersededRoots(held.map(({ mirrorlake }) => mirrorlake)));
  for (const root of removedRoots(await readRemovals(lake))) gone.add(root);
  // Where the lake's own files are damaged, the next pull repairs them from here.
  for (const manifest of held)
    if (names.includes(manifest.mirrorlake.root) || names.some(isDataset))
      if ((await sliceFault(lake, manifest)) === undefined) gone.add(manifest.mirrorlake.root);
  const unused: Unused[] = [];
  const waiting: string[] = [];
  const oldestMs = nowMs - LAKE_DEFAULTS.incomingDays * 86_400_000;
  for (const name of names) {
    const path = join(incoming, name);
    const isDone = gone.has(name) || (isDataset(name) && (await isInstalled(path, gone)));
    if (isDone || (await newestMs(path, nowMs)) < oldestMs) unused.push({ kind: "incoming", path });
    else waiting.push(path);
  }
  return { unused, waiting };
}

/** Removes what {@link findIncoming} calls unused, and the folder if nothing is left in it. Requires the pull lock. */
export async function removeFromIncoming(
  lake: string,
  held: readonly SliceManifest[],
  nowMs: number,
): Promise<void> {
  for (const item of (await findIncoming(lake, held, nowMs)).unused) await removeItem(item);
  await removeEmptyIncoming(lake);
}

/** Does as {@link removeFromIncoming} does, under the pull lock; does nothing while a pull is under way: it tidies up itself. */
export async function tidyIncoming(
  lake: string,
  held: readonly SliceManifest[],
  nowMs: number,
): Promise<void> {
  const lock = await lockIncoming(lake);
  try {
    if (lock !== undefined) await removeFromIncoming(lake, held, nowMs);
  } finally {
    await lock?.release();
  }
}

/** Takes the pull lock if there is an incoming folder and no pull under way. */
export async function lockIncoming(lake: string): Promise<LakeLock | undefined> {
  return (await exists(lakePaths(lake).incoming)) ? tryPullLock(lake) : undefined;
}

/** Removes the incoming folder if it is empty. */
export async function removeEmptyIncoming(lake: string): Promise<void> {
  await rmdir(lakePaths(lake).incoming).catch((error: NodeJS.ErrnoException) => {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(error.code ?? "")) throw error;
  });
}

/** Whether a name in the incoming folder is that of a dataset of plain files. */
function isDataset(name: string): boolean {
  return name.startsWith("dataset-");
}

/** Whether a dataset was converted, and every slice of it is among some roots: its pull ended just before it tidied up. */
async function isInstalled(dataset: string, roots: ReadonlySet<string>): Promise<boolean> {
  const slices = join(dataset, "slices");
  const found: string[] = [];
  for (const entry of await readdir(slices, { withFileTypes: true }).catch(noneIfAbsent)) {
    if (!entry.isDirectory()) continue;
    const manifest = await readSliceManifest(join(slices, entry.name)).catch((error: unknown) => {
      if (error instanceof SliceError) return undefined;
      throw error;
    });
    found.push(manifest?.mirrorlake.root ?? "");
  }
  return found.length > 0 && found.every((root) => roots.has(root));
}

/** When something in a file or folder was last written; `absent` if it is gone. */
async function newestMs(path: string, absent: number): Promise<number> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (stats === undefined) return absent;
  let newest = stats.mtimeMs;
  for (const name of stats.isDirectory() ? await namesIn(path) : [])
    newest = Math.max(newest, await newestMs(join(path, name), newest));
  return newest;
}

async function namesIn(dir: string): Promise<string[]> {
  return readdir(dir).catch(noneIfAbsent);
}

function noneIfAbsent(error: NodeJS.ErrnoException): never[] {
  if (error.code === "ENOENT") return [];
  throw error;
}
