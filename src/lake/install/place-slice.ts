import { mkdir, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { SliceError } from "../../contract/errors.js";
import { MANIFEST_FILE, type SliceManifest } from "../../contract/slice/slice-manifest.js";
import { renameSynced, syncTree } from "../../files/durable-files.js";
import { shareFile } from "../../files/share-file.js";
import { makeTemporaryFolder } from "../../files/temporary-folder.js";
import { refuseSlice } from "../../slice/refuse-slice.js";
import { type VerifyOptions, verifySlice } from "../../slice/verify-slice.js";
import type { FoundSlice } from "../find-slices.js";
import { lakePaths } from "../lake-paths.js";

/**
 * Brings a slice into a lake's folder of slices, verified: its files are shared by hard links (copied across file
 * systems), and it is the lake's own copy that is checked.
 * @returns its folder in the lake
 * @throws SliceError; nothing of the slice then stays in the lake
 */
export async function placeSlice(lake: string, found: FoundSlice, options: VerifyOptions): Promise<string> {
  const { slices, slice } = lakePaths(lake);
  const { root } = found.manifest.mirrorlake;
  const temporary = await makeTemporaryFolder(slices);
  try {
    const staged = join(temporary.path, basename(found.dir));
    await mkdir(staged);
    await shareFiles(found, staged);
    const verified = await verifySlice(staged, options).catch((error) => {
      throw namingSource(error, staged, found.dir);
    });
    if (verified.mirrorlake.root !== root)
      refuseSlice("slice_corrupt", found.dir, "it changed while it was read");
    await syncTree(staged);
    // What a killed install left, or a reader of an older generation still has: this copy is verified, that one is not.
    await rm(slice(root), { recursive: true, force: true });
    await renameSynced(staged, slice(root));
    return slice(root);
  } finally {
    await temporary.remove();
  }
}

/** The error with the file that the caller named in place of the lake's copy of it. */
function namingSource(error: unknown, staged: string, source: string): unknown {
  if (!(error instanceof SliceError) || typeof error.value !== "string") return error;
  const { code, message, value, remedy } = error;
  return new SliceError(code, message, { value: value.replace(staged, () => source), remedy, cause: error });
}

async function shareFiles({ dir, manifest }: FoundSlice, to: string): Promise<void> {
  const known = new Set<string>([MANIFEST_FILE, ...manifest.resources.map(({ path }) => path)]);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (!known.has(entry.name)) {
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
    await shareFile(join(dir, entry.name), join(to, entry.name));
  }
}

/** Whether the manifests agree on what their platforms are. @throws SliceError `slice_platform_conflict` */
export function checkPlatforms(
  known: readonly { readonly slug: string; readonly domain: string; readonly code: string }[],
  slices: readonly { readonly dir: string; readonly manifest: SliceManifest }[],
): void {
  const platforms = new Map(known.map((platform) => [platform.slug, platform]));
  const codes = new Map(known.map((platform) => [`${platform.domain}_${platform.code}`, platform]));
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
