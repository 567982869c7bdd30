import type { ClickHouseAddress } from "../clickhouse-address.js";
import { committedLoads, installsOf, recordsOf } from "../committed-loads.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { readFit } from "../fit.js";
import { indexVectors, notInGraph } from "../load/index-vectors.js";
import { WriterLease } from "../writer-lease.js";
import { openWriter } from "./open-writer.js";

/**
 * Indexes the vectors of a lake that is large enough, where its tables come from an older version or lost rows: in turn with other
 * writers. The tables are up to date.
 * @param from number of records from which on a lake has a graph
 * @throws LakeError `cluster_busy`, `cluster_*`
 */
export async function completeGraph(
  lake: ClickHouseAddress,
  from: number = CLICKHOUSE_DEFAULTS.graph.rows,
): Promise<void> {
  const connection = await openWriter(lake);
  try {
    const loads = installsOf(await committedLoads(connection));
    const records = recordsOf(loads);
    if (records < from) return;
    const { fit } = await readFit(connection, loads);
    if ((await notInGraph(connection, loads, fit)).length === 0) return;
    const lease = await WriterLease.take(connection);
    try {
      await indexVectors(connection, loads, { records, fit, from });
    } finally {
      await lease.release();
    }
  } finally {
    await connection.close();
  }
}
