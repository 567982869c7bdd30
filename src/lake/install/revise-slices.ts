import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Removal } from "../../contract/lake/removal.js";
import { renameSynced } from "../../files/durable-files.js";
import { makeTemporaryFolder } from "../../files/temporary-folder.js";
import { verifySlice } from "../../slice/verify-slice.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { type ReviseOptions, reviseSlice } from "../../store/generation/revise-slice.js";
import { lakePaths } from "../lake-paths.js";

/** A slice of a lake and its revision; undefined if the revision is empty. */
export interface RevisedSlice {
  readonly from: string;
  readonly slice: SourceSlice | undefined;
}

/**
 * Writes and verifies the revision of each slice in the lake's folder of slices; nothing refers to them yet.
 */
export async function reviseSlices(
  lake: string,
  slices: readonly SourceSlice[],
  removals: readonly Removal[],
  options: Omit<ReviseOptions, "tempDirectory"> = {},
): Promise<RevisedSlice[]> {
  const paths = lakePaths(lake);
  const { signal } = options;
  const revised: RevisedSlice[] = [];
  for (const slice of slices) {
    signal?.throwIfAborted();
    await verifySlice(slice.dir, { signal });
    const temporary = await makeTemporaryFolder(paths.slices);
    try {
      const staged = join(temporary.path, "revision");
      const from = slice.manifest.mirrorlake.root;
      const manifest = await reviseSlice(slice, staged, removals, {
        ...options,
        tempDirectory: join(temporary.path, "spill"),
      });
      if (manifest === undefined) {
        revised.push({ from, slice: undefined });
        continue;
      }
      await verifySlice(staged, { signal });
      const dir = paths.slice(manifest.mirrorlake.root);
      await rm(dir, { recursive: true, force: true });
      await renameSynced(staged, dir);
      revised.push({ from, slice: { dir, manifest } });
    } finally {
      await temporary.remove();
    }
  }
  return revised;
}
