import { readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { LakeError } from "../contract/errors.js";
import { MANIFEST_FILE, type SliceManifest } from "../contract/slice/slice-manifest.js";
import { restoreSetAside } from "../files/set-aside.js";
import { readSliceManifest } from "../slice/verify-slice.js";

const ROOT = /^[0-9a-f]{64}$/;

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
  const slices: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!entry.isDirectory() || entry.name.startsWith(".")) continue;
    const path = join(dir, entry.name);
    if (ROOT.test(entry.name) || (await isSlice(path))) slices.push(path);
  }
  if (slices.length === 0) throw notFound(dir, `neither it nor a folder in it holds ${MANIFEST_FILE}`);
  return slices;
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

function notFound(dir: string, reason: string, cause?: unknown): LakeError {
  return new LakeError("slices_not_found", `There is no slice in ${dir}: ${reason}`, {
    value: dir,
    remedy: "name a folder that `mirrorlake ingest` wrote, or one of the slices in it",
    cause,
  });
}
