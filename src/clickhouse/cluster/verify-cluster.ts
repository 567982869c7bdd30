import { join } from "node:path";
import type { MirrorlakeError } from "../../contract/errors.js";
import { inSystemFolder } from "../../files/system-folder.js";
import { type ClickHouseAddress, shownClickHouse } from "../clickhouse-address.js";
import { committedLoads, installsOf, type Load, loadList } from "../committed-loads.js";
import { Connection } from "../connection.js";
import { loadDigests } from "../load/load-digests.js";
import { fetchModel } from "../model-store.js";
import { gone } from "../removals/derive-keys.js";
import { loadColumn, loadedTables } from "../schema/schema.js";
import { clusterStatus } from "./cluster-status.js";
import { differingCopies } from "./differing-copies.js";

/** What is wrong with a lake. */
export interface ClusterProblem {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

/** Result of {@link verifyCluster}. */
export interface VerifyClusterReport {
  readonly ok: boolean;
  readonly lake: string;
  readonly loads: number;
  readonly slices: number;
  readonly records: number;
  readonly raw: number;
  readonly removals: number;
  /** Rows of loads on each shard, by table; one shard where there is no cluster. */
  readonly shards: readonly { readonly shard: number; readonly rows: Readonly<Record<string, number>> }[];
  readonly problems: readonly ClusterProblem[];
}

const NO_ROWS = { rows: 0, digest: "0" };
const REINSTALL = "Restore the database from a backup, or install the slices again into an empty one.";

/** What is wrong with a fitted embedder that cannot be used. */
const UNREADABLE_MODEL: ReadonlySet<string> = new Set([
  "cluster_damaged",
  "cluster_older_format",
  "cluster_newer_format",
]);

/**
 * Checks a lake on ClickHouse: every table is there, each load has the rows that it was made of on all shards together, by numbers and
 * digests, and no more records than its slices; replicas of a shard have the same rows; the fitted embedder is whole; what was removed is
 * hidden. It reads every row.
 * @throws LakeError `lake_not_found`, `cluster_*`; the signal's reason
 */
export async function verifyCluster(
  lake: ClickHouseAddress,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<VerifyClusterReport> {
  const status = await clusterStatus(lake);
  const problems: ClusterProblem[] = status.missing.map(({ server, table }) => ({
    code: "cluster_table_missing",
    message: `${server} has no table ${table}`,
    remedy: REINSTALL,
  }));
  const counts = { lake: shownClickHouse(lake), removals: status.removals, shards: [] };
  if (problems.length > 0) return { ok: false, ...counts, loads: 0, slices: 0, records: 0, raw: 0, problems };
  // Sums over whole tables take their time.
  const connection = await Connection.open(lake, "load");
  try {
    const loads = await committedLoads(connection, signal);
    const installs = installsOf(loads);
    for (const load of installs) problems.push(...(await problemsOf(connection, load, signal)));
    problems.push(...(await modelProblems(connection, installs, signal)));
    problems.push(...(await shownRemovals(connection, loads)));
    if (status.layout !== undefined)
      problems.push(...(await differingCopies(connection, status.layout, loads, signal)));
    const sum = (count: (load: Load) => number) => installs.reduce((total, load) => total + count(load), 0);
    return {
      ok: problems.length === 0,
      ...counts,
      loads: loads.length,
      slices: sum(({ slices }) => slices.length),
      records: sum(({ records }) => records),
      raw: sum(({ raw }) => raw),
      shards: await shardsOf(connection, status.layout !== undefined, installs),
      problems,
    };
  } finally {
    await connection.close();
  }
}

async function problemsOf(
  connection: Connection,
  load: Load,
  signal: AbortSignal | undefined,
): Promise<ClusterProblem[]> {
  const found = await loadDigests(connection, load.id, signal);
  const problems: ClusterProblem[] = [];
  const add = (message: string) =>
    problems.push({ code: "cluster_rows_differ", message: `Load ${load.id}: ${message}`, remedy: REINSTALL });
  for (const table of await loadedTables(connection)) {
    const [has, made] = [found[table] ?? NO_ROWS, load.digests[table]];
    if (made === undefined) continue;
    if (has.rows !== made.rows) add(`${table} has ${has.rows} of ${made.rows} rows`);
    else if (has.digest !== made.digest) add(`rows of ${table} are not what was loaded`);
  }
  const sliced = load.slices.map(({ mirrorlake }) => mirrorlake.counts);
  for (const kind of ["records", "raw"] as const) {
    const most = sliced.reduce((sum, each) => sum + each[kind], 0);
    if (found[kind]!.rows !== load[kind])
      add(`${kind} has ${found[kind]!.rows} rows, the load ${load[kind]}`);
    if (load[kind] > most) add(`${load[kind]} rows of ${kind}, and ${most} in its slices`);
  }
  return problems;
}

async function modelProblems(
  connection: Connection,
  installs: readonly Load[],
  signal: AbortSignal | undefined,
): Promise<ClusterProblem[]> {
  const problems: ClusterProblem[] = [];
  await inSystemFolder("model", async (folder) => {
    for (const [i, model] of [...new Set(installs.map((load) => load.model))].entries())
      await fetchModel(connection, model, join(folder, String(i)), signal).catch((error: MirrorlakeError) => {
        const { code, message, remedy = REINSTALL } = error;
        if (!UNREADABLE_MODEL.has(code)) throw error;
        problems.push({ code, message, remedy });
      });
  });
  return problems;
}

/** Rows of removed keys that are not hidden. */
async function shownRemovals(connection: Connection, loads: readonly Load[]): Promise<ClusterProblem[]> {
  const list = loadList(loads);
  const problems: ClusterProblem[] = [];
  for (const [table, kind, key] of [
    ["records", "record", "id"],
    ["raw", "raw", "platform, resource, id"],
  ] as const) {
    const [row] = await connection.rows<[number]>(
      `SELECT count() FROM ${table} WHERE ${loadColumn(table)} IN (${list}) AND (${key}) GLOBAL IN (${gone({ loads, by: 0 }, kind, key)})
        AND (load, ordinal) GLOBAL NOT IN (SELECT load, ordinal FROM hidden WHERE kind = '${table}' AND removed = 1 AND by IN (${list}))`,
    );
    if (row![0] > 0)
      problems.push({
        code: "removed_shown",
        message: `${row![0]} rows of ${table} are not hidden, though they were removed`,
        remedy: "Remove any one of the targets again: what is removed is hidden again.",
      });
  }
  return problems;
}

async function shardsOf(
  connection: Connection,
  isCluster: boolean,
  installs: readonly Load[],
): Promise<VerifyClusterReport["shards"]> {
  const shards = new Map<number, Record<string, number>>();
  for (const table of await loadedTables(connection)) {
    const rows = await connection.rows<[number, number]>(
      `SELECT ${isCluster ? "_shard_num" : "1"} AS shard, count() FROM ${table} WHERE ${loadColumn(table)} IN (${loadList(installs)}) GROUP BY shard`,
    );
    for (const [shard, count] of rows) shards.set(shard, { ...shards.get(shard), [table]: count });
  }
  return [...shards].sort(([a], [b]) => a - b).map(([shard, rows]) => ({ shard, rows }));
}
