import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { LAKE_DEFAULTS } from "../defaults.js";

/** Counts of a slice. */
type Counts = Pick<SliceManifest["mirrorlake"]["counts"], "records" | "raw">;

/**
 * Estimated size of a lake's indexes over the slices that it holds and those to come. All of them may be rebuilt, beside the
 * existing ones.
 */
export function indexBytes(held: readonly SliceManifest[], wanted: readonly Counts[]): number {
  const counts = [...held.map(({ mirrorlake }) => mirrorlake.counts), ...wanted];
  const records = counts.reduce((sum, count) => sum + count.records, 0);
  const raw = counts.reduce((sum, count) => sum + count.raw, 0);
  const { recordBytes, rawBytes, embedderBytes, maxEmbedderBytes } = LAKE_DEFAULTS;
  return records * recordBytes + raw * rawBytes + Math.min(maxEmbedderBytes, records * embedderBytes);
}
