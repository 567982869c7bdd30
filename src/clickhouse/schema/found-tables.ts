import type { ClusterLayout } from "../cluster/cluster-layout.js";
import type { Connection } from "../connection.js";
import { refuseNewer } from "./schema-version.js";

/** What a database has of a lake's tables. */
export interface FoundTables {
  /** Names of all its tables. */
  readonly names: ReadonlySet<string>;
  /** Bytes on disk of a row, of those that have rows on the server that was asked. */
  readonly rowBytes: ReadonlyMap<string, number>;
  /** Version of the lake's tables; undefined where there is no lake. */
  readonly version: number | undefined;
  /** How they are spread over servers; undefined for a lake on one server, and where there is none. */
  readonly layout: ClusterLayout | undefined;
}

/** What was read last over each connection. */
const KNOWN = new WeakMap<Connection, FoundTables>();

/**
 * Reads which tables there are. A view that is opened, and a writer that has its turn, reads it again: others may have brought the tables
 * up to date meanwhile.
 * @throws LakeError `cluster_newer_format`, `cluster_not_allowed`, `cluster_unreachable`
 */
export async function readTables(connection: Connection): Promise<FoundTables> {
  const rows = await connection.rows<[string, number]>(
    `SELECT name, if(ifNull(total_rows, 0) = 0, 0, ifNull(total_bytes, 0) / total_rows) FROM system.tables
      WHERE database = {database:String}`,
    { database: connection.database },
  );
  const names = new Set(rows.map(([name]) => name));
  const [version, layout] = names.has("schema_version") ? await readNotes(connection, names) : [];
  refuseNewer(version);
  const rowBytes = new Map(rows.filter(([, bytes]) => bytes > 0));
  const found = { names, rowBytes, version, layout: version === undefined ? undefined : layout };
  KNOWN.set(connection, found);
  return found;
}

/** What {@link readTables} read last over a connection; reads it where nothing was. @throws as {@link readTables} */
export async function knownTables(connection: Connection): Promise<FoundTables> {
  return KNOWN.get(connection) ?? readTables(connection);
}

/** Forgets what was read over a connection: its tables have changed. */
export function forgetTables(connection: Connection): void {
  KNOWN.delete(connection);
}

/** Lets a connection to the same database know what was read over another one. */
export function shareTables(from: Connection, to: Connection): void {
  const found = KNOWN.get(from);
  if (found !== undefined) KNOWN.set(to, found);
}

/** The version that is noted, and the layout. */
async function readNotes(
  connection: Connection,
  names: ReadonlySet<string>,
): Promise<[version: number | undefined, layout: ClusterLayout | undefined]> {
  const version = "SELECT max(version) FROM schema_version";
  // Version 1 had no layouts.
  const sql = names.has("layout")
    ? `SELECT (${version}), groupArray(cluster), groupArray(replicated), groupArray(nodes) FROM layout`
    : version;
  const [row] = await connection.rows<[number | null, string[]?, number[]?, string[][]?]>(sql);
  const [newest, [cluster] = [], [replicated] = [], [nodes = []] = []] = row!;
  return [
    newest || undefined,
    cluster === undefined ? undefined : { cluster, replicated: replicated !== 0, nodes },
  ];
}
