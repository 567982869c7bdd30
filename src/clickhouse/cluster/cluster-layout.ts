import { UsageError } from "../../contract/errors.js";
import type { ClickHouseAddress } from "../clickhouse-address.js";
import { Connection } from "../connection.js";
import { knownTables } from "../schema/found-tables.js";
import { GRAPH_TABLES, LOADED_TABLES, NOTE_VERSION, SHARD_KEY, TABLES } from "../schema/schema.js";
import { upgradeStatements } from "../schema/schema-upgrades.js";

/** How the tables of a lake are spread over servers. */
export interface ClusterLayout {
  /** Name of the cluster in the servers' configuration (`remote_servers`). */
  readonly cluster: string;
  /** Whether each shard has replicas, kept equal by Keeper. */
  readonly replicated: boolean;
  /** Servers that are told one by one, `host:port`, the first of them by all writers; none: the cluster is told `ON CLUSTER`. */
  readonly nodes: readonly string[];
}

/** A statement, and which server runs it: every one, or the one that is asked. */
export interface PlannedStatement {
  readonly on: "all" | "one";
  readonly sql: string;
}

/**
 * The statements that make the tables of a lake on a cluster: on each server those with the rows of its shard, and `Distributed`
 * tables over them, which are asked. Rows of a load are spread by a hash of the load and the ordinal, which stands for the id.
 * @param found version of the tables that are there: those are brought up to date
 * @throws UsageError `invalid_cluster`
 */
export function layoutStatements(
  database: string,
  { cluster, replicated, nodes }: ClusterLayout,
  found?: number,
): PlannedStatement[] {
  if (!/^[A-Za-z_][A-Za-z0-9_-]{0,62}$/.test(cluster))
    throw new UsageError("invalid_cluster", `Not the name of a cluster: ${cluster}`, {
      value: cluster,
      remedy: "Name one of `remote_servers` in the servers' configuration: letters, digits, _ and -.",
    });
  const on = nodes.length > 0 ? "" : ` ON CLUSTER \`${cluster}\``;
  const all = (sql: string): PlannedStatement => ({ on: nodes.length > 0 ? "all" : "one", sql });
  const where = "('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')";
  const upgrades = upgradeStatements(found ?? 0, { local: `_local${on}`, over: on }).map(all);
  const noteLayout: PlannedStatement = {
    on: "one",
    sql: `INSERT INTO layout (cluster, replicated, nodes) VALUES ('${cluster}', ${replicated ? 1 : 0},
        [${nodes.map((node) => `'${node}'`).join(", ")}])`,
  };
  return [
    ...TABLES.map(({ name, columns, engine = "MergeTree", rest }) =>
      all(`CREATE TABLE IF NOT EXISTS ${name}_local${on} (${columns})
        ENGINE = ${replicated ? `Replicated${engine}${where}` : engine} ${rest}`),
    ),
    ...TABLES.map(({ name }) => {
      const isSpread = [...LOADED_TABLES, ...GRAPH_TABLES].some((table) => table === name);
      const key = isSpread ? SHARD_KEY : "0";
      return all(`CREATE TABLE IF NOT EXISTS ${name}${on} AS ${database}.${name}_local
        ENGINE = Distributed('${cluster}', '${database}', '${name}_local', ${key})`);
    }),
    ...(found === undefined ? [noteLayout] : upgrades),
    { on: "one", sql: NOTE_VERSION },
  ];
}

/** The address of the same database, as the same user, on another server. @param node `host:port` */
export function addressOn(address: ClickHouseAddress, node: string): ClickHouseAddress {
  const url = new URL(address);
  const at = url.username === "" ? "" : `${url.username}${url.password && `:${url.password}`}@`;
  return `${url.protocol}//${at}${node}${url.pathname}${url.search}` as ClickHouseAddress;
}

/** Runs a statement on the rows of every server: in place of a table's name `{table}` stands. */
export async function runOnRows(connection: Connection, table: string, sql: string): Promise<void> {
  const { layout } = await knownTables(connection);
  if (layout === undefined) return connection.run(sql.replace("{table}", table));
  if (layout.nodes.length === 0)
    return connection.run(sql.replace("{table}", `${table}_local ON CLUSTER \`${layout.cluster}\``));
  for (const node of layout.nodes) {
    const each = await Connection.open(addressOn(connection.address, node), "load");
    try {
      await each.run(sql.replace("{table}", `${table}_local`));
    } finally {
      await each.close();
    }
  }
}
