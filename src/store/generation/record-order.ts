import type { SqlValue } from "../../duckdb/database.js";
import type { RecordOrder } from "../corpus.js";
import type { PriceChange } from "./price-changes.js";

const ORDER_COLUMNS: Readonly<Partial<Record<RecordOrder, string>>> = {
  captured: "prov_ts_ms",
  id: "id",
  price: "price_current",
  drop_7d: "price_drop_7d",
  sentiment: "sentiment_score",
  followers: "author_followers",
};

/** `drop_7d` with the values that removals changed: lists of rows and of values. */
const CHANGED_DROP = `CASE WHEN list_contains(?::INTEGER[], "row") THEN list_extract(?::DOUBLE[], list_position(?::INTEGER[], "row"))
  ELSE price_drop_7d END`;

/**
 * SQL of the number that records are sorted by, and its parameters.
 * @param changes of prices, by row, that removals made since the generation was built
 */
export function sortValue(
  orderBy: RecordOrder,
  changes: ReadonlyMap<number, PriceChange>,
): { readonly sql: string; readonly params: SqlValue[] } {
  const changed = orderBy === "drop_7d" ? [...changes.values()] : [];
  if (changed.length === 0) return { sql: ORDER_COLUMNS[orderBy] ?? `metrics_${orderBy}`, params: [] };
  const rows = changed.map(({ row }) => row);
  const drops = changed.map(({ drop }) => drop);
  return { sql: CHANGED_DROP, params: [rows, drops, rows] };
}
