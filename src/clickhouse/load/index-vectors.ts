import { runOnRows } from "../cluster/cluster-layout.js";
import type { Load } from "../committed-loads.js";
import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { schemaVersion } from "../schema.js";

/**
 * Has the servers index the vectors of a load in the background, where the lake is large enough for approximate search; and those of
 * the loads before it, where this one made it so. Until an index is there, its vectors are compared one by one.
 */
export async function indexVectors(
  connection: Connection,
  before: readonly Pick<Load, "id" | "records">[],
  made: Pick<Load, "id" | "records">,
): Promise<void> {
  const { graph, graphVersion } = CLICKHOUSE_DEFAULTS;
  const held = before.reduce((sum, { records }) => sum + records, 0);
  if (held + made.records < graph.rows || ((await schemaVersion(connection)) ?? 0) < graphVersion) return;
  for (const { id } of held < graph.rows ? [...before, made] : [made])
    await runOnRows(
      connection,
      "vectors",
      `ALTER TABLE {table} MATERIALIZE INDEX near IN PARTITION ${id} SETTINGS mutations_sync = 0`,
    );
}
