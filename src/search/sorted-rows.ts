/** Rows with their scores, best first. */
export interface RankedRows {
  readonly rows: readonly number[];
  readonly scores: readonly number[];
}

/** Part of the rows, one in so many, up to which the first are picked instead of all sorted. */
const PICKED = 8;

/** Places sorted by insertion before they are merged. */
const RUN = 8;

/** Sorts rows by their scores, best first, those of equal scores in the order of `compareRows`, and keeps the first `limit`. */
export function sortedRows(
  rows: ArrayLike<number>,
  scores: ArrayLike<number>,
  compareRows: (a: number, b: number) => number,
  limit = rows.length,
): { rows: number[]; scores: number[] } {
  const count = rows.length;
  if (limit * PICKED <= count) {
    const compare = (i: number, j: number) => scores[j]! - scores[i]! || compareRows(rows[i]!, rows[j]!);
    return taken(picked(count, limit, compare), rows, scores, limit);
  }
  // Rankings that are filtered or weighed often keep their order.
  const places = inOrder(rows, scores, compareRows) ? undefined : merged(rows, scores, compareRows);
  return taken(places, rows, scores, limit);
}

/** Whether the place after another is not before it. */
function inOrder(
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

/** All places in order: runs that insertion sorted, merged. Numbers are compared here, since a call for each pair takes most of the time. */
function merged(
  rows: ArrayLike<number>,
  scores: ArrayLike<number>,
  compareRows: (a: number, b: number) => number,
): Int32Array {
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
          const [a, b] = [from[left]!, from[right]!];
          const [score, than] = [scores[a]!, scores[b]!];
          leftNext = score > than || (score === than && compareRows(rows[a]!, rows[b]!) <= 0);
        }
        to[at] = leftNext ? from[left++]! : from[right++]!;
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

/** The first rows and scores by place; absent places: as they are. */
function taken(
  places: ArrayLike<number> | undefined,
  rows: ArrayLike<number>,
  scores: ArrayLike<number>,
  limit: number,
): { rows: number[]; scores: number[] } {
  const count = Math.max(0, Math.min(limit, places?.length ?? rows.length));
  const found = { rows: new Array<number>(count), scores: new Array<number>(count) };
  for (let i = 0; i < count; i += 1) {
    const place = places === undefined ? i : places[i]!;
    found.rows[i] = rows[place]!;
    found.scores[i] = scores[place]!;
  }
  return found;
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
