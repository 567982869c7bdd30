import { LAKE_DEFAULTS } from "../defaults.js";

/** What a lake shows after an install. */
export interface LakeSize {
  readonly liveRecords: number;
  readonly liveRaw: number;
}

/** Whether so few new items come that a lake grows by them; with more of them it is rebuilt. */
export function isSmallGrowth(
  { liveRecords, liveRaw }: LakeSize,
  { records, raw }: { readonly records: number; readonly raw: number },
): boolean {
  const { rebuildShare } = LAKE_DEFAULTS;
  return records <= liveRecords * rebuildShare && records + raw <= (liveRecords + liveRaw) * rebuildShare;
}
