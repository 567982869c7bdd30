import type { SqlValue } from "../duckdb/database.js";
import type { RecordFilter } from "./corpus.js";
import { languageCondition, notRemoved } from "./raw-filter.js";

/**
 * The SQL condition of a filter over the table `records`, and its parameters.
 * @param removed rows that are hidden
 */
export function recordCondition(
  filter: RecordFilter,
  removed: readonly number[],
): { sql: string; params: SqlValue[] } {
  const parts: string[] = ["true"];
  const params: SqlValue[] = [];
  const add = (sql: string, ...values: SqlValue[]) => {
    parts.push(sql);
    params.push(...values);
  };
  if (filter.domains !== undefined) add("list_contains(?::VARCHAR[], src)", filter.domains);
  if (filter.platforms !== undefined) add("list_contains(?::VARCHAR[], platform)", filter.platforms);
  if (filter.langs !== undefined) add(...languageCondition("lang", filter.langs));
  if (filter.fromMs !== undefined) add("prov_ts_ms >= ?", filter.fromMs);
  if (filter.toMs !== undefined) add("prov_ts_ms <= ?", filter.toMs);
  if (removed.length > 0) add(...notRemoved(removed));
  return { sql: parts.join(" AND "), params };
}
