import { resolve } from "node:path";
import { checkSlices } from "../../slice/check-slices.js";
import { type VerifyOptions, verifySlice } from "../../slice/verify-slice.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import type { FoundSlice } from "../find-slices.js";
import { lakePaths } from "../lake-paths.js";
import type { InstallOptions } from "./install-options.js";
import { placeSlice } from "./place-slice.js";
import { verifyProgress } from "./verify-progress.js";

/** Verifies slices and places them in a lake, those of its own folder where they stand; each is added to `placed` once it is there. */
export async function placeSlices(
  fresh: readonly FoundSlice[],
  placed: SourceSlice[],
  options: InstallOptions,
): Promise<void> {
  const { lake, copy, signal, onProgress } = options;
  const onBytes = verifyProgress(fresh, onProgress);
  await checkSlices(fresh, async (slice, database) => {
    signal?.throwIfAborted();
    const place =
      slice.dir === resolve(lakePaths(lake).slice(slice.manifest.mirrorlake.root))
        ? verifyInPlace
        : placeSlice;
    const dir = await place(lake, slice, { copy, signal, onBytes, database });
    placed.push({ dir, manifest: slice.manifest });
  });
}

async function verifyInPlace(_lake: string, { dir }: FoundSlice, options: VerifyOptions): Promise<string> {
  await verifySlice(dir, options);
  return dir;
}
