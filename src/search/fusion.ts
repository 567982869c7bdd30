import { RowNumbers } from "./row-numbers.js";
import { sortedRows } from "./sorted-rows.js";

/** Where a ranking has a row: its rank, from 1, and its score there. */
export interface FoundAt {
  readonly rank: number;
  readonly score: number;
}

/**
 * Which rankings found a record. Scores of the keyword ranking are BM25's, those of the semantic one cosines, both down to half
 * of it for a record that is not in the query's language; only scores of one ranking and one query compare.
 */
export interface Ranks {
  readonly keyword: FoundAt | undefined;
  readonly semantic: FoundAt | undefined;
}

/** Rows and scores of a ranking, best first. */
interface Scored {
  readonly rows: readonly number[];
  readonly scores: readonly number[];
}

/** Looks up which of two rankings found each row. */
export function ranksOf(rows: readonly number[], keyword: Scored, semantic: Scored): Ranks[] {
  const wanted = new Set(rows);
  const [byWords, byVector] = [positions(keyword, wanted), positions(semantic, wanted)];
  return rows.map((row) => ({
    keyword: foundAt(keyword, byWords.get(row)),
    semantic: foundAt(semantic, byVector.get(row)),
  }));
}

function positions({ rows }: Scored, wanted: ReadonlySet<number>): Map<number, number> {
  const found = new Map<number, number>();
  for (let i = 0; i < rows.length && found.size < wanted.size; i += 1) {
    if (wanted.has(rows[i]!)) found.set(rows[i]!, i);
  }
  return found;
}

function foundAt({ scores }: Scored, position: number | undefined): FoundAt | undefined {
  return position === undefined ? undefined : { rank: position + 1, score: scores[position]! };
}

/** A ranking to fuse. A smaller constant gives its first rows more weight. */
export interface FusedRanking {
  readonly rows: readonly number[];
  readonly weight: number;
  readonly constant: number;
}

/**
 * Reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009): a row scores Σ weight / (constant + rank)
 * over the rankings that contain it, ranks from 1.
 *
 * @returns rows and their scores, best first; equal scores in the order of `compareRows`.
 */
export function fuse(
  rankings: readonly FusedRanking[],
  limit: number,
  compareRows: (a: number, b: number) => number,
): { rows: number[]; scores: number[] } {
  const filled = rankings.filter(({ rows }) => rows.length > 0);
  const [only] = filled;
  if (only !== undefined && filled.length === 1) {
    // One ranking keeps its order.
    const { rows, weight, constant } = only;
    const kept = rows.slice(0, limit);
    return { rows: kept, scores: kept.map((_, i) => weight / (constant + i + 1)) };
  }
  const most = filled.reduce((sum, { rows }) => sum + rows.length, 0);
  const found = new RowNumbers(most);
  const scores = new Float64Array(most);
  for (const { rows, weight, constant } of filled) {
    for (let i = 0; i < rows.length; i += 1) scores[found.numberOf(rows[i]!)]! += weight / (constant + i + 1);
  }
  return sortedRows(found.rows(), scores.subarray(0, found.count), compareRows, limit);
}
