import { PullError } from "../../contract/errors.js";
import { formatBytes } from "../../contract/quantity.js";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { PULL_DEFAULTS } from "./defaults.js";
import type { PlannedSlice, PullPlan } from "./pull-slices.js";

/**
 * Estimated size of a lake's indexes over the slices that it holds and those to come. All of them may be rebuilt, beside the
 * existing ones.
 */
export function indexBytes(
  held: readonly SliceManifest[],
  wanted: readonly Pick<PlannedSlice, "counts">[],
): number {
  const counts = [...held.map(({ mirrorlake }) => mirrorlake.counts), ...wanted.map((slice) => slice.counts)];
  const records = counts.reduce((sum, count) => sum + count.records, 0);
  const raw = counts.reduce((sum, count) => sum + count.raw, 0);
  const { recordBytes, rawBytes, embedderBytes, maxEmbedderBytes } = PULL_DEFAULTS;
  return records * recordBytes + raw * rawBytes + Math.min(maxEmbedderBytes, records * embedderBytes);
}

/** @throws PullError `no_space` if a pull needs more space than is free */
export function refuseTooLarge(
  { source, bytesFree, bytesNeeded }: Pick<PullPlan, "source" | "bytesFree" | "bytesNeeded">,
  lake: string,
): void {
  if (bytesFree >= bytesNeeded) return;
  throw new PullError(
    "no_space",
    `To pull from ${source} takes about ${formatBytes(bytesNeeded)}, and ${formatBytes(bytesFree)} are free at ${lake}`,
    {
      value: bytesNeeded,
      remedy:
        "free some space, narrow the filter, put the lake on another disk; or go on all the same: --no-space-check",
    },
  );
}
