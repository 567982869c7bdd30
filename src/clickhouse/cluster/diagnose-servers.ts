import type { Clock } from "../../clock.js";
import { formatBytes } from "../../contract/quantity.js";
import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { knownTables } from "../schema/found-tables.js";
import type { ClusterFinding } from "./cluster-finding.js";
import type { ClusterLayout } from "./cluster-layout.js";
import { differingLoads, shardsOfServers } from "./copies.js";

const { clockMs, freeShare } = CLICKHOUSE_DEFAULTS.diagnosis;
/** Servers that do not answer are left out of the answer: those that are missing are what is looked for. */
const WHO_ANSWERS = "SETTINGS skip_unavailable_shards = 1";

/** A server of the lake: its number in the cluster, name, clock, and disks. */
type Facts = readonly [server: number, name: string, nowMs: number, freeBytes: number, totalBytes: number];

/** Servers of the lake that do not answer, clocks that differ, disks that are nearly full, replicas that differ. */
export async function diagnoseServers(connection: Connection, clock: Clock): Promise<ClusterFinding[]> {
  const { layout } = await knownTables(connection);
  const findings: ClusterFinding[] = [];
  const before = clock.now();
  const facts = await factsOf(connection, layout);
  const after = clock.now();
  for (const [, name, nowMs, free, total] of facts) {
    const off = Math.max(0, before - nowMs, nowMs - after);
    if (off > clockMs)
      findings.push({
        level: "warning",
        code: "clock_difference",
        message: `The clock of ${name} is ${(off / 1000).toFixed(1)} s ${nowMs < before ? "behind" : "ahead of"} this machine's`,
        remedy: "set the clocks by NTP: loads are numbered by the clock of the machine that installs",
      });
    if (free < total * freeShare)
      findings.push({
        level: "warning",
        code: "disk_space",
        message: `${name} has ${formatBytes(free)} free of ${formatBytes(total)}`,
        remedy: "free space on its disk: merges and installs need as much again as they write",
      });
  }
  if (layout === undefined) return findings;
  const shards = await shardsOfServers(connection, layout);
  const answering = new Set(facts.map(([server]) => server));
  const away = shards.flatMap((_, i) => (answering.has(i + 1) ? [] : [i + 1]));
  for (const server of away) {
    const shard = shards[server - 1]!;
    const isAlone = !shards.some((each, i) => each === shard && answering.has(i + 1));
    findings.push({
      level: isAlone ? "error" : "warning",
      code: "cluster_server_away",
      message: `Server ${server} of the cluster ${layout.cluster}, of shard ${shard}, does not answer${isAlone ? "" : "; another replica answers in its place"}`,
      remedy: isAlone
        ? "start it: calls fail until then"
        : "start it: installs and removals fail until then; or take it out of remote_servers on all others",
    });
  }
  if (away.length === 0)
    for (const load of await differingLoads(connection, layout))
      findings.push({
        level: "warning",
        code: "cluster_replicas_differ",
        message: `Load ${load} is visible on some replicas alone: a writer failed half-way`,
        remedy: "repeat the install or removal that failed; the next one repairs it too",
      });
  return findings;
}

function factsOf(connection: Connection, layout: ClusterLayout | undefined): Promise<Facts[]> {
  const columns = "toUnixTimestamp64Milli(now64(3)), toFloat64(sum(free_space)), toFloat64(sum(total_space))";
  return connection.rows(
    layout === undefined
      ? `SELECT 1, hostName(), ${columns} FROM system.disks`
      : `SELECT _shard_num, concat(hostName(), ':', toString(tcpPort())) AS name, ${columns}
          FROM clusterAllReplicas('${layout.cluster}', system.disks) GROUP BY _shard_num, name ORDER BY _shard_num ${WHO_ANSWERS}`,
  );
}
