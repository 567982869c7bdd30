import { inSystemFolder } from "../../files/system-folder.js";
import { checkSliceItems, verifySlices } from "../../slice/verify-slice.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { type SupersededSurvey, surveySuperseded } from "../../store/generation/survey-superseded.js";
import { sliceFault } from "../slice-fault.js";
import type { Published } from "./published.js";

/** Slices that go from a published generation, and those that stay. */
export interface Going {
  readonly lake: string;
  readonly published: Published;
  readonly gone: readonly SourceSlice[];
  readonly kept: readonly SourceSlice[];
  readonly signal: AbortSignal | undefined;
}

/**
 * Looks at what becomes of a lake's generation when slices go. Of those that stay, the ones that may have other editions of what goes are
 * compared with their manifests, and the ones that have are verified, since they are loaded again.
 * @throws LakeError `slice_missing`; SliceError; what reading the generation throws; the signal's reason
 */
export async function surveyGone({ lake, published, gone, kept, signal }: Going): Promise<SupersededSurvey> {
  const platforms = new Set(gone.map(({ manifest }) => manifest.mirrorlake.platform.slug));
  const candidates = kept.filter(({ manifest }) => platforms.has(manifest.mirrorlake.platform.slug));
  for (const { manifest } of candidates) {
    const fault = await sliceFault(lake, manifest, (dir) => checkSliceItems(dir, { signal }));
    if (fault !== undefined) throw fault;
  }
  const roots = new Set(gone.map(({ manifest }) => manifest.mirrorlake.root));
  const found = await inSystemFolder("survey", (tempDirectory) =>
    surveySuperseded(published.dir, roots, candidates, tempDirectory, signal),
  );
  await verifySlices(
    found.holders.map(({ dir }) => dir),
    { signal },
  );
  return found;
}
