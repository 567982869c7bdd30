import { join } from "node:path";
import { type Clock, systemClock } from "../../clock.js";
import { LakeError } from "../../contract/errors.js";
import { counted } from "../../contract/quantity.js";
import { shellWord } from "../../contract/shell-word.js";
import { inSystemFolder } from "../../files/system-folder.js";
import { type ClickHouseAddress, serversOf, shownClickHouse } from "../clickhouse-address.js";
import { committedLoads, installsOf } from "../committed-loads.js";
import { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { fetchModel } from "../model-store.js";
import { knownTables } from "../schema/found-tables.js";
import { refuseOlder } from "../schema/schema-version.js";
import type { ClusterFinding } from "./cluster-finding.js";
import { clusterStatus } from "./cluster-status.js";
import { diagnoseServers } from "./diagnose-servers.js";
import { diagnoseUser } from "./diagnose-user.js";

/**
 * Finds why a lake on ClickHouse does not work, in seconds: servers that do not answer, versions, tables, rights and profile of the user,
 * loads that were not completed, replicas, disks, clocks, the fitted embedder. It reads no records (`verifyCluster` does) and changes nothing.
 */
export async function diagnoseCluster(
  lake: ClickHouseAddress,
  clock: Clock = systemClock,
): Promise<ClusterFinding[]> {
  const findings: ClusterFinding[] = [];
  const named = serversOf(lake);
  const answering: ClickHouseAddress[] = [];
  for (const server of named) {
    const failure = await failureOf(server);
    if (failure === undefined) answering.push(server);
    else findings.push({ ...failure, level: named.length === 1 ? "error" : "warning" });
  }
  const [first] = answering;
  if (first === undefined) return findings.map((finding) => ({ ...finding, level: "error" }));
  const connection = await Connection.open(first);
  try {
    for (const diagnose of [diagnoseUser, diagnoseServers])
      await noting(findings, async () => {
        findings.push(...(await diagnose(connection, clock)));
      });
    if (findings.every(({ level }) => level !== "error"))
      await noting(findings, () => diagnoseContent(connection, findings));
  } finally {
    await connection.close();
  }
  return findings;
}

/** Notes what fails as a finding. */
async function noting(findings: ClusterFinding[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof LakeError)) throw error;
    const { code, message, remedy } = error;
    findings.push({ level: "error", code, message, remedy });
  }
}

/** Why a server gives no answer; undefined if it does. @throws UsageError `invalid_lake_address`; LakeError `cluster_driver_missing` */
async function failureOf(server: ClickHouseAddress): Promise<ClusterFinding | undefined> {
  const connection = await Connection.open(server);
  try {
    await connection.rows("SELECT 1");
    return undefined;
  } catch (error) {
    if (!(error instanceof LakeError)) throw error;
    const { code, message, remedy } = error;
    return { level: "error", code, message, remedy };
  } finally {
    await connection.close();
  }
}

/** What the tables hold. */
async function diagnoseContent(connection: Connection, findings: ClusterFinding[]): Promise<void> {
  const { address } = connection;
  const shown = shownClickHouse(address);
  const { version, layout } = await knownTables(connection);
  refuseOlder(version);
  if (version === undefined)
    throw new LakeError("lake_not_found", `There is no lake at ${shown}`, {
      value: shown,
      remedy: `make it: mirrorlake cluster init --lake ${shellWord(shown)}, or mirrorlake install <slices…> --lake ${shellWord(shown)}`,
    });
  if (version < CLICKHOUSE_DEFAULTS.schemaVersion)
    findings.push({
      level: "note",
      code: "cluster_older_format",
      message: `The lake's tables have version ${version}, this program makes version ${CLICKHOUSE_DEFAULTS.schemaVersion}`,
      remedy: `mirrorlake cluster init --lake ${shellWord(shown)}`,
    });
  const { missing, unfinished, replicas } = await clusterStatus(address);
  for (const { server, table } of missing)
    findings.push({
      level: "error",
      code: "cluster_table_missing",
      message: `${server} has no table ${table}`,
      remedy: "restore the database from a backup, or install the slices again into an empty one",
    });
  if (missing.length > 0) return;
  for (const { load, records } of unfinished)
    findings.push({
      level: "warning",
      code: "load_unfinished",
      message: `Load ${load} with ${counted(records, "record")} is not complete, and not visible`,
      remedy: `if no install is at work, free its room on each server: ALTER TABLE records${layout === undefined ? "" : "_local"} DROP PARTITION ${load}, and so of raw, postings, vectors, given_vectors, own_vectors, near, of (fit, load) of refitted, refitted_near`,
    });
  for (const { server, table, delayS, queue, readOnly } of replicas)
    if (delayS > 0 || readOnly)
      findings.push({
        level: "warning",
        code: "cluster_replica_lags",
        message: `${table} on ${server} is ${delayS} s behind, with ${queue} to do${readOnly ? ", and read-only" : ""}`,
        remedy: "check Keeper, and the way between the replicas; installs and removals fail meanwhile",
      });
  const installs = installsOf(await committedLoads(connection));
  if (installs.length === 0)
    findings.push({
      level: "note",
      code: "lake_empty",
      message: "Nothing has been installed",
      remedy: `mirrorlake install <slices…> --lake ${shellWord(shown)}`,
    });
  await inSystemFolder("model", async (folder) => {
    for (const [i, model] of [...new Set(installs.map((load) => load.model))].entries())
      await fetchModel(connection, model, join(folder, String(i)));
  });
}
