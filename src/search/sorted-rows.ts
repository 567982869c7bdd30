/** Rows with their scores, best first. */
export interface RankedRows {
  readonly rows: readonly number[];
  readonly scores: readonly number[];
}

/** Where the low half of a 64-bit number is, in its two 32-bit ones. */
const LOW = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;

/**
 * Sorts rows by their finite scores, best first, those of equal scores in the order of `compareRows`, and keeps the first
 * `limit`.
 */
export function sortedRows(
  rows: ArrayLike<number>,
  scores: ArrayLike<number>,
  compareRows: (a: number, b: number) => number,
  limit = rows.length,
): { rows: number[]; scores: number[] } {
  if (isSorted(rows, scores, compareRows)) {
    return { rows: Array.from(rows).slice(0, limit), scores: Array.from(scores).slice(0, limit) };
  }
  const order = descending(scores, limit, (i, j) => compareRows(rows[i]!, rows[j]!));
  return { rows: order.map((i) => rows[i]!), scores: order.map((i) => scores[i]!) };
}

function isSorted(
  rows: ArrayLike<number>,
  scores: ArrayLike<number>,
  compareRows: (a: number, b: number) => number,
): boolean {
  for (let i = 1; i < rows.length; i += 1) {
    const [before, score] = [scores[i - 1]!, scores[i]!];
    if (before < score || (before === score && compareRows(rows[i - 1]!, rows[i]!) > 0)) return false;
  }
  return true;
}

/**
 * Positions of the `limit` largest values, largest first. The values are sorted as numbers, without a comparator, with their
 * positions in their lowest bits; those that differ in these bits alone are then sorted by what they are.
 */
function descending(
  values: ArrayLike<number>,
  limit: number,
  compareEqual: (i: number, j: number) => number,
): number[] {
  const count = values.length;
  const keys = new Float64Array(count);
  const halves = new Uint32Array(keys.buffer);
  const mask = count < 2 ? 0 : -1 >>> Math.clz32(count - 1);
  for (let i = 0; i < count; i += 1) {
    // Zero has no sign here.
    keys[i] = values[i]! + 0;
    const low = 2 * i + LOW;
    halves[low] = (halves[low]! & ~mask) | i;
  }
  keys.sort();
  const alike = (a: number, b: number) =>
    ((halves[2 * a + LOW]! ^ halves[2 * b + LOW]!) & ~mask) === 0 &&
    halves[2 * a + 1 - LOW] === halves[2 * b + 1 - LOW];
  const order: number[] = [];
  for (let last = count - 1; last >= 0 && order.length < limit; ) {
    let first = last;
    while (first > 0 && alike(first - 1, last)) first -= 1;
    const run: number[] = [];
    for (let at = last; at >= first; at -= 1) run.push(halves[2 * at + LOW]! & mask);
    if (run.length > 1) run.sort((i, j) => values[j]! - values[i]! || compareEqual(i, j));
    for (const i of run) order.push(i);
    last = first - 1;
  }
  order.length = Math.min(order.length, limit);
  return order;
}
