/** Rows with their scores, best first. */
export interface RankedRows {
  readonly rows: readonly number[];
  readonly scores: readonly number[];
}

/** Part of the rows, one in so many, up to which the first are picked instead of all sorted. */
const PICKED = 8;

/** Places sorted by insertion before they are merged. */
const RUN = 8;

/** Compares two rows of equal scores. */
type CompareRows = (a: number, b: number) => number;

/** Sorts rows by their scores, best first, those of equal scores in the order of `compareRows`, and keeps the first `limit`. */
export function sortedRows(
  rows: ArrayLike<number>,
  scores: ArrayLike<number>,
  compareRows: CompareRows,
  limit = rows.length,
): { rows: number[]; scores: number[] } {
  // One kind of array each: V8 compiles what follows again for every other kind, which takes longer than many searches.
  const row = rows instanceof Int32Array ? rows : new Int32Array(rows);
  const score = scores instanceof Float64Array ? scores : new Float64Array(scores);
  const count = row.length;
  const kept = Math.max(0, Math.min(limit, count));
  if (limit * PICKED <= count) return taken(picked(row, score, compareRows, kept), row, score, kept);
  // Rankings that are filtered or weighed often keep their order.
  const places = inOrder(row, score, compareRows) ? allPlaces(count) : merged(row, score, compareRows);
  return taken(places, row, score, kept);
}

/** Whether the place after another is not before it. */
function inOrder(rows: Int32Array, scores: Float64Array, compareRows: CompareRows): boolean {
  for (let i = 1; i < rows.length; i += 1) {
    const before = scores[i - 1]!;
    const score = scores[i]!;
    if (before < score || (before === score && compareRows(rows[i - 1]!, rows[i]!) > 0)) return false;
  }
  return true;
}

function allPlaces(count: number): Int32Array {
  const places = new Int32Array(count);
  for (let i = 0; i < count; i += 1) places[i] = i;
  return places;
}

/** All places in order: runs that insertion sorted, merged. Numbers are compared here, since a call for each pair takes most of the time. */
function merged(rows: Int32Array, scores: Float64Array, compareRows: CompareRows): Int32Array {
  const count = rows.length;
  let from = new Int32Array(count);
  let to = new Int32Array(count);
  for (let first = 0; first < count; first += RUN) {
    const end = Math.min(count, first + RUN);
    for (let place = first; place < end; place += 1) {
      const score = scores[place]!;
      let at = place;
      for (; at > first; at -= 1) {
        const other = from[at - 1]!;
        const than = scores[other]!;
        if (than > score || (than === score && compareRows(rows[other]!, rows[place]!) <= 0)) break;
        from[at] = other;
      }
      from[at] = place;
    }
  }
  for (let width = RUN; width < count; width *= 2) {
    for (let first = 0; first < count; first += 2 * width) {
      const middle = Math.min(count, first + width);
      const end = Math.min(count, middle + width);
      let left = first;
      let right = middle;
      for (let at = first; at < end; at += 1) {
        let leftNext = right === end;
        if (!leftNext && left < middle) {
          const a = from[left]!;
          const b = from[right]!;
          const score = scores[a]!;
          const than = scores[b]!;
          leftNext = score > than || (score === than && compareRows(rows[a]!, rows[b]!) <= 0);
        }
        to[at] = leftNext ? from[left++]! : from[right++]!;
      }
    }
    const sorted = to;
    to = from;
    from = sorted;
  }
  return from;
}

/** The first rows and scores by place. */
function taken(
  places: Int32Array,
  rows: Int32Array,
  scores: Float64Array,
  count: number,
): { rows: number[]; scores: number[] } {
  const found: { rows: number[]; scores: number[] } = { rows: [], scores: [] };
  for (let i = 0; i < count; i += 1) {
    const place = places[i]!;
    found.rows.push(rows[place]!);
    found.scores.push(scores[place]!);
  }
  return found;
}

/** The first `limit` places in order. */
function picked(rows: Int32Array, scores: Float64Array, compareRows: CompareRows, limit: number): Int32Array {
  const kept = new Int32Array(limit);
  let count = 0;
  for (let place = 0; limit > 0 && place < rows.length; place += 1) {
    const score = scores[place]!;
    let at = Math.min(count, limit - 1);
    if (count === limit && !isBefore(score, rows[place]!, kept[at]!)) continue;
    for (; at > 0 && isBefore(score, rows[place]!, kept[at - 1]!); at -= 1) kept[at] = kept[at - 1]!;
    kept[at] = place;
    count = Math.min(count + 1, limit);
  }
  return kept;

  function isBefore(score: number, row: number, other: number): boolean {
    const than = scores[other]!;
    return score > than || (score === than && compareRows(row, rows[other]!) < 0);
  }
}
