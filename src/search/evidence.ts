import { SEARCH_DEFAULTS } from "./defaults.js";
import type { QueryGroups } from "./keyword/ranking/query-groups.js";
import type { RankedRows } from "./sorted-rows.js";

const { leastSupport } = SEARCH_DEFAULTS.keyword;
const NOTHING: RankedRows = { rows: [], scores: [] };

/**
 * What of a keyword ranking is an answer. A query with a word that some document holds has found what it asked for. One of
 * unknown words has parts of them at most, the first or last letters, say: these answer only where they make up enough of the
 * query in one document, as another form of a word does, so that a meaningless query finds nothing.
 */
export function answering({ known, possible, parts }: QueryGroups, { rows, scores }: RankedRows): RankedRows {
  if (known) return { rows, scores };
  if (!parts) return NOTHING;
  const count = scores.findIndex((score) => score < leastSupport * possible);
  return count < 0 ? { rows, scores } : { rows: rows.slice(0, count), scores: scores.slice(0, count) };
}
