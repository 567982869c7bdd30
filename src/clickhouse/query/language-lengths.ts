import { SEARCH_DEFAULTS } from "../../search/defaults.js";
import type { LanguageLengths } from "../../search/keyword/ranking/language-lengths.js";
import type { Connection } from "../connection.js";
import type { Conditions } from "./conditions.js";

const { longShare, longWeight } = SEARCH_DEFAULTS.keyword;

/**
 * Measures the live documents of each language over all loads and shards, as `languageLengths` does those of a lake on disk: sums
 * of whole numbers, so that the statistics are the same to the last bit.
 */
export async function readLanguageLengths(
  connection: Connection,
  conditions: Conditions,
): Promise<Map<string, LanguageLengths>> {
  const live = conditions.live("records");
  const rows = await connection.rows<[string, number, number, number, number]>(
    `SELECT language, count(), any(total), countIf(long), sumIf(length, long) FROM (
      SELECT language, length, total, toFloat64(length) * toFloat64(total) >= ${longShare} * toFloat64(squares) AS long
      FROM records GLOBAL INNER JOIN (
        SELECT language, sum(length) AS total, sum(toUInt64(length) * length) AS squares FROM records WHERE ${live} GROUP BY language
      ) AS totals USING (language) WHERE ${live}
    ) GROUP BY language ORDER BY language`,
  );
  return new Map(
    rows.map(([language, documents, length, longDocuments, longLength]) => {
      const ofLong = longDocuments === 0 ? 0 : longLength / longDocuments;
      return [language, { documents, length, typical: Math.max(length / documents, longWeight * ofLong) }];
    }),
  );
}
