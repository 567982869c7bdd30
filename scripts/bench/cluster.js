/**
 * Measures a lake on ClickHouse, on nodes of the npm package chdb on this machine: loading, bytes by table, opening, search by mode, look-ups,
 * and the question about removals that goes with each call. The same calls of a lake in a folder stand beside them. Beside the time by
 * the clock stands the processor time of all servers, which other work on the machine changes little.
 *
 *   npm run task bench-cluster -- --slices DIR [--nodes 1] [--queries 200]
 *   npm run task bench-cluster -- --lake clickhouse://… [--queries 200] [--pids 17,18]   a lake that is there; processes of its servers
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ClickHouseNode } from "../../test/cluster/clickhouse-node.js";
import { built } from "../built.js";

/** @import { LakeClient } from "mirrorlake" */

/** @type {typeof import("../../src/clickhouse/cluster/init-cluster.js")} */
const { initCluster } = await built("clickhouse/cluster/init-cluster.js");
/** @type {typeof import("../../src/clickhouse/committed-loads.js")} */
const { readRemovalState } = await built("clickhouse/committed-loads.js");
/** @type {typeof import("../../src/clickhouse/connection.js")} */
const { Connection } = await built("clickhouse/connection.js");
/** @type {Pick<typeof import("mirrorlake"), "installClickHouse" | "installSlices" | "openLake">} */
const { installClickHouse, installSlices, openLake } = await built("index.js");

const { values } = parseArgs({
  options: {
    slices: { type: "string", default: ".mirrorlake/real-slices" },
    nodes: { type: "string", default: "1" },
    queries: { type: "string", default: "200" },
    lake: { type: "string" },
    pids: { type: "string", default: "" },
  },
});
const [nodeCount, queryCount] = [Number(values.nodes), Number(values.queries)];
const MODES = /** @type {const} */ (["keyword", "semantic", "hybrid"]);
/** Records that an answer brings. */
const LIMIT = 20;
/** Milliseconds of a tick, by which Linux counts the time of processes. */
const TICK_MS = 10;
const OPTIONS = /** @type {const} */ ({ account: "memory", limits: "off" });

/** @param {string} what @param {string | number} figure */
const tell = (what, figure) => console.log(`${what.padEnd(46)} ${figure}`);
/** @param {number} since */
const secondsSince = (since) => (performance.now() - since) / 1000;
/** @param {string} when */
const tellLoad = (when) => tell(`load of the machine at the ${when}`, loadavg()[0].toFixed(1));

/** Processor time of processes so far, ms. @param {readonly number[]} pids */
async function processorMs(pids) {
  let ticks = 0;
  for (const pid of pids) {
    const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1].split(" ");
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * TICK_MS;
}

/** Resident memory of a process, MiB. @param {number} pid */
async function residentMiB(pid) {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kib) / 1024);
}

/**
 * Times of calls, one after another.
 * @param {number} count
 * @param {readonly number[]} pids
 * @param {(n: number) => Promise<unknown>} call
 */
async function timesOf(count, pids, call) {
  const times = [];
  const [servers, own] = [await processorMs(pids), process.cpuUsage()];
  for (let n = 0; n < count; n += 1) {
    const at = performance.now();
    await call(n);
    times.push(performance.now() - at);
  }
  const { user, system } = process.cpuUsage(own);
  const [there, here] = [(await processorMs(pids)) - servers, (user + system) / 1000].map((ms) =>
    (ms / count).toFixed(1),
  );
  times.sort((a, b) => a - b);
  /** @param {number} share */
  const part = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(1);
  return `p50 ${part(0.5)}, p99 ${part(0.99)} ms; processor time a call: servers ${there}, this process ${here} ms`;
}

/** Questions of the records' own words: some words of a record each, evenly over the lake. @param {LakeClient} client */
async function questionsOf({ lake: { corpus } }) {
  const step = corpus.rowCount / queryCount;
  const rows = Array.from({ length: queryCount }, (_, n) => Math.floor(n * step));
  const records = await corpus.records(rows);
  return records.map(({ title, text, review_sample: reviews }, n) => {
    const words = `${title ?? ""} ${text ?? reviews?.[0] ?? ""}`.split(/\s+/).filter((word) => word !== "");
    const first = (n * 7) % Math.max(1, words.length - 4);
    const some = words.slice(first, first + 1 + (n % 5)).join(" ");
    return some.slice(0, 200) || "a";
  });
}

/**
 * @param {string} name
 * @param {LakeClient} client
 * @param {readonly string[]} questions
 * @param {readonly number[]} pids
 */
