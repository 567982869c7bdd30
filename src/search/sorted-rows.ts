/** Rows with their scores, best first. */
export interface RankedRows {
  readonly rows: readonly number[];
  readonly scores: readonly number[];
}

/** Part of the rows, one in so many, up to which the first are picked instead of all sorted. */
const PICKED = 8;

/** Rows sorted by insertion before they are merged. */
const RUN = 8;

/** Steps of insertion per row after which scores count as too uneven to be shared out among buckets. */
const STEPS = 8;

/** Compares two rows of equal scores. */
type CompareRows = (a: number, b: number) => number;

/** Rows with their scores, in an order of their own. */
interface Listed {
  readonly rows: Int32Array;
  readonly scores: Float64Array;
}

/** Sorts rows by their scores, best first, those of equal scores in the order of `compareRows`, and keeps the first `limit`. */
export function sortedRows(
  rows: ArrayLike<number>,
  scores: ArrayLike<number>,
  compareRows: CompareRows,
  limit = rows.length,
): { rows: number[]; scores: number[] } {
  // One kind of array each: V8 compiles what follows again for every other kind, which takes longer than many searches.
  const listed = {
    rows: rows instanceof Int32Array ? rows : new Int32Array(rows),
    scores: scores instanceof Float64Array ? scores : new Float64Array(scores),
  };
  const count = rows.length;
  const kept = Math.max(0, Math.min(limit, count));
  if (limit * PICKED <= count) return taken(picked(listed, compareRows, kept), kept);
  // Rankings that are filtered or weighed often keep their order.
  return taken(inOrder(listed, compareRows) ? listed : sorted(listed, compareRows), kept);
}

/** Whether no row comes before the one in front of it. */
function inOrder({ rows, scores }: Listed, compareRows: CompareRows): boolean {
  for (let i = 1; i < rows.length; i += 1) {
    const before = scores[i - 1]!;
    const score = scores[i]!;
    if (before < score || (before === score && compareRows(rows[i - 1]!, rows[i]!) > 0)) return false;
  }
  return true;
}

function sorted(listed: Listed, compareRows: CompareRows): Listed {
  const shared = sharedOut(listed);
  return inserted(shared, compareRows) ? shared : merged(shared, compareRows);
}

/** The rows in as many buckets as there are rows, by equal ranges of scores: those of one bucket are not in order yet. */
function sharedOut({ rows, scores }: Listed): Listed {
  const count = rows.length;
  let least = scores[0]!;
  let most = least;
  for (let i = 1; i < count; i += 1) {
    const score = scores[i]!;
    if (score < least) least = score;
    else if (score > most) most = score;
  }
  const perScore = most > least ? (count - 1) / (most - least) : 0;
  const bucketOf = new Int32Array(count);
  const ends = new Int32Array(count + 1);
  for (let i = 0; i < count; i += 1) {
    const bucket = ((most - scores[i]!) * perScore) | 0;
    bucketOf[i] = bucket;
    ends[bucket + 1]! += 1;
  }
  for (let bucket = 0; bucket < count; bucket += 1) ends[bucket + 1]! += ends[bucket]!;
  const shared = { rows: new Int32Array(count), scores: new Float64Array(count) };
  for (let i = 0; i < count; i += 1) {
    const at = ends[bucketOf[i]!]!++;
    shared.rows[at] = rows[i]!;
    shared.scores[at] = scores[i]!;
  }
  return shared;
}

/** Sorts by insertion, in place; gives up where that takes many steps. @returns whether all are in order */
function inserted({ rows, scores }: Listed, compareRows: CompareRows): boolean {
  let steps = rows.length * STEPS;
  for (let i = 1; i < rows.length; i += 1) {
    const row = rows[i]!;
    const score = scores[i]!;
    let at = i;
    for (; at > 0; at -= 1) {
      const than = scores[at - 1]!;
      if (than > score || (than === score && compareRows(rows[at - 1]!, row) <= 0)) break;
      rows[at] = rows[at - 1]!;
      scores[at] = than;
    }
    rows[at] = row;
    scores[at] = score;
    steps -= i - at;
    if (steps < 0) return false;
  }
  return true;
}

/** All rows in order: runs that insertion sorted, merged. Numbers are compared here, since a call for each pair takes most of the time. */
function merged({ rows, scores }: Listed, compareRows: CompareRows): Listed {
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
    const sortedPlaces = to;
    to = from;
    from = sortedPlaces;
  }
  return {
    rows: from.map((place) => rows[place]!),
    scores: Float64Array.from(from, (place) => scores[place]!),
  };
}

/** The first rows and scores. */
function taken({ rows, scores }: Listed, count: number): { rows: number[]; scores: number[] } {
  const found: { rows: number[]; scores: number[] } = { rows: [], scores: [] };
  for (let i = 0; i < count; i += 1) {
    found.rows.push(rows[i]!);
    found.scores.push(scores[i]!);
  }
  return found;
}

/** The first `limit` rows in order. */
function picked({ rows, scores }: Listed, compareRows: CompareRows, limit: number): Listed {
  const kept = { rows: new Int32Array(limit), scores: new Float64Array(limit) };
  let count = 0;
  for (let i = 0; limit > 0 && i < rows.length; i += 1) {
    const row = rows[i]!;
    const score = scores[i]!;
    let at = Math.min(count, limit - 1);
    if (count === limit && !isBefore(score, row, limit - 1)) continue;
    for (; at > 0 && isBefore(score, row, at - 1); at -= 1) {
      kept.rows[at] = kept.rows[at - 1]!;
      kept.scores[at] = kept.scores[at - 1]!;
    }
    kept.rows[at] = row;
    kept.scores[at] = score;
    count = Math.min(count + 1, limit);
  }
  return kept;

  function isBefore(score: number, row: number, at: number): boolean {
    const than = kept.scores[at]!;
    return score > than || (score === than && compareRows(row, kept.rows[at]!) < 0);
  }
}
