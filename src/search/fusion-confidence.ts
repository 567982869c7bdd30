import { SEARCH_DEFAULTS } from "./defaults.js";
import type { RankedRows } from "./sorted-rows.js";

const { sure } = SEARCH_DEFAULTS.fusion;
/** Rounding unit, so that the last bit of a logarithm changes no ranking. */
const PRECISION = 2 ** 20;

/**
 * Share of its weight that the semantic ranking has in a fusion, from {@link SEARCH_DEFAULTS}.fusion.sure.least to 1: by query
 * performance prediction from the rankings themselves, as Shtok et al. (TOIS 2012) and Markovits et al. (CIKM 2012) do.
 *
 * A semantic ranking whose first scores stand out from the later ones is sure and keeps its weight. In a crowd, as in a lake of
 * many texts that are all a little alike, its share falls steeply to the least, which orders rows that the keyword ranking has
 * close together and displaces none of its first. The surer the keyword ranking is, its first scores falling steeply, and the
 * more documents there are, of which some are near any query, the further the semantic one has to stand out.
 *
 * @param documents of the index
 */
export function semanticShare(keyword: RankedRows, semantic: RankedRows, documents: number): number {
  if (keyword.rows.length === 0 || semantic.rows.length === 0) return 1;
  const steep = clamp((sure.flat - ratio(keyword.scores, sure.fallRank)) / (sure.flat - sure.steep));
  const margin = 1 - ratio(semantic.scores, sure.marginRank);
  const standing = clamp(margin / (sureMargin(documents) * (1 + steep))) ** 2;
  return sure.least + (1 - sure.least) * standing * standing;
}

/** How far the score at the rank of margins is below the first where a semantic ranking is sure beside a flat keyword ranking. */
function sureMargin(documents: number): number {
  const doublings = Math.log2(Math.max(1, documents / sure.few));
  return sure.margin + Math.round(sure.perDoubling * doublings * PRECISION) / PRECISION;
}

/** The score at a rank, counted from 0, as a part of the first; 0 where the ranking is shorter. */
function ratio(scores: readonly number[], rank: number): number {
  const first = scores[0]!;
  return first > 0 ? clamp((scores[rank] ?? 0) / first) : 0;
}

function clamp(value: number): number {
  return Math.max(0, Math.min(1, value));
}
