import { runOnRows } from "../cluster/cluster-layout.js";
import { type Load, loadList } from "../committed-loads.js";
import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { vectorsOf } from "../fit.js";
import { knownTables } from "../schema/found-tables.js";
import { REFITTED_COLUMNS, VECTOR_COLUMNS } from "./vector-rows.js";

/** What indexing the vectors of a load needs to know of it. */
type Counted = Pick<Load, "id" | "records">;

/** Which vectors are indexed. */
export interface IndexWish {
  /** Records of the lake with them. */
  readonly records: number;
  /** The fit that they are of: the load that refitted, or 0. */
  readonly fit: number;
  /** Number of records from which on a lake has a graph. */
  readonly from?: number;
}

/**
 * Copies the vectors that loads brought of a fit to the table of the graph, where the lake is large enough for approximate search, and
 * has the servers build the graph in the background. A load that is there as a whole is left as it is; until its graph is there, its rows
 * are compared one by one.
 * @param loads those whose vectors are to be there
 */
export async function indexVectors(
  connection: Connection,
  loads: readonly Counted[],
  { records, fit, from = CLICKHOUSE_DEFAULTS.graph.rows }: IndexWish,
): Promise<void> {
  if (records < from || !(await hasGraphTable(connection))) return;
  const names = (fit === 0 ? VECTOR_COLUMNS : REFITTED_COLUMNS).join(", ");
  const { table, graph } = vectorsOf({ fit }, []);
  for (const { id } of await notInGraph(connection, loads, fit)) {
    await dropPartition(connection, graph, partitionOf(fit, id));
    // Through the tables over all servers: each row goes to every replica of its shard.
    await connection.run(
      `INSERT INTO ${graph} (${names}) SELECT ${names} FROM ${table} WHERE ${broughtBy(fit, id)}
        SETTINGS materialize_skip_indexes_on_insert = 0`,
    );
    await runOnRows(
      connection,
      graph,
      `ALTER TABLE {table} MATERIALIZE INDEX graph IN PARTITION ${partitionOf(fit, id)} SETTINGS mutations_sync = 0`,
    );
  }
}

/** The loads whose vectors of a fit the table of the graph does not have, or not all of them. It is to be there. */
export async function notInGraph<T extends Counted>(
  connection: Connection,
  loads: readonly T[],
  fit: number,
): Promise<T[]> {
  const { graph, of } = vectorsOf({ fit }, loads);
  if (fit === 0) {
    const found = await countRows(
      connection,
      `SELECT load, count() FROM ${graph} WHERE load IN (${loadList(loads)}) GROUP BY load`,
    );
    return loads.filter(({ id, records }) => (found.get(id) ?? 0) !== records);
  }
  const counts = (table: string) =>
    countRows(connection, `SELECT by, count() FROM ${table} WHERE ${of} GROUP BY by`);
  const [wanted, found] = [await counts("refitted"), await counts(graph)];
  return loads.filter(({ id }) => (wanted.get(id) ?? 0) !== (found.get(id) ?? 0));
}

async function countRows(connection: Connection, sql: string): Promise<Map<number, number>> {
  return new Map(await connection.rows<[number, number]>(sql));
}

/** Removes what the tables of graphs, and of fits, have of a load. */
export async function dropVectors(connection: Connection, load: number): Promise<void> {
  if (await hasGraphTable(connection)) await dropPartition(connection, "near", partitionOf(0, load));
  if (((await knownTables(connection)).version ?? 0) < CLICKHOUSE_DEFAULTS.fitVersion) return;
  const fits = await connection.rows<[number]>(`SELECT DISTINCT fit FROM refitted WHERE by = ${load}`);
  for (const [fit] of fits) await dropRefitted(connection, fit, load);
}

/** Removes the vectors that a load brought of an embedder that was refitted. */
export async function dropRefitted(connection: Connection, fit: number, load: number): Promise<void> {
  for (const table of ["refitted_near", "refitted"])
    await dropPartition(connection, table, partitionOf(fit, load));
}

function dropPartition(connection: Connection, table: string, partition: string): Promise<void> {
  return runOnRows(connection, table, `ALTER TABLE {table} DROP PARTITION ${partition}`);
}

function partitionOf(fit: number, load: number): string {
  return fit === 0 ? String(load) : `(${fit}, ${load})`;
}

/** SQL of the rows of vectors of a fit that a load brought. */
function broughtBy(fit: number, load: number): string {
  return fit === 0 ? `load = ${load}` : `fit = ${fit} AND by = ${load}`;
}

async function hasGraphTable(connection: Connection): Promise<boolean> {
  return ((await knownTables(connection)).version ?? 0) >= CLICKHOUSE_DEFAULTS.graphVersion;
}
