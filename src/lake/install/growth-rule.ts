import { LAKE_DEFAULTS } from "../defaults.js";

/** Whether so few records come that a lake's embedder stays as it is fitted, if it was fitted to enough of them. Raw items have no vectors. */
export function isSmallGrowth(
  { liveRecords }: { readonly liveRecords: number },
  { records }: { readonly records: number },
): boolean {
  return records <= liveRecords * LAKE_DEFAULTS.rebuildShare;
}
