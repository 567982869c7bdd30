import { SEARCH_DEFAULTS } from "../../search/defaults.js";
import type { LanguageLengths } from "../../search/keyword/ranking/language-lengths.js";
import { typicalLength } from "../../search/keyword/ranking/typical-length.js";
import type { Connection } from "../connection.js";
import type { Conditions } from "./conditions.js";

const { longShare } = SEARCH_DEFAULTS.keyword;

/**
 * Measures the live documents of each language over all loads and shards, as `languageLengths` does those of a lake on disk: sums
 * of whole numbers, so that the statistics are the same to the last bit.
 */
export async function readLanguageLengths(
  connection: Connection,
  conditions: Conditions,
): Promise<Map<string, LanguageLengths>> {
  const live = conditions.live("records");
  const rows = await connection.rows<[string, ...number[]]>(
    `SELECT language, count(), any(total), any(toFloat64(squares)), countIf(long), sumIf(length, long), countIf(longest), sumIf(length, longest)
    FROM (
      SELECT language, length, total, squares, toFloat64(length) * toFloat64(total) AS product,
        product >= ${longShare} * toFloat64(squares) AS long, product >= toFloat64(squares) AS longest
      FROM records GLOBAL INNER JOIN (
        SELECT language, sum(length) AS total, sum(toUInt64(length) * length) AS squares FROM records WHERE ${live} GROUP BY language
      ) AS totals USING (language) WHERE ${live}
    ) GROUP BY language ORDER BY language`,
  );
  return new Map(
    rows.map(([language, ...sums]) => {
      const [documents, length, squares, longDocuments, longLength, longestDocuments, longestLength] =
        sums as [number, number, number, number, number, number, number];
      const totals = {
        documents,
        length,
        squares,
        longDocuments,
        longLength,
        longestDocuments,
        longestLength,
      };
      return [language, { documents, length, typical: typicalLength(totals) }];
    }),
  );
}
