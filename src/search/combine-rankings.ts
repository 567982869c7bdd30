import { SEARCH_DEFAULTS } from "./defaults.js";
import { answering } from "./evidence.js";
import { favourLanguages } from "./favour-languages.js";
import { fuse, type Ranks, ranksOf } from "./fusion.js";
import { semanticShare } from "./fusion-confidence.js";
import type { QueryGroups } from "./keyword/ranking/query-groups.js";
import type { RankedRows } from "./sorted-rows.js";

const { fusion } = SEARCH_DEFAULTS;
const NOTHING: RankedRows = { rows: [], scores: [] };

/** What the rankings of a query found. */
export interface Findings {
  readonly words: QueryGroups;
  /** The nearest vectors. */
  readonly near: RankedRows;
  /** The rows with words of the query, or with parts of words where none is known; in any order. */
  readonly matching: RankedRows;
  readonly mode: "hybrid" | "keyword" | "semantic";
  /** Whether the vectors are those of the default embedder, which knows no more words than the index. */
  readonly fitted: boolean;
}

/**
 * Makes one ranking of them: rows in the query's language first, without what answers nothing, fused by rank as far as the
 * rankings are sure. The vectors of another embedder than the default one rank as they are and keep their weight: its scores are
 * on a scale of their own, and it may know words that no document holds, and what they mean in other languages.
 */
export function combine(
  { words, near, matching, mode, fitted }: Findings,
  limit: number,
  languageOf: (row: number) => string,
  compareRows: (a: number, b: number) => number,
): { rows: number[]; scores: number[]; ranks: Ranks[] } {
  const favoured = (ranked: RankedRows, kept?: number) =>
    favourLanguages(ranked, words.languages, languageOf, compareRows, kept);
  // Alone, a ranking needs no more than its first.
  const matches = answering(words, favoured(matching, mode === "keyword" ? limit : undefined));
  const unfounded = fitted && !words.known && matches.rows.length === 0;
  const semantic = unfounded ? NOTHING : fitted ? favoured(near) : near;
  const keyword = mode === "semantic" ? NOTHING : matches;
  const share = fitted ? semanticShare(keyword, semantic, words.documentCount) : 1;
  const fused = fuse(
    [
      { rows: keyword.rows, ...fusion.keyword },
      { rows: semantic.rows, ...fusion.semantic, weight: fusion.semantic.weight * share },
    ],
    limit,
    compareRows,
  );
  return { ...fused, ranks: ranksOf(fused.rows, keyword, semantic) };
}
