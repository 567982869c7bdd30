import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { type Fit, vectorsOf } from "../fit.js";

/**
 * Bytes on disk of vectors of as many records, with the graph over them that a large lake has, once: as the server that is asked stores
 * those of a fit. Undefined where it has none of them.
 */
export async function fitBytes(
  connection: Connection,
  fit: Pick<Fit, "fit">,
  records: number,
): Promise<number | undefined> {
  const { table, graph } = vectorsOf(fit, []);
  const tables = records < CLICKHOUSE_DEFAULTS.graph.rows ? [table] : [table, graph];
  const each = await Promise.all(tables.map((name) => rowBytes(connection, name)));
  return each.every((bytes) => bytes > 0)
    ? Math.round(records * each.reduce((sum, bytes) => sum + bytes, 0))
    : undefined;
}

/** Bytes of a row of a table, or of the part of it that the server has; 0 where it has no rows. */
async function rowBytes(connection: Connection, table: string): Promise<number> {
  const [row] = await connection.rows<[number, number]>(
    `SELECT toFloat64(sum(total_bytes)), toFloat64(sum(total_rows)) FROM system.tables
      WHERE database = {database:String} AND name IN ('${table}', '${table}_local') AND total_rows > 0`,
    { database: connection.database },
  );
  const [bytes, rows] = row!;
  return rows === 0 ? 0 : bytes / rows;
}
