/** Rows with their scores, best first. */
export interface RankedRows {
  readonly rows: readonly number[];
  readonly scores: readonly number[];
}

/** Part of the rows, one in so many, up to which the first are picked instead of all sorted. */
const PICKED = 8;

/** Sorts rows by their scores, best first, those of equal scores in the order of `compareRows`, and keeps the first `limit`. */
export function sortedRows(
  rows: ArrayLike<number>,
  scores: ArrayLike<number>,
  compareRows: (a: number, b: number) => number,
  limit = rows.length,
): { rows: number[]; scores: number[] } {
  const compare = (i: number, j: number) => scores[j]! - scores[i]! || compareRows(rows[i]!, rows[j]!);
  const order = firstOf(rows.length, limit, compare);
  return { rows: order.map((i) => rows[i]!), scores: order.map((i) => scores[i]!) };
}

/** The first `limit` of the positions below `count`, in order. */
function firstOf(count: number, limit: number, compare: (i: number, j: number) => number): number[] {
  if (limit * PICKED <= count) return picked(count, limit, compare);
  const order = Array.from({ length: count }, (_, i) => i);
  // Rankings that are filtered or weighed often keep their order.
  for (let i = 1; i < count; i += 1) {
    if (compare(i - 1, i) > 0) {
      order.sort(compare);
      break;
    }
  }
  return order.slice(0, limit);
}

function picked(count: number, limit: number, compare: (i: number, j: number) => number): number[] {
  const kept: number[] = [];
  if (limit <= 0) return kept;
  for (let i = 0; i < count; i += 1) {
    if (kept.length === limit) {
      if (compare(i, kept[limit - 1]!) >= 0) continue;
      kept.pop();
    }
    let at = kept.length;
    kept.push(i);
    for (; at > 0 && compare(i, kept[at - 1]!) < 0; at -= 1) kept[at] = kept[at - 1]!;
    kept[at] = i;
  }
  return kept;
}
