import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { SliceError } from "../contract/errors.js";
import { MANIFEST_FILE, type SliceManifest } from "../contract/slice/slice-manifest.js";
import { renameSynced } from "../files/durable-files.js";
import { manifestText } from "./read-slice-manifest.js";

/** A slice that was written or, being there already, kept. */
export interface WrittenSlice {
  /** Its folder: `<out>/<root>`. */
  readonly dir: string;
  /** Its root hash, hexadecimal: the slice's name. */
  readonly root: string;
  readonly manifest: SliceManifest;
  /** Bytes of all of its files. */
  readonly bytes: number;
}

/**
 * Puts a complete slice in its place, `<out>/<root>`, by one rename. Where the same slice is there already, that one is kept
 * and `dir` is deleted.
 * @throws SliceError `slice_damaged` when what is there is not the whole of this slice
 */
export async function publishSlice(dir: string, manifest: SliceManifest, out: string): Promise<WrittenSlice> {
  const root = manifest.mirrorlake.root;
  const target = join(out, root);
  const bytes = manifest.resources.reduce((sum, resource) => sum + resource.bytes, 0);
  if (await isSame(target, manifest)) await rm(dir, { recursive: true });
  else await renameSynced(dir, target);
  return { dir: target, root, manifest, bytes };
}

async function isSame(target: string, manifest: SliceManifest): Promise<boolean> {
  const there = await readFile(join(target, MANIFEST_FILE), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  const sizes = await Promise.all(
    manifest.resources.map(({ path }) =>
      stat(join(target, path)).then(
        (s) => s.size,
        () => undefined,
      ),
    ),
  );
  const whole =
    there === manifestText(manifest) && manifest.resources.every(({ bytes }, i) => bytes === sizes[i]);
  const absent = there === undefined && sizes.every((size) => size === undefined);
  if (whole || absent) return whole;
  throw new SliceError("slice_damaged", `Slice ${target} is there already, but damaged`, {
    value: target,
    remedy: "delete that folder and ingest again",
  });
}
