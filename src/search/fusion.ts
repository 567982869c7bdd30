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
  const scores = new Map<number, number>();
  for (const { rows, weight, constant } of rankings) {
    rows.forEach((row, i) => {
      scores.set(row, (scores.get(row) ?? 0) + weight / (constant + i + 1));
    });
  }
  const best = [...scores].sort((a, b) => b[1] - a[1] || compareRows(a[0], b[0])).slice(0, limit);
  return { rows: best.map(([row]) => row), scores: best.map(([, score]) => score) };
}
