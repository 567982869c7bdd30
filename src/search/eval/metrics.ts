/** Quality of a ranking for one query. */
export interface Quality {
  /** Normalised discounted cumulative gain of the first ten. */
  readonly ndcg10: number;
  /** Share of the relevant documents that are among the first hundred. */
  readonly recall100: number;
  /** Reciprocal rank of the first relevant document in the top ten; 0 without one. */
  readonly mrr10: number;
}

/**
 * Measures a ranking of document ids by graded judgments, as trec_eval does: the gain of a document is its
 * grade, discounted by log2(rank + 1); grades of 0 and below are not relevant.
 */
export function qualityOf(ranking: readonly string[], grades: ReadonlyMap<string, number>): Quality {
  const ideal = [...grades.values()].filter((grade) => grade > 0).sort((a, b) => b - a);
  if (ideal.length === 0) return { ndcg10: 0, recall100: 0, mrr10: 0 };
  let gain = 0;
  let found = 0;
  let mrr10 = 0;
  ranking.slice(0, 100).forEach((id, i) => {
    const grade = grades.get(id) ?? 0;
    if (grade <= 0) return;
    found += 1;
    if (i >= 10) return;
    gain += grade / Math.log2(i + 2);
    if (mrr10 === 0) mrr10 = 1 / (i + 1);
  });
  const best = ideal.slice(0, 10).reduce((sum, grade, i) => sum + grade / Math.log2(i + 2), 0);
  return { ndcg10: gain / best, recall100: found / ideal.length, mrr10 };
}

/** Means over queries; zeros without queries. */
export function meanQuality(values: readonly Quality[]): Quality {
  const mean = (key: keyof Quality) =>
    values.reduce((sum, q) => sum + q[key], 0) / Math.max(1, values.length);
  return { ndcg10: mean("ndcg10"), recall100: mean("recall100"), mrr10: mean("mrr10") };
}