async function ask(name, client, questions, pids) {
  const { corpus, index } = client.lake;
  for (const mode of MODES) {
    /** @param {number} n */
    const search = async (n) => {
      const { rows } = await index.rank(questions[n], corpus.match({}), { limit: LIMIT, mode });
      await corpus.records(rows);
    };
    await search(0); // what is loaded once
    tell(`${name}: ${mode}, ${LIMIT} full records`, await timesOf(questions.length, pids, search));
  }
  const rows = questions.map((_, n) => Math.floor((n * corpus.rowCount) / questions.length));
  const ids = (await corpus.records(rows)).map(({ id }) => id);
  tell(`${name}: row of an id`, await timesOf(ids.length, pids, (n) => corpus.recordRow(ids[n])));
  /** @param {number} n */
  const page = (n) => corpus.recordsPage({ orderBy: "likes", descending: true, offset: n * 50, limit: 50 });
  tell(`${name}: page of 50 rows by likes`, await timesOf(20, pids, page));
}

/**
 * Opens a lake on ClickHouse and asks it; the questions.
 * @param {`clickhouse://${string}`} lake
 * @param {readonly number[]} pids
 */
async function askCluster(lake, pids) {
  const opening = performance.now();
  const client = await openLake(lake, OPTIONS);
  tell("open", `${(secondsSince(opening) * 1000).toFixed(0)} ms`);
  const questions = await questionsOf(client);
  await ask("cluster", client, questions, pids);
  const connection = await Connection.open(lake);
  await readRemovalState(connection);
  const state = () => readRemovalState(connection);
  tell("state of the removals, asked by each call", await timesOf(queryCount, pids, state));
  await connection.close();
  await client.close();
  for (const pid of pids) tell(`memory of server ${pid}`, `${await residentMiB(pid)} MiB`);
  tell("memory of this process", `${await residentMiB(process.pid)} MiB`);
  return questions;
}

/**
 * Installs slices, and tells how long each phase took.
 * @param {string} slices
 * @param {`clickhouse://${string}`} lake
 */
async function install(slices, lake) {
  const started = performance.now();
  /** @type {Map<string, number>} */
  const phases = new Map();
  let [phase, since] = ["verify", started];
  /** @param {string} next */
  const enter = (next) => {
    phases.set(phase, (phases.get(phase) ?? 0) + secondsSince(since));
    [phase, since] = [next, performance.now()];
  };
  const { records, raw } = await installClickHouse([slices], { lake, onProgress: (now) => enter(now.phase) });
  enter("");
  const took = secondsSince(started);
  tell("records, raw items", `${records.added}, ${raw.added}`);
  tell("install", `${took.toFixed(1)} s, ${Math.round(records.added / took)} records/s`);
  tell("of it, s", [...phases].map(([name, s]) => `${name} ${s.toFixed(1)}`).join(", "));
}

/** @param {ClickHouseNode} node */
async function tellTables(node) {
  const tables = await node.sql(
    `SELECT table, sum(rows), sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'bench'
      GROUP BY table HAVING sum(rows) > 0 ORDER BY sum(bytes_on_disk) DESC FORMAT TSV`,
  );
  for (const [table, rows, bytes] of tables.split("\n").map((line) => line.split("\t")))
    tell(`server ${node.pid}: ${table}`, `${rows} rows, ${(Number(bytes) / 2 ** 20).toFixed(1)} MiB`);
}

async function main() {
  const slices = resolve(values.slices);
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-bench-cluster-"));
  const nodes =
    nodeCount === 1 ? [await ClickHouseNode.start()] : await ClickHouseNode.startCluster(nodeCount);
  try {
    const lake = nodes[0].address("bench");
    for (const node of nodes) await node.sql("CREATE DATABASE bench");
    const named = nodes.map(({ port }) => `127.0.0.1:${port}`);
    if (nodeCount > 1) await initCluster({ lake, cluster: "lake", nodes: named });
    await install(slices, lake);
    for (const node of nodes) await tellTables(node);
    const questions = await askCluster(
      lake,
      nodes.map(({ pid }) => pid ?? 0),
    );
    const built = performance.now();
    await installSlices([slices], { lake: join(dir, "lake") });
    tell("folder: install", `${secondsSince(built).toFixed(1)} s`);
    const folder = await openLake(join(dir, "lake"), { ...OPTIONS, exact: true });
    await ask("folder, exact", folder, questions, []);
    await folder.close();
  } finally {
    for (const node of nodes) await node.remove();
    await rm(dir, { recursive: true, force: true });
  }
}

tellLoad("start");
if (values.lake === undefined) await main();
else {
  const lake = /** @type {`clickhouse://${string}`} */ (values.lake);
  await askCluster(lake, values.pids.split(",").filter(Boolean).map(Number));
}
tellLoad("end");
