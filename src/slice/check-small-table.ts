import { join } from "node:path";
import {
  type CheckedTable,
  checkColumns,
  checkNumbers,
  KeyOrder,
  otherColumn,
  readTable,
  refuseRow,
  type TableFacts,
} from "./checked-table.js";

/**
 * Checks a Parquet file of few rows as `checkTable` does: one query reads all of them, which takes less time than the engine takes
 * to plan its checks, and every row is looked at.
 * @returns undefined for a file with more rows than its manifest says: `checkTable` says how many
 * @throws SliceError
 */
export async function checkSmallTable(table: CheckedTable): Promise<TableFacts | undefined> {
  const { db, dir, resource, captured, rowFault } = table;
  const path = join(dir, resource.path);
  const { columns, rows } = await readTable(table, () =>
    db.table<Record<string, unknown>>(
      "SELECT * FROM read_parquet(?) LIMIT ?",
      [[path], resource.rows + 1],
      (found) => otherColumn(table, found) === undefined,
    ),
  );
  checkColumns(table, columns);
  if (rows.length > resource.rows) return undefined;
  checkNumbers(table, (name) => table.expected[name]![1](rows));
  const order = new KeyOrder(table);
  for (const row of rows) order.add(row);
  for (const [number, row] of rows.entries()) {
    const fault = rowFault(row);
    if (fault !== undefined) refuseRow(table, number, row, fault);
  }
  const times = rows.map((row) => row[captured] as number);
  return {
    first: times.length === 0 ? null : Math.min(...times),
    last: times.length === 0 ? null : Math.max(...times),
    counts: order.counts,
    rows,
  };
}
