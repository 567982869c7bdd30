import { join } from "node:path";
import { EventLoopTurn } from "../event-loop-turn.js";
import {
  type CheckedTable,
  checkColumns,
  checkNumbers,
  KeyOrder,
  readTable,
  refuseRow,
  type TableFacts,
} from "./checked-table.js";
import { SLICE_DEFAULTS } from "./defaults.js";
import { refuseSlice } from "./refuse-slice.js";

/**
 * Checks a Parquet file: its columns, what holds for all rows, their order, and every row that is not surely sound.
 * @throws SliceError
 */
export async function checkTable(table: CheckedTable): Promise<TableFacts> {
  const path = join(table.dir, table.resource.path);
  const columns = await readTable(table, () =>
    table.db.rows<{ name: string; type: string }>(
      "SELECT column_name AS name, column_type AS type FROM (DESCRIBE SELECT * FROM read_parquet(?))",
      [[path]],
    ),
  );
  checkColumns(table, columns);
  const { first, last, suspects } = await checkAll(table);
  const order = await checkOrder(table);
  const rows = new Set([...suspects, ...order.suspects]);
  if (rows.size > 0) await checkRows(table, [...rows]);
  return { first, last, counts: order.counts };
}

/** Checks the aggregates; returns the first and last capture, and the numbers of suspect rows. */
async function checkAll(
  table: CheckedTable,
): Promise<Pick<TableFacts, "first" | "last"> & { readonly suspects: readonly number[] }> {
  const { db, dir, resource, expected, params = [], suspect, captured } = table;
  const path = join(dir, resource.path);
  const aggregates = Object.entries(expected).map(([name, [sql]]) => `${sql} AS ${name}`);
  const [answer] = await readTable(table, () =>
    db.rows<Record<string, unknown> & Pick<TableFacts, "first" | "last"> & { suspects: number[] | null }>(
      `SELECT ${aggregates.join(", ")}, min(${captured}) AS "first", max(${captured}) AS "last",
        list(file_row_number) FILTER (${suspect.map((sql) => `(${sql})`).join(" OR ")}) AS suspects
      FROM read_parquet(?, file_row_number = true)`,
      [...params, [path]],
    ),
  );
  checkNumbers(table, (name) => answer?.[name]);
  return { first: answer?.first ?? null, last: answer?.last ?? null, suspects: answer?.suspects ?? [] };
}

/** Checks the order of keys; returns also the numbers of rows whose JSON is not surely sound. */
async function checkOrder(table: CheckedTable): Promise<{
  readonly suspects: readonly number[];
  readonly counts: ReadonlyMap<string, number>;
}> {
  const { db, dir, resource, key, json } = table;
  const suspects: number[] = [];
  const order = new KeyOrder(table);
  const turn = new EventLoopTurn(SLICE_DEFAULTS.turnMs);
  let number = 0;
  const sql = `SELECT ${key.join(", ")}, ${json.column} FROM read_parquet(?)`;
  await readTable(table, async () => {
    for await (const batch of db.stream(sql, [[join(dir, resource.path)]])) {
      for (const row of batch) {
        if (turn.isOver()) await turn.next();
        order.add(row);
        const text = row[json.column] as string | null;
        if (text !== null && !json.isSound(text)) suspects.push(number);
        number++;
      }
    }
  });
  return { suspects, counts: order.counts };
}

/** Reads rows by their numbers, and refuses the slice for the first that has a fault. */
async function checkRows(table: CheckedTable, numbers: readonly number[]): Promise<void> {
  const { db, dir, resource, rowFault } = table;
  const path = join(dir, resource.path);
  const turn = new EventLoopTurn(SLICE_DEFAULTS.turnMs);
  let seen = 0;
  const sql = `SELECT * FROM read_parquet(?, file_row_number = true)
    WHERE file_row_number IN (SELECT unnest(?::BIGINT[])) ORDER BY file_row_number`;
  await readTable(table, async () => {
    for await (const batch of db.stream(sql, [[path], numbers])) {
      for (const row of batch) {
        if (turn.isOver()) await turn.next();
        seen++;
        const fault = rowFault(row);
        if (fault !== undefined) refuseRow(table, row.file_row_number as number, row, fault);
      }
    }
  });
  if (seen !== numbers.length)
    refuseSlice("slice_corrupt", dir, `${resource.path} does not give the same rows twice`, { value: path });
}
