/** Rows with their scores, best first. */
export interface RankedRows {
  readonly rows: readonly number[];
  readonly scores: readonly number[];
}

/** Sorts rows by their scores, best first, those of equal scores in the order of `compareRows`, and keeps the first `limit`. */
export function sortedRows(
  rows: readonly number[],
  scores: readonly number[],
  compareRows: (a: number, b: number) => number,
  limit = rows.length,
): { rows: number[]; scores: number[] } {
  const least = limit < rows.length ? kthLargest(scores, limit) : Number.NEGATIVE_INFINITY;
  const order: number[] = [];
  for (let i = 0; i < rows.length; i += 1) if (scores[i]! >= least) order.push(i);
  order.sort((a, b) => scores[b]! - scores[a]! || compareRows(rows[a]!, rows[b]!));
  order.length = Math.min(order.length, limit);
  return { rows: order.map((i) => rows[i]!), scores: order.map((i) => scores[i]!) };
}

function kthLargest(values: readonly number[], k: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[sorted.length - Math.max(1, k)]!;
}
