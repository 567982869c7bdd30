import { SEARCH_DEFAULTS } from "./defaults.js";
import type { RankedRows } from "./sorted-rows.js";

const { sure } = SEARCH_DEFAULTS.fusion;

/**
 * Share of its weight that the semantic ranking has in a fusion, from {@link SEARCH_DEFAULTS}.fusion.sure.least to 1: by query
 * performance prediction from the rankings themselves, as Shtok et al. (TOIS 2012) and Markovits et al. (CIKM 2012) do.
 *
 * A semantic ranking whose first scores stand out from the later ones is sure and keeps its weight. In a crowd, as in a lake of
 * many texts that are all a little alike, its share falls steeply to the least, which orders rows that the keyword ranking has
 * close together and displaces none of its first. The surer the keyword ranking is, its first scores falling steeply, the
 * further the semantic one has to stand out.
 */
export function semanticShare(keyword: RankedRows, semantic: RankedRows): number {
  if (keyword.rows.length === 0 || semantic.rows.length === 0) return 1;
  const steep = clamp((sure.flat - ratio(keyword.scores, sure.fallRank)) / (sure.flat - sure.steep));
  const margin = 1 - ratio(semantic.scores, sure.marginRank);
  const standing = clamp(margin / (sure.margin * (1 + steep))) ** 2;
  return sure.least + (1 - sure.least) * standing * standing;
}

/** The score at a rank, counted from 0, as a part of the first; 0 where the ranking is shorter. */
function ratio(scores: readonly number[], rank: number): number {
  const first = scores[0]!;
  return first > 0 ? clamp((scores[rank] ?? 0) / first) : 0;
}

function clamp(value: number): number {
  return Math.max(0, Math.min(1, value));
}
