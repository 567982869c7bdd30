import { LakeError } from "../../contract/errors.js";
import { shellWord } from "../../contract/shell-word.js";
import { type ClickHouseAddress, shownClickHouse } from "../clickhouse-address.js";
import { committedLoads, loadList } from "../committed-loads.js";
import { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { knownTables } from "../schema/found-tables.js";
import { FIRST_VERSIONS, LOADED_TABLES, TABLES } from "../schema/schema.js";
import type { ClusterLayout } from "./cluster-layout.js";

/** What one server has of a table. */
export interface TableStatus {
  /** `host:port` of ClickHouse's own protocol. */
  readonly server: string;
  readonly table: string;
  readonly rows: number;
  readonly bytes: number;
  readonly parts: number;
}

/** Result of {@link clusterStatus}. */
export interface ClusterStatus {
  readonly lake: string;
  readonly server: string;
  /** Versions of the tables: found, and wanted by this program. */
  readonly version: { readonly tables: number; readonly program: number };
  readonly layout?: ClusterLayout;
  readonly tables: readonly TableStatus[];
  /** Tables that a server does not have. */
  readonly missing: readonly { readonly server: string; readonly table: string }[];
  readonly loads: readonly {
    readonly id: number;
    /** ISO 8601. */
    readonly at: string;
    readonly kind: "install" | "removal";
    readonly records: number;
    readonly raw: number;
    readonly slices: number;
  }[];
  /** Removed keys, with those that were derived. */
  readonly removals: number;
  /** Records of loads that were not completed, or that are under way. */
  readonly unfinished: readonly { readonly load: number; readonly records: number }[];
  /** Replicas of tables; empty where none are. */
  readonly replicas: readonly {
    readonly server: string;
    readonly table: string;
    readonly delayS: number;
    readonly queue: number;
    readonly readOnly: boolean;
  }[];
}

/**
 * Reads what the servers of a lake have: versions, tables, rows, loads, replicas that lag. Changes nothing.
 * @throws LakeError `lake_not_found`, `cluster_*`
 */
export async function clusterStatus(lake: ClickHouseAddress): Promise<ClusterStatus> {
  const connection = await Connection.open(lake);
  try {
    const { version, layout } = await knownTables(connection);
    if (version === undefined)
      throw new LakeError("lake_not_found", `There is no lake at ${shownClickHouse(lake)}`, {
        value: shownClickHouse(lake),
        remedy: `Make it: mirrorlake cluster init --lake ${shellWord(shownClickHouse(lake))}`,
      });
    const [server] = await connection.rows<[string]>("SELECT version()");
    const isCurrent = version === CLICKHOUSE_DEFAULTS.schemaVersion;
    return {
      lake: shownClickHouse(lake),
      server: server![0],
      version: { tables: version, program: CLICKHOUSE_DEFAULTS.schemaVersion },
      layout,
      ...(await tablesOf(connection, layout, version)),
      ...(isCurrent ? await contentOf(connection) : { loads: [], removals: 0, unfinished: [] }),
      replicas: await replicasOf(connection, layout),
    };
  } finally {
    await connection.close();
  }
}

const SERVER = "concat(hostName(), ':', toString(tcpPort()))";

/** A table of the system, of the server or of all servers of the cluster. */
function ofAll(layout: ClusterLayout | undefined, table: string): string {
  return layout === undefined
    ? `system.${table}`
    : `clusterAllReplicas('${layout.cluster}', system.${table})`;
}

async function tablesOf(
  connection: Connection,
  layout: ClusterLayout | undefined,
  version: number,
): Promise<Pick<ClusterStatus, "tables" | "missing">> {
  const values = { database: connection.database };
  // A server alone may not listen to ClickHouse's own protocol.
  const server = layout === undefined ? "hostName()" : SERVER;
  const found = await connection.rows<[string, string]>(
    `SELECT ${server} AS server, name FROM ${ofAll(layout, "tables")} WHERE database = {database:String} ORDER BY server, name`,
    values,
  );
  const stored = await connection.rows<[string, string, number, number, number]>(
    `SELECT ${server} AS server, table, sum(rows), sum(bytes_on_disk), count() FROM ${ofAll(layout, "parts")}
      WHERE database = {database:String} AND active GROUP BY server, table`,
    values,
  );
  // Tables of an older version are read as they are.
  const wanted = TABLES.filter(({ name }) => version >= (FIRST_VERSIONS[name] ?? 0)).flatMap(({ name }) =>
    layout === undefined ? [name] : [name, `${name}_local`],
  );
  const servers = [...new Set(found.map(([server]) => server))];
  const has = new Set<string>(found.map(([server, name]) => `${server} ${name}`));
  const sizes = new Map<string, readonly number[]>(
    stored.map(([server, table, ...each]) => [`${server} ${table}`, each]),
  );
  const each = servers.flatMap((server) =>
    wanted.map((table) => ({ server, table, key: `${server} ${table}` })),
  );
  return {
    missing: each.filter(({ key }) => !has.has(key)).map(({ server, table }) => ({ server, table })),
    tables: each
      .filter(({ key, table }) => has.has(key) && (layout === undefined || table.endsWith("_local")))
      .map(({ key, server, table }) => {
        const [rows = 0, bytes = 0, parts = 0] = sizes.get(key) ?? [];
        return { server, table, rows, bytes, parts };
      }),
  };
}

async function contentOf(
  connection: Connection,
): Promise<Pick<ClusterStatus, "loads" | "removals" | "unfinished">> {
  const loads = await committedLoads(connection);
  const list = loadList(loads);
  const [keys] = await connection.rows<[number]>(
    `SELECT uniqExact(kind, platform, resource, id, sha256) FROM removals WHERE by IN (${list})`,
  );
  const [records] = LOADED_TABLES;
  const unfinished = await connection.rows<[number, number]>(
    `SELECT load, count() FROM ${records} WHERE load NOT IN (${list}) GROUP BY load ORDER BY load`,
  );
  return {
    loads: loads.map(({ id, nowMs, records, raw, slices }) => ({
      id,
      at: new Date(nowMs).toISOString(),
      kind: slices.length > 0 ? "install" : "removal",
      records,
      raw,
      slices: slices.length,
    })),
    removals: keys![0],
    unfinished: unfinished.map(([load, records]) => ({ load, records })),
  };
}

async function replicasOf(
  connection: Connection,
  layout: ClusterLayout | undefined,
): Promise<ClusterStatus["replicas"]> {
  if (layout?.replicated !== true) return [];
  const rows = await connection.rows<[string, string, number, number, number]>(
    `SELECT ${SERVER}, table, absolute_delay, queue_size, is_readonly FROM ${ofAll(layout, "replicas")}
      WHERE database = {database:String} ORDER BY ALL`,
    { database: connection.database },
  );
  return rows.map(([server, table, delayS, queue, readOnly]) => ({
    server,
    table,
    delayS,
    queue,
    readOnly: readOnly !== 0,
  }));
}
