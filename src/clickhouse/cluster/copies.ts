import { LakeError } from "../../contract/errors.js";
import { shownClickHouse } from "../clickhouse-address.js";
import type { Connection } from "../connection.js";
import { readTables } from "../schema/found-tables.js";
import { hasTable, loadColumn, loadedTables } from "../schema/schema.js";
import type { WriterLease } from "../writer-lease.js";
import type { ClusterLayout } from "./cluster-layout.js";

/** Columns of `loads`, in the order in which a load is made visible. */
export const LOAD_COLUMNS = ["load", "now_ms", "model", "records", "raw", "slices", "removes", "digests"];

/** Tables that have rows of a load, and the column that names it. */
export async function rowsOfLoads(
  connection: Connection,
): Promise<readonly (readonly [table: string, column: string])[]> {
  const loaded = await loadedTables(connection);
  return [
    ...loaded.map((table) => [table, loadColumn(table)] as const),
    ["hidden", "by"],
    ["removals", "by"],
    ["redactions", "by"],
    ...((await hasTable(connection, "fits")) ? [["fits", "by"] as const] : []),
  ];
}

/** A table of every server of a cluster, in SQL; `_shard_num` counts the servers, shard by shard. */
export function onEveryServer(connection: Connection, { cluster }: ClusterLayout, table: string): string {
  return `clusterAllReplicas('${cluster}', ${connection.database}, ${table}_local)`;
}

/** For each server of a cluster the number of its shard, in the order of `_shard_num`. */
export async function shardsOfServers(
  connection: Connection,
  { cluster }: Pick<ClusterLayout, "cluster">,
): Promise<number[]> {
  const rows = await connection.rows<[number]>(
    "SELECT shard_num FROM system.clusters WHERE cluster = {cluster:String} ORDER BY shard_num, replica_num",
    { cluster },
  );
  return rows.map(([shard]) => shard);
}

/** How many servers have the rows of a shard. */
export async function copiesOf(
  connection: Connection,
  layout: Pick<ClusterLayout, "cluster">,
): Promise<number> {
  const shards = await shardsOfServers(connection, layout);
  return shards.filter((shard) => shard === shards[0]).length;
}

/**
 * Whether a load is visible, whichever server is asked; false if it is on none.
 * @param layout of the lake; undefined for one on one server
 * @throws LakeError `cluster_busy` if it is on some of the servers that should have it, `cluster_*`
 */
export async function isVisible(
  connection: Connection,
  layout: ClusterLayout | undefined,
  load: number,
): Promise<boolean> {
  const copies = layout === undefined ? 1 : await copiesOf(connection, layout);
  if (layout === undefined || copies === 1) {
    const [row] = await connection.rows<[number]>(`SELECT count() FROM loads WHERE load = ${load}`);
    return row![0] > 0;
  }
  const [row] = await connection.rows<[number]>(
    `SELECT uniqExact(_shard_num) FROM ${onEveryServer(connection, layout, "loads")} WHERE load = ${load}`,
  );
  if (row![0] === 0) return false;
  if (row![0] < copies) throw behind(connection);
  return true;
}

/**
 * Gives each server that keeps `loads` the loads that another one has: a writer that failed may have reached some of them alone. What
 * they count was on every server before. Every server has to answer. Returns the lake's layout.
 * @throws LakeError `cluster_damaged` if rows of such a load are not on every server that should have them, `cluster_busy` if Keeper
 * has not brought them yet or the lease was lost, `cluster_*`
 */
export async function levelLoads(
  connection: Connection,
  lease: WriterLease,
): Promise<ClusterLayout | undefined> {
  const { layout } = await readTables(connection);
  if (layout === undefined) return undefined;
  const missing = await differingLoads(connection, layout);
  if (missing.length === 0) return layout;
  if (layout.replicated) throw behind(connection);
  const loads = onEveryServer(connection, layout, "loads");
  for (const load of missing) await refuseUneven(connection, layout, load);
  const names = LOAD_COLUMNS.join(", ");
  // A server that has the row gets another: a load counts once however often it is named.
  await connection.run(
    `INSERT INTO loads (${names}) SELECT ${names} FROM ${loads}
      WHERE load IN (${missing.join()}) AND ${lease.condition} ORDER BY load LIMIT 1 BY load`,
    lease.values,
  );
  for (const load of missing) if (!(await isVisible(connection, layout, load))) throw lease.lost();
  return layout;
}

/** Loads that some of the servers that keep `loads` do not have, ascending. Every server has to answer. */
export async function differingLoads(connection: Connection, layout: ClusterLayout): Promise<number[]> {
  const copies = await copiesOf(connection, layout);
  if (copies === 1) return [];
  const rows = await connection.rows<[number]>(
    `SELECT load FROM ${onEveryServer(connection, layout, "loads")} GROUP BY load HAVING uniqExact(_shard_num) < ${copies} ORDER BY load`,
  );
  return rows.map(([load]) => load);
}

/** Refuses a load of which the servers of a shard have different numbers of rows. */
async function refuseUneven(connection: Connection, layout: ClusterLayout, load: number): Promise<void> {
  const shards = await shardsOfServers(connection, layout);
  for (const [table, column] of await rowsOfLoads(connection)) {
    const found = await connection.rows<[number, number]>(
      `SELECT _shard_num, count() FROM ${onEveryServer(connection, layout, table)} WHERE ${column} = ${load} GROUP BY _shard_num`,
    );
    const counts = new Map(found);
    const different = shards.findIndex(
      (shard, i) => (counts.get(i + 1) ?? 0) !== (counts.get(shards.indexOf(shard) + 1) ?? 0),
    );
    if (different < 0) continue;
    throw new LakeError("cluster_damaged", `The servers of shard ${shards[different]} differ in ${table}`, {
      value: load,
      remedy:
        "See mirrorlake verify; restore the server that lacks rows from a backup of the other one, or take it out of the cluster.",
    });
  }
}

function behind(connection: Connection): LakeError {
  const shown = shownClickHouse(connection.address);
  return new LakeError("cluster_busy", `A replica of ${shown} has not all loads yet`, {
    value: shown,
    remedy: "Run it again; mirrorlake cluster status shows replicas that lag.",
  });
}
