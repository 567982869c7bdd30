import { SEARCH_DEFAULTS } from "./defaults.js";
import type { QueryLanguages } from "./keyword/ranking/query-languages.js";
import { type RankedRows, sortedRows } from "./sorted-rows.js";

const { otherLanguage } = SEARCH_DEFAULTS.keyword;

/**
 * Lowers the scores of rows in languages that the query is hardly in, and sorts again: names and numbers are the same in many
 * languages, and who asks in one wants answers in it first. Keeps the first `limit`; default: all.
 */
export function favourLanguages(
  { rows, scores }: RankedRows,
  languages: QueryLanguages,
  languageOf: (row: number) => string,
  compareRows: (a: number, b: number) => number,
  limit?: number,
): RankedRows {
  const lowered = rows.map((row, i) => {
    const likely = languages.get(languageOf(row)) ?? 0;
    return scores[i]! * (1 - otherLanguage * (1 - likely));
  });
  return sortedRows(rows, lowered, compareRows, limit);
}
