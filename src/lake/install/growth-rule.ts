import { LAKE_DEFAULTS } from "../defaults.js";

/** What a lake has after an install. */
export interface LakeSize {
  /** Installs since it was built. */
  readonly segments: number;
  readonly liveRecords: number;
  readonly liveRaw: number;
}

/** Whether so few new items come that a lake grows by them; with more of them, or in too many parts, it is rebuilt. */
export function isSmallGrowth(
  { segments, liveRecords, liveRaw }: LakeSize,
  { records, raw }: { readonly records: number; readonly raw: number },
): boolean {
  const { maxSegments, rebuildShare } = LAKE_DEFAULTS;
  return (
    segments < maxSegments &&
    records <= liveRecords * rebuildShare &&
    records + raw <= (liveRecords + liveRaw) * rebuildShare
  );
}
