import { LakeError, UsageError } from "../../contract/errors.js";
import { type ClickHouseAddress, serversOf, shownClickHouse } from "../clickhouse-address.js";
import { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { knownTables } from "../schema/found-tables.js";
import { schemaStatements } from "../schema/schema.js";
import { addressOn, type ClusterLayout, layoutStatements, type PlannedStatement } from "./cluster-layout.js";
import { completeGraph } from "./complete-graph.js";

/** Options of {@link initCluster}. */
export interface InitClusterOptions {
  readonly lake: ClickHouseAddress;
  /** Name of the cluster in the servers' configuration; default: the one server that the address names. */
  readonly cluster?: string;
  /** Makes tables that Keeper keeps equal on the replicas of each shard; otherwise every replica is written. */
  readonly replicated?: boolean;
  /** Servers, `host:port` of HTTP, that are told one by one; default: the cluster is told `ON CLUSTER`, which needs Keeper. */
  readonly nodes?: readonly string[];
  /** Only says what would be done. */
  readonly dryRun?: boolean;
}

/** Result of {@link initCluster}. */
export interface InitClusterReport {
  /** Address without the password. */
  readonly lake: string;
  readonly state: "planned" | "made" | "upgraded" | "present";
  readonly version: number;
  readonly layout?: ClusterLayout;
  readonly statements: readonly PlannedStatement[];
}

/**
 * Makes the tables of a lake in a database that exists: on one server, or on the shards and replicas of a cluster. What is there
 * is left as it is; tables of an older version are brought up to date, and the index of a large lake's vectors. A version is noted last, so that a lake is there when its
 * tables are.
 * @throws UsageError `invalid_cluster`, `invalid_lake_address`; LakeError `cluster_exists`, `cluster_*`
 */
export async function initCluster(options: InitClusterOptions): Promise<InitClusterReport> {
  const { lake, dryRun = false } = options;
  const wanted = layoutOf(options);
  const connection = await Connection.open(serversOf(lake)[0], "load");
  try {
    const { version: found, layout: held } = await knownTables(connection);
    if (found !== undefined && wanted !== undefined && !isSame(held, wanted)) throw exists(lake, held);
    if (found === undefined && wanted !== undefined) {
      await refuseUnknown(connection, wanted.cluster);
      await refuseUnevenReplicas(connection, wanted);
    }
    const version = CLICKHOUSE_DEFAULTS.schemaVersion;
    const isPresent = found === version;
    const layout = wanted ?? held;
    const statements = isPresent
      ? []
      : layout === undefined
        ? schemaStatements({ found }).map((sql): PlannedStatement => ({ on: "one", sql }))
        : layoutStatements(connection.database, layout, found);
    if (!dryRun && !isPresent) await runAll(connection, statements, layout?.nodes ?? []);
    if (!dryRun && found !== undefined) await completeGraph(lake);
    const made = found === undefined ? "made" : "upgraded";
    const state = isPresent ? "present" : dryRun ? "planned" : made;
    return { lake: shownClickHouse(lake), state, version, layout, statements };
  } finally {
    await connection.close();
  }
}

function layoutOf({
  cluster,
  replicated = false,
  nodes = [],
}: InitClusterOptions): ClusterLayout | undefined {
  const wrong = nodes.find((node) => !/^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}$/.test(node));
  if (wrong !== undefined)
    throw new UsageError("invalid_cluster", `Not a server: ${wrong}`, {
      value: wrong,
      remedy: "Write host:port, the port that takes HTTP.",
    });
  if (cluster !== undefined) return { cluster, replicated, nodes };
  if (!replicated && nodes.length === 0) return undefined;
  throw new UsageError("invalid_cluster", "Shards and replicas need the name of a cluster", {
    value: nodes,
    remedy: "Add --cluster NAME, one of `remote_servers` in the servers' configuration.",
  });
}

async function runAll(
  connection: Connection,
  statements: readonly PlannedStatement[],
  nodes: readonly string[],
): Promise<void> {
  const servers: Connection[] = [];
  try {
    for (const node of nodes)
      servers.push(await Connection.open(addressOn(connection.address, node), "load"));
    for (const { on, sql } of statements)
      for (const server of on === "all" ? servers : [servers[0] ?? connection]) await server.run(sql);
  } finally {
    for (const server of servers) await server.close();
  }
}

async function refuseUnknown(connection: Connection, cluster: string): Promise<void> {
  const rows = await connection.rows<[string]>(
    "SELECT DISTINCT cluster FROM system.clusters ORDER BY cluster",
  );
  const known = rows.map(([name]) => name);
  if (known.includes(cluster)) return;
  const list = known.length === 0 ? "It knows none." : `It knows ${known.join(", ")}.`;
  throw new UsageError("invalid_cluster", `The server knows no cluster ${cluster}. ${list}`, {
    value: cluster,
    remedy: "Write the cluster into `remote_servers` of every server's configuration.",
  });
}

/**
 * Refuses a cluster whose replicas would not get the same rows: without Keeper `Distributed` has to write each of them, with it one.
 * @throws UsageError `invalid_cluster`
 */
async function refuseUnevenReplicas(
  connection: Connection,
  { cluster, replicated }: ClusterLayout,
): Promise<void> {
  const shards = await connection.rows<[number, number, number]>(
    `SELECT shard_num, count(), max(internal_replication) FROM system.clusters WHERE cluster = {cluster:String}
      GROUP BY shard_num ORDER BY shard_num`,
    { cluster },
  );
  const refuse = (message: string, remedy: string) => {
    throw new UsageError("invalid_cluster", message, { value: cluster, remedy });
  };
  if (new Set(shards.map(([, copies]) => copies)).size > 1)
    refuse(
      `The shards of the cluster ${cluster} have different numbers of replicas`,
      "Give each shard as many: every one has to have what is written.",
    );
  const mirrored = shards.filter(([, copies]) => copies > 1);
  if (mirrored.some(([, , internal]) => (internal !== 0) !== replicated))
    refuse(
      replicated
        ? `The cluster ${cluster} would write each replica itself`
        : `The cluster ${cluster} writes one replica of each shard, and nothing would bring the rows to the others`,
      replicated
        ? "Write <internal_replication>true</internal_replication> into its shards."
        : "Write <internal_replication>false</internal_replication> into its shards, or add --replicated, which needs Keeper.",
    );
}

function isSame(held: ClusterLayout | undefined, wanted: ClusterLayout): boolean {
  return held?.cluster === wanted.cluster && held.replicated === wanted.replicated;
}

function exists(lake: ClickHouseAddress, held: ClusterLayout | undefined): LakeError {
  const what = held === undefined ? "one server" : `the cluster ${held.cluster}`;
  return new LakeError("cluster_exists", `There is a lake on ${what} at ${shownClickHouse(lake)}`, {
    value: shownClickHouse(lake),
    remedy: "Name an empty database, and install the slices there.",
  });
}
