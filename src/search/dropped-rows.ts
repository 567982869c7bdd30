import type { IndexManifest } from "./index-manifest.js";

/** Rows of an index that one which extends it has no more: whole segments. */
export interface DroppedRows {
  readonly first: number;
  readonly count: number;
}

/** The manifest of an index without the segments of some rows. @throws RangeError if these are no whole segments */
export function withoutRows(manifest: IndexManifest, dropped: readonly DroppedRows[]): IndexManifest {
  if (dropped.length === 0) return manifest;
  let rows = 0;
  const staying = manifest.segments.filter(({ documentCount }) => {
    const first = rows;
    rows += documentCount;
    return !dropped.some((range) => first >= range.first && rows <= range.first + range.count);
  });
  const documentCount = staying.reduce((sum, segment) => sum + segment.documentCount, 0);
  const gone = dropped.reduce((sum, { count }) => sum + count, 0);
  if (documentCount !== manifest.documentCount - gone)
    throw new RangeError(`Rows to drop are no whole segments: ${JSON.stringify(dropped)}`);
  return { ...manifest, documentCount, segments: staying };
}
