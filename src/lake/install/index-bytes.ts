import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { LAKE_DEFAULTS } from "../defaults.js";

/** Counts of a slice. */
type Counts = Pick<SliceManifest["mirrorlake"]["counts"], "records" | "raw" | "vectors">;

/**
 * Estimated bytes that a lake's indexes over the slices that it holds and those to come take while they are built; 0 without slices. All
 * of them may be rebuilt, beside the existing ones.
 */
export function indexBytes(held: readonly SliceManifest[], wanted: readonly Counts[]): number {
  const counts = [...held.map(({ mirrorlake }) => mirrorlake.counts), ...wanted];
  if (counts.length === 0) return 0;
  const sum = (key: keyof Counts) => counts.reduce((total, count) => total + count[key], 0);
  const records = sum("records");
  const embedder = Math.min(LAKE_DEFAULTS.maxEmbedderBytes, records * LAKE_DEFAULTS.embedderBytes);
  const vectors = records * LAKE_DEFAULTS.recordBytes + sum("vectors") * LAKE_DEFAULTS.downloadedBytes;
  return LAKE_DEFAULTS.indexBytes + vectors + sum("raw") * LAKE_DEFAULTS.rawBytes + embedder;
}
