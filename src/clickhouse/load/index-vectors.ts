import { runOnRows } from "../cluster/cluster-layout.js";
import { type Load, loadList } from "../committed-loads.js";
import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { GRAPH_TABLE, schemaVersion } from "../schema.js";
import { VECTOR_COLUMNS } from "./vector-rows.js";

/** What is told of a load to index its vectors. */
type Counted = Pick<Load, "id" | "records">;

/**
 * Copies the vectors of loads to the table of the graph, where the lake is large enough for approximate search, and has the servers
 * build the graph in the background. A load that is there as a whole is left as it is; until its graph is there, its rows are
 * compared one by one.
 * @param loads those whose vectors are to be there
 * @param records of the lake with them
 * @param from number of records from which on a lake has a graph
 */
export async function indexVectors(
  connection: Connection,
  loads: readonly Counted[],
  records: number,
  from: number = CLICKHOUSE_DEFAULTS.graph.rows,
): Promise<void> {
  if (records < from || !(await hasGraphTable(connection))) return;
  const names = VECTOR_COLUMNS.join(", ");
  for (const { id } of await notInGraph(connection, loads)) {
    await dropGraph(connection, id);
    // Through the tables over all servers: each row goes to every replica of its shard.
    await connection.run(
      `INSERT INTO ${GRAPH_TABLE} (${names}) SELECT ${names} FROM vectors WHERE load = ${id}
        SETTINGS materialize_skip_indexes_on_insert = 0`,
    );
    await runOnRows(
      connection,
      GRAPH_TABLE,
      `ALTER TABLE {table} MATERIALIZE INDEX graph IN PARTITION ${id} SETTINGS mutations_sync = 0`,
    );
  }
}

/** The loads whose rows the table of the graph does not have, or not all of them. It is to be there. */
export async function notInGraph<T extends Counted>(
  connection: Connection,
  loads: readonly T[],
): Promise<T[]> {
  const rows = await connection.rows<[number, number]>(
    `SELECT load, count() FROM ${GRAPH_TABLE} WHERE load IN (${loadList(loads)}) GROUP BY load`,
  );
  const found = new Map(rows);
  return loads.filter(({ id, records }) => (found.get(id) ?? 0) !== records);
}

/** Removes what the table of the graph has of a load. */
export async function dropGraph(connection: Connection, load: number): Promise<void> {
  if (await hasGraphTable(connection))
    await runOnRows(connection, GRAPH_TABLE, `ALTER TABLE {table} DROP PARTITION ${load}`);
}

async function hasGraphTable(connection: Connection): Promise<boolean> {
  return ((await schemaVersion(connection)) ?? 0) >= CLICKHOUSE_DEFAULTS.graphVersion;
}
