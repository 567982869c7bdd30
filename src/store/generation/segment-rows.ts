import type { RowSet } from "../../contract/lake/row-set.js";
import type { RowRange } from "../rows/written-records.js";
import type { GenerationManifest } from "./generation-manifest.js";
import type { SegmentSize } from "./merge-policy.js";

/** A segment, where its rows are, and how many of them are shown. */
export interface SegmentRows {
  readonly name: string;
  readonly records: RowRange;
  readonly raw: RowRange;
  readonly shown: SegmentSize;
}

/** Where the rows of a generation's segments are, and how many of each are among those that are shown. */
export function segmentRows(
  { segments }: Pick<GenerationManifest, "segments">,
  shown: { readonly records: RowSet; readonly raw: RowSet },
): SegmentRows[] {
  const next = { records: 0, raw: 0 };
  return segments.map((segment) => {
    const records = { first: next.records, count: segment.records };
    const raw = { first: next.raw, count: segment.raw };
    next.records += segment.records;
    next.raw += segment.raw;
    return {
      name: segment.name,
      records,
      raw,
      shown: { records: countIn(shown.records, records), raw: countIn(shown.raw, raw) },
    };
  });
}

function countIn(rows: RowSet, { first, count }: RowRange): number {
  let found = 0;
  for (let row = first; row < first + count; row++) if (rows.has(row)) found += 1;
  return found;
}
