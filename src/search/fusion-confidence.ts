import { SEARCH_DEFAULTS } from "./defaults.js";
import type { RankedRows } from "./sorted-rows.js";

const { sure } = SEARCH_DEFAULTS.fusion;

/**
 * Share of its weight that the semantic ranking has in a fusion, from {@link SEARCH_DEFAULTS}.fusion.sure.least to 1: by query
 * performance prediction from the rankings themselves, as Shtok et al. (TOIS 2012) and Markovits et al. (CIKM 2012) do.
 *
 * A semantic ranking whose first scores stand out is sure and keeps its weight. Where they are crowded, as in a lake of many
 * texts that are all a little alike, it is lowered as far as the keyword ranking is sure, its first scores falling steeply, or
 * as few rows are among the first of both rankings.
 */
export function semanticShare(keyword: RankedRows, semantic: RankedRows): number {
  if (keyword.rows.length === 0 || semantic.rows.length === 0) return 1;
  const margin = 1 - ratio(semantic.scores, sure.marginRank);
  const crowded = 1 - clamp(margin / sure.margin);
  const fall = ratio(keyword.scores, sure.fallRank);
  const steep = clamp((sure.flat - fall) / (sure.flat - sure.steep));
  const among = new Set(keyword.rows.slice(0, sure.agreementRows));
  const both = semantic.rows.slice(0, sure.agreementRows).filter((row) => among.has(row)).length;
  const apart = Math.sqrt(clamp(1 - both / (sure.agreement * sure.agreementRows)));
  return Math.max(sure.least, 1 - crowded * Math.max(steep, apart));
}

/** The score at a rank, counted from 0, as a part of the first; 0 where the ranking is shorter. */
function ratio(scores: readonly number[], rank: number): number {
  const first = scores[0]!;
  return first > 0 ? clamp((scores[rank] ?? 0) / first) : 0;
}

function clamp(value: number): number {
  return Math.max(0, Math.min(1, value));
}
