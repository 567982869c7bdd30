import type { CandidateRows } from "../document.js";
import type { RankMode, SearchIndex } from "../search-index.js";
import type { IndexedPassages } from "./index-passages.js";
import { meanQuality, type Quality, qualityOf } from "./metrics.js";
import { randomisationTest } from "./randomisation-test.js";
import type { JudgedQuery } from "./read-beir.js";

const MODES = ["keyword", "semantic", "hybrid"] as const satisfies readonly RankMode[];
const LIMIT = 100;

/** Quality of one ranking mode. */
export interface ModeReport extends Quality {
  readonly mode: RankMode;
  /**
   * p-value for the difference of its nDCG@10 from keyword ranking (paired randomisation test); absent for
   * keyword.
   */
  readonly pValue?: number;
}

/** Quality of each ranking mode for one query. */
export type Answered = Readonly<Record<(typeof MODES)[number], Quality>>;

/**
 * Ranks all rows for each query in every mode.
 * @param onAnswered called with the number of queries answered so far
 */
export async function answerQueries(
  { index, ids }: IndexedPassages,
  queries: readonly JudgedQuery[],
  signal?: AbortSignal,
  onAnswered?: (queries: number) => void,
): Promise<Answered[]> {
  const everything = allRows(index.documentCount);
  const answered: Answered[] = [];
  for (const query of queries) {
    signal?.throwIfAborted();
    const quality = async (mode: RankMode) => {
      const { rows } = await index.rank(query.text, everything, { limit: LIMIT, mode });
      return qualityOf(
        rows.map((row) => ids[row]!),
        query.grades,
      );
    };
    answered.push({
      keyword: await quality("keyword"),
      semantic: await quality("semantic"),
      hybrid: await quality("hybrid"),
    });
    onAnswered?.(answered.length);
  }
  return answered;
}

/** Those of the queries that hybrid ranking finds anything for. */
export async function answeredOf(
  index: SearchIndex,
  queries: readonly string[],
  signal?: AbortSignal,
): Promise<string[]> {
  const everything = allRows(index.documentCount);
  const answered: string[] = [];
  for (const query of queries)
    if ((await index.rank(query, everything, { limit: 1, signal })).rows.length > 0) answered.push(query);
  return answered;
}

/** Means over the queries, by mode. */
export function reportModes(answered: readonly Answered[]): ModeReport[] {
  const ndcg = (mode: (typeof MODES)[number]) => answered.map((quality) => quality[mode].ndcg10);
  return MODES.map((mode) => ({
    mode,
    ...meanQuality(answered.map((quality) => quality[mode])),
    pValue: mode === "keyword" ? undefined : randomisationTest(ndcg(mode), ndcg("keyword")),
  }));
}

function allRows(size: number): CandidateRows {
  const rows = Uint32Array.from({ length: size }, (_, row) => row);
  const bits = new Uint32Array(Math.ceil(size / 32)).fill(0xffff_ffff);
  return { size, count: size, has: (row) => row < size, rows: () => rows, bits };
}
