/** How many records and raw items a segment has. */
export interface SegmentSize {
  readonly records: number;
  readonly raw: number;
}

/** What it costs to rewrite a record, indexes included, in raw items: as the bytes that both take. */
const RECORD_COST = 12;

/** Segments of less are merged by every install, but the first one: an install takes longer by itself. */
const FLOOR = 1_000 * RECORD_COST;

/** What an install rewrites besides before its items can be searched, or as much as it brings: to publish once more takes longer. */
const AT_ONCE = 2_500 * RECORD_COST;

/**
 * How many of a generation's first segments stay as they are when items are added; those after them are merged with what is added.
 * A segment is merged where it is no larger than all that follows, or than the floor. So every segment is larger than all later ones
 * together: n records have at most log2(n / 1000) + 2 segments, and one is rewritten as often, and by installs that leave fewer than
 * the floor (the logarithmic method: Bentley and Saxe, Decomposable searching problems I, 1980; floors as in Lucene's tiers).
 * @param segments live items of each, the oldest first
 */
export function segmentsThatStay(segments: readonly SegmentSize[], added: SegmentSize): number {
  let stay = segments.length;
  let later = costOf(added);
  for (let i = segments.length - 1; i >= 0; i--) {
    const cost = costOf(segments[i]!);
    if (cost <= Math.max(later, i === 0 ? 0 : FLOOR)) stay = i;
    later += cost;
  }
  return stay;
}

/**
 * How many of a generation's first segments stay as they are at first: those after them, no more than what is added or some thousand records, are
 * merged while it is, and the others of which {@link segmentsThatStay} says so once it can be searched.
 */
export function segmentsThatStayAtFirst(segments: readonly SegmentSize[], added: SegmentSize): number {
  const least = segmentsThatStay(segments, added);
  const most = Math.max(costOf(added), AT_ONCE);
  let stay = segments.length;
  for (let cost = 0; stay > least; stay--) {
    cost += costOf(segments[stay - 1]!);
    if (cost > most) break;
  }
  return stay;
}

/** What it costs to rewrite items, in raw items. */
export function costOf({ records, raw }: SegmentSize): number {
  return records * RECORD_COST + raw;
}
