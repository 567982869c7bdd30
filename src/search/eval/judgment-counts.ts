import type { Judged } from "./read-beir.js";

/** How many judgments of a collection are of what it does not have, and how many of its queries are left out. */
export interface JudgmentCounts {
  readonly judgments: {
    readonly total: number;
    /** Judgments of passages that `corpus.jsonl` does not have. A ranking cannot find them, and is measured by them. */
    readonly ofUnknownPassages: number;
    /** Judgments of queries that `queries.jsonl` does not have. They count for nothing. */
    readonly ofUnknownQueries: number;
  };
  /** Queries without a relevant passage, which are left out. */
  readonly unjudgedQueries: number;
}

/** Counts the judgments of a collection with passages of these ids. */
export function countJudgments(judged: Judged, ids: ReadonlySet<string>): JudgmentCounts {
  let ofUnknownPassages = 0;
  for (const [passage, judgments] of judged.byPassage) if (!ids.has(passage)) ofUnknownPassages += judgments;
  const { judgments: total, ofUnknownQueries, unjudged } = judged;
  return { judgments: { total, ofUnknownPassages, ofUnknownQueries }, unjudgedQueries: unjudged };
}

/** The counts of several collections together. */
export function sumCounts(counts: readonly JudgmentCounts[]): JudgmentCounts {
  const sum = (of: (one: JudgmentCounts) => number) => counts.reduce((all, one) => all + of(one), 0);
  return {
    judgments: {
      total: sum(({ judgments }) => judgments.total),
      ofUnknownPassages: sum(({ judgments }) => judgments.ofUnknownPassages),
      ofUnknownQueries: sum(({ judgments }) => judgments.ofUnknownQueries),
    },
    unjudgedQueries: sum(({ unjudgedQueries }) => unjudgedQueries),
  };
}
