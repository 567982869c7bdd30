import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { type Fit, vectorsOf } from "../fit.js";
import { knownTables } from "../schema/found-tables.js";

/**
 * Bytes on disk of vectors of as many records, with the graph over them that a large lake has, once: as the server that is asked stored
 * those of a fit when the writer had its turn. Undefined where it had none of them.
 */
export async function fitBytes(
  connection: Connection,
  fit: Pick<Fit, "fit">,
  records: number,
): Promise<number | undefined> {
  const { rowBytes } = await knownTables(connection);
  const { table, graph } = vectorsOf(fit, []);
  const tables = records < CLICKHOUSE_DEFAULTS.graph.rows ? [table] : [table, graph];
  let bytes = 0;
  for (const name of tables) {
    const each = rowBytes.get(name) ?? rowBytes.get(`${name}_local`);
    if (each === undefined) return undefined;
    bytes += each * records;
  }
  return Math.round(bytes);
}
