import { type Load, loadList } from "../committed-loads.js";
import type { Connection } from "../connection.js";
import { digestOf } from "../load/load-digests.js";
import { LOADED_TABLES } from "../schema/schema.js";
import type { ClusterLayout } from "./cluster-layout.js";
import { copiesOf, onEveryServer, rowsOfLoads, shardsOfServers } from "./copies.js";
import type { ClusterProblem } from "./verify-cluster.js";

/** SQL of what is compared of a table's rows. */
function compared(table: string): string {
  const loaded = LOADED_TABLES.find((name) => name === table);
  // A load counts once however often it is named.
  if (table === "loads") return "uniqExact(load), ''";
  return loaded === undefined ? "count(), toString(sum(sipHash64(*)))" : digestOf(loaded);
}

/** Replicas of a shard that have different rows of a load. */
export async function differingCopies(
  connection: Connection,
  layout: ClusterLayout,
  loads: readonly Load[],
  signal?: AbortSignal,
): Promise<ClusterProblem[]> {
  if ((await copiesOf(connection, layout)) === 1) return [];
  const shards = await shardsOfServers(connection, layout);
  const problems: ClusterProblem[] = [];
  for (const [table, column] of [["loads", "load"] as const, ...(await rowsOfLoads(connection))]) {
    const rows = await connection.rows<[number, number, number, string]>(
      `SELECT _shard_num, ${column}, ${compared(table)} FROM ${onEveryServer(connection, layout, table)}
        WHERE ${column} IN (${loadList(loads)}) GROUP BY _shard_num, ${column}`,
      {},
      signal,
    );
    const found = new Map(
      rows.map(([server, load, count, digest]) => [`${server} ${load}`, `${count} ${digest}`]),
    );
    for (const { id } of loads)
      for (const shard of new Set(shards)) {
        const servers = shards.flatMap((each, i) => (each === shard ? [i + 1] : []));
        const contents = new Set(servers.map((server) => found.get(`${server} ${id}`)));
        if (contents.size > 1)
          problems.push({
            code: "cluster_replicas_differ",
            message: `Load ${id}: the replicas of shard ${shard} have different rows of ${table}`,
            remedy:
              "Restore the replica that is wrong from a backup of the other one; if only loads differs, the next install or removal repairs it.",
          });
      }
  }
  return problems;
}
