import { LakeError } from "../../contract/errors.js";
import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";

/** Refuses tables of a newer version. @throws LakeError `cluster_newer_format` */
function refuseNewer(version: number | undefined): void {
  if (version === undefined || version <= CLICKHOUSE_DEFAULTS.schemaVersion) return;
  throw new LakeError("cluster_newer_format", `The lake's tables have version ${version}`, {
    value: version,
    remedy: "Update mirrorlake.",
  });
}

/**
 * Refuses tables of an older version than is needed; default: than those that can say what was removed.
 * @throws LakeError `cluster_older_format`
 */
export function refuseOlder(
  version: number | undefined,
  needed: number = CLICKHOUSE_DEFAULTS.readableVersion,
): void {
  if (version === undefined || version >= needed) return;
  throw new LakeError("cluster_older_format", `The lake's tables have version ${version}`, {
    value: version,
    remedy: "Bring them up to date: mirrorlake cluster init --lake <address>.",
  });
}

/**
 * The version of the tables; undefined where there are none.
 * @throws LakeError `cluster_newer_format`, `cluster_not_allowed`, `cluster_unreachable`
 */
export async function schemaVersion(connection: Connection): Promise<number | undefined> {
  const [table] = await connection.rows<[number]>(
    "SELECT count() FROM system.tables WHERE database = {database:String} AND name = 'schema_version'",
    { database: connection.database },
  );
  if (table![0] === 0) return undefined;
  const [newest] = await connection.rows<[number]>("SELECT max(version) FROM schema_version");
  const version = newest![0];
  refuseNewer(version);
  return version === 0 ? undefined : version;
}
