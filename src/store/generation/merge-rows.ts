import type { Database } from "../../duckdb/database.js";
import { rowOrder } from "./row-order.js";

const ROWS_AT_ONCE = 65_536;

/**
 * Renumbers the rows of a table from `first` on, without gaps and in the order of a segment, and stores them in it.
 * @returns the row that each had, from row `first` on
 */
export async function mergeRows(
  db: Database,
  table: "records" | "raw",
  first: number,
  signal?: AbortSignal,
): Promise<Int32Array> {
  await db.run(
    `CREATE TEMP TABLE merged AS
      SELECT "row" AS former, * REPLACE ((? + row_number() OVER (ORDER BY ${rowOrder(table)}) - 1)::INTEGER AS "row")
      FROM ${table} WHERE "row" >= ?`,
    [first, first],
    signal,
  );
  await db.run(`DELETE FROM ${table} WHERE "row" >= ?`, [first], signal);
  await db.run(`INSERT INTO ${table} SELECT * EXCLUDE (former) FROM merged ORDER BY "row"`, [], signal);
  const [counted] = await db.rows<{ count: number }>("SELECT count(*)::INTEGER AS count FROM merged");
  const former = new Int32Array(counted!.count);
  // A stream has a connection of its own, without this one's temporary tables.
  for (let from = 0; from < former.length; from += ROWS_AT_ONCE) {
    const rows = await db.rows<{ former: number }>(
      'SELECT former FROM merged WHERE "row" >= ? AND "row" < ? ORDER BY "row"',
      [first + from, first + from + ROWS_AT_ONCE],
    );
    for (const [i, row] of rows.entries()) former[from + i] = row.former;
  }
  await db.run("DROP TABLE merged");
  return former;
}
