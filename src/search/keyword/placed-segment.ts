import type { KeywordSegment } from "./keyword-segment.js";

/** A segment and the number of its first row. */
export interface PlacedSegment {
  readonly first: number;
  readonly keyword: KeywordSegment;
}
