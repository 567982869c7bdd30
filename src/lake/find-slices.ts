import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { LakeError } from "../contract/errors.js";
import { shellWord } from "../contract/shell-word.js";
import { MANIFEST_FILE, type SliceManifest } from "../contract/slice/slice-manifest.js";
import { restoreSetAside } from "../files/set-aside.js";
import { readSliceManifest } from "../slice/verify-slice.js";

const ROOT = /^[0-9a-f]{64}$/;
/** Most folders that an error names. */
const NAMED = 3;

/** A slice with a checked manifest and unchecked files. */
export interface FoundSlice {
  readonly dir: string;
  readonly manifest: SliceManifest;
}

/**
 * Finds slices. Each folder is a slice or contains slices, as the output of an ingest does. A slice listed
 * twice is returned once.
 * @throws LakeError `slices_not_found`; SliceError for an invalid manifest
 */
export async function findSlices(dirs: readonly string[]): Promise<FoundSlice[]> {
  const found = new Map<string, FoundSlice>();
  for (const given of dirs) {
    const dir = resolve(given);
    const slices = ROOT.test(basename(dir)) || (await isSlice(dir)) ? [dir] : await slicesIn(dir);
    for (const slice of slices) {
      const manifest = await readSliceManifest(slice);
      const { root } = manifest.mirrorlake;
      if (!found.has(root)) found.set(root, { dir: slice, manifest });
    }
  }
  return [...found.values()];
}

async function slicesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(async (cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT" && cause.code !== "ENOTDIR") throw cause;
    if (cause.code === "ENOENT" && (await restoreSetAside(dir))) return readdir(dir, { withFileTypes: true });
    throw notFound(dir, cause.code === "ENOENT" ? "it does not exist" : "it is not a folder", cause);
  });
  const slices = await slicesAmong(dir, entries);
  if (slices.length > 0) return slices;
  const reason = `neither it nor a folder in it holds ${MANIFEST_FILE}`;
  throw notFound(dir, reason, undefined, await foldersOfSlices(dir, entries));
}

async function slicesAmong(dir: string, entries: readonly Dirent[]): Promise<string[]> {
  const slices: string[] = [];
  for (const path of await foldersAmong(dir, entries))
    if (ROOT.test(basename(path)) || (await isSlice(path))) slices.push(path);
  return slices;
}

/** The folders in a folder, and those that links in it lead to, by name, without hidden ones. */
async function foldersAmong(dir: string, entries: readonly Dirent[]): Promise<string[]> {
  const folders: string[] = [];
  for (const entry of entries) {
    const path = join(dir, entry.name);
    if (entry.name.startsWith(".")) continue;
    if (entry.isDirectory() || (entry.isSymbolicLink() && (await leadsToFolder(path)))) folders.push(path);
  }
  return folders.sort((a, b) => (a < b ? -1 : 1));
}

/** Whether a link leads to a folder; one that leads nowhere does not. */
async function leadsToFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ELOOP" || error.code === "ENOTDIR") return false;
      throw error;
    },
  );
}

/** The folders in a folder that hold slices. */
async function foldersOfSlices(dir: string, entries: readonly Dirent[]): Promise<string[]> {
  const holding: string[] = [];
  for (const path of await foldersAmong(dir, entries)) {
    const within = await readdir(path, { withFileTypes: true });
    if ((await slicesAmong(path, within)).length > 0) holding.push(path);
  }
  return holding;
}

async function isSlice(dir: string): Promise<boolean> {
  return stat(join(dir, MANIFEST_FILE)).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return false;
      throw error;
    },
  );
}

function notFound(dir: string, reason: string, cause?: unknown, further: readonly string[] = []): LakeError {
  return new LakeError("slices_not_found", `There is no slice in ${dir}: ${reason}`, {
    value: dir,
    remedy:
      further.length === 0
        ? "name a folder that `mirrorlake ingest` wrote, or one of the slices in it"
        : `name the folders in it that hold slices: ${listed(further)}`,
    cause,
  });
}

function listed(paths: readonly string[]): string {
  const words = paths.slice(0, NAMED).map(shellWord).join(" ");
  return paths.length <= NAMED ? words : `${words} and ${paths.length - NAMED} more`;
}
