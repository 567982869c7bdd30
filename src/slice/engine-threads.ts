import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import { BUILD_DEFAULTS } from "../duckdb/defaults.js";

/** Threads of the engine for work on the rows of slices: one where they are few, since a second one costs more than it saves. */
export function engineThreads(manifests: readonly SliceManifest[], more = 0): number {
  const rows = manifests.reduce((sum, { mirrorlake: { counts } }) => sum + counts.records + counts.raw, more);
  return rows < BUILD_DEFAULTS.threadsFrom ? 1 : BUILD_DEFAULTS.threads;
}
