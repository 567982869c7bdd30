import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { SliceError } from "../contract/errors.js";
import { MANIFEST_FILE, type SliceManifest } from "../contract/slice/slice-manifest.js";
import { renameSynced } from "../files/durable-files.js";
import { manifestText } from "../slice/read-slice-manifest.js";

/** A slice that was written, or kept because it existed. */
export interface WrittenSlice {
  /** Folder: `<out>/<root>`. */
  readonly dir: string;
  /** Root hash, hexadecimal: the slice's name. */
  readonly root: string;
  readonly manifest: SliceManifest;
  /** Bytes of all files. */
  readonly bytes: number;
}

/**
 * Moves a complete slice to `<out>/<root>` by one rename. If the same slice exists there, it is kept and `dir` is deleted.
 * @throws SliceError `slice_damaged` if the existing folder is not this slice in full
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
  const existing = await readFile(join(target, MANIFEST_FILE), "utf8").catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    },
  );
  const sizes = await Promise.all(
    manifest.resources.map(({ path }) =>
      stat(join(target, path)).then(
        (s) => s.size,
        () => undefined,
      ),
    ),
  );
  const whole =
    existing === manifestText(manifest) && manifest.resources.every(({ bytes }, i) => bytes === sizes[i]);
  const absent = existing === undefined && sizes.every((size) => size === undefined);
  if (whole || absent) return whole;
  throw new SliceError("slice_damaged", `Slice ${target} exists but is damaged`, {
    value: target,
    remedy: "delete that folder and ingest again",
  });
}
