import { mkdir, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SliceError } from "../../contract/errors.js";
import { MANIFEST_FILE, type SliceManifest } from "../../contract/slice/slice-manifest.js";
import { copyApart } from "../../files/copy-apart.js";
import { renameSynced, syncTree } from "../../files/durable-files.js";
import { shareFile } from "../../files/share-file.js";
import { makeTemporaryFolder } from "../../files/temporary-folder.js";
import { refuseSlice } from "../../slice/refuse-slice.js";
import { type VerifyOptions, verifySlice } from "../../slice/verify-slice.js";
import type { FoundSlice } from "../find-slices.js";
import { lakePaths } from "../lake-paths.js";

/** Options of {@link placeSlice}. */
export interface PlaceOptions extends VerifyOptions {
  /** Whether files are copied that others have too. Default: they are hard-linked. */
  readonly copy?: boolean | undefined;
}

/**
 * Places a slice in a lake's folder of slices: files are hard-linked (copied across file systems, or on request), then the
 * lake's copy is verified.
 * @returns its folder in the lake
 * @throws SliceError; the lake then keeps nothing of the slice
 */
export async function placeSlice(lake: string, found: FoundSlice, options: PlaceOptions): Promise<string> {
  const { slices, slice } = lakePaths(lake);
  const { root } = found.manifest.mirrorlake;
  // What was fetched for this lake is no one else's.
  const apart = options.copy === true && dirname(found.dir) !== lakePaths(lake).incoming;
  const temporary = await makeTemporaryFolder(slices);
  try {
    const staged = join(temporary.path, basename(found.dir));
    await mkdir(staged);
    await bringFiles(found, staged, apart ? copyApart : shareFile);
    const verified = await verifySlice(staged, options).catch((error) => {
      throw namingSource(error, staged, found.dir);
    });
    if (verified.mirrorlake.root !== root)
      refuseSlice("slice_corrupt", found.dir, "it changed while it was read");
    await syncTree(staged);
    // Replace leftovers of a killed install, or a folder that an old reader uses: only this copy is verified.
    await rm(slice(root), { recursive: true, force: true });
    await renameSynced(staged, slice(root));
    return slice(root);
  } finally {
    await temporary.remove();
  }
}

/** Replaces the path of the lake's copy in an error with the caller's path. */
function namingSource(error: unknown, staged: string, source: string): unknown {
  if (!(error instanceof SliceError)) return error;
  const { code, message, value, remedy } = error;
  const named = (path: string) => path.replace(staged, () => source);
  if (typeof value === "string")
    return new SliceError(code, message, { value: named(value), remedy, cause: error });
  const { file } = (value ?? {}) as { readonly file?: unknown };
  if (typeof file !== "string") return error;
  return new SliceError(code, message, {
    value: { ...(value as object), file: named(file) },
    remedy,
    cause: error,
  });
}

async function bringFiles(
  { dir, manifest }: FoundSlice,
  to: string,
  bring: (from: string, to: string) => Promise<void>,
): Promise<void> {
  const declared = new Set<string>([MANIFEST_FILE, ...manifest.resources.map(({ path }) => path)]);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (!declared.has(entry.name)) {
      refuseSlice("slice_extra_file", dir, `it holds ${entry.name}, which its manifest does not name`, {
        value: join(dir, entry.name),
        remedy: "remove that file if it is yours; if not, do not trust the slice",
      });
    }
    if (!entry.isFile()) {
      refuseSlice("slice_not_a_file", dir, `${entry.name} is not a plain file`, {
        value: join(dir, entry.name),
      });
    }
    await bring(join(dir, entry.name), join(to, entry.name));
  }
}

/**
 * Checks that manifests agree on their platforms.
 * @throws SliceError `slice_platform_conflict`
 */
export function checkPlatforms(
  declared: readonly { readonly slug: string; readonly domain: string; readonly code: string }[],
  slices: readonly { readonly dir: string; readonly manifest: SliceManifest }[],
): void {
  const platforms = new Map(declared.map((platform) => [platform.slug, platform]));
  const codes = new Map(declared.map((platform) => [`${platform.domain}_${platform.code}`, platform]));
  for (const { dir, manifest } of slices) {
    const { platform } = manifest.mirrorlake;
    const { slug, domain, code } = platform;
    for (const other of [platforms.get(slug), codes.get(`${domain}_${code}`)]) {
      if (other === undefined || (other.slug === slug && other.domain === domain && other.code === code))
        continue;
      refuseSlice(
        "slice_platform_conflict",
        dir,
        `its platform ${slug} (${domain}, code ${code}) is another than ${other.slug} (${other.domain}, code ${other.code})`,
        { value: slug, remedy: "ingest it again with a slug and a code of its own" },
      );
    }
    platforms.set(slug, platform);
    codes.set(`${domain}_${code}`, platform);
  }
}
