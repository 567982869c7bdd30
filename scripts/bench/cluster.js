/**
 * Measures a lake on ClickHouse, on nodes of the npm package chdb on this machine: loading, bytes by table, memory, opening, search by
 * mode, look-ups, pages, an aggregate, and the question about removals that goes with each call. The same calls of a lake in a folder
 * stand beside them. Beside the time by the clock stands the processor time, which other work on the machine changes little.
 *
 *   npm run task bench-cluster -- [--nodes 1,3] [--slices DIR]… [--queries 200] [--folder LAKE [--prepared [--times 19]]] [--exact]
 *   npm run task bench-cluster -- --lake clickhouse://… [--queries 200] [--pids 17,18]   a lake that is there; processes of its servers
 *
 *   --nodes    of each number in turn, a lake
 *   --folder   a lake of the same slices in a folder, made where it is absent; otherwise one is made and removed
 *   --prepared sends the rows that the folder has, instead of preparing them again for each number of nodes
 *   --times    then has the servers copy these until there are so many times as many, by other ids (texts and vectors are equal
 *              then), and asks again
 *   --exact    builds no index of vectors
 *   --keep     leaves the last nodes running until Ctrl-C, and writes how to ask them again
 */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { built } from "../built.js";
import { ask, callsOf } from "./cluster/ask.js";
import {
  addCopies,
  indexVectors,
  install,
  sendPrepared,
  startNodes,
  tellMemory,
  tellSize,
} from "./cluster/load.js";
import { metered, secondsSince, tell, tellLoad, timesOf } from "./cluster/meter.js";

/** @import { Calls } from "./cluster/ask.js" */

/** @type {typeof import("../../src/clickhouse/committed-loads.js")} */
const { readRemovalState } = await built("clickhouse/committed-loads.js");
/** @type {typeof import("../../src/clickhouse/connection.js")} */
const { Connection } = await built("clickhouse/connection.js");
/** @type {typeof import("../../src/clickhouse/defaults.js")} */
const { CLICKHOUSE_DEFAULTS } = await built("clickhouse/defaults.js");
/** @type {Pick<typeof import("mirrorlake"), "installSlices" | "openLake">} */
const { installSlices, openLake } = await built("index.js");

const { values } = parseArgs({
  options: {
    slices: { type: "string", multiple: true, default: [".mirrorlake/real-slices"] },
    nodes: { type: "string", default: "1" },
    queries: { type: "string", default: "200" },
    folder: { type: "string" },
    prepared: { type: "boolean", default: false },
    times: { type: "string", default: "1" },
    exact: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    lake: { type: "string" },
    pids: { type: "string", default: "" },
  },
});
const times = Number(values.times);
const queryCount = Number(values.queries);
const OPTIONS = /** @type {const} */ ({ account: "memory", limits: "off", openingBalance: "1000" });

/**
 * Opens a lake on ClickHouse and asks it.
 * @param {`clickhouse://${string}`} lake
 * @param {readonly number[]} pids
 * @param {Calls} [given] calls; its own records' otherwise
 */
async function askCluster(lake, pids, given) {
  const opening = performance.now();
  const client = await openLake(lake, { ...OPTIONS, exact: values.exact });
  tell("open", `${(secondsSince(opening) * 1000).toFixed(0)} ms`);
  const calls = given ?? (await callsOf(client, queryCount));
  await ask("cluster", client, calls, pids);
  const { recordCount } = client.lake.corpus;
  await client.close();
  if (!values.exact && recordCount >= CLICKHOUSE_DEFAULTS.graph.rows) {
    const exact = await openLake(lake, { ...OPTIONS, exact: true });
    await ask("cluster, exact", exact, calls, pids);
    await exact.close();
  }
  const connection = await Connection.open(lake);
  await readRemovalState(connection);
  const state = () => readRemovalState(connection);
  tell("state of the removals, asked by each call", await timesOf(queryCount, pids, state));
  await connection.close();
  await tellMemory(pids);
}

/**
 * Makes the lake in a folder where it is absent.
 * @param {string} folder
 * @param {readonly string[]} slices
 */
async function makeFolder(folder, slices) {
  if (existsSync(folder)) return;
  const { result, seconds, own } = await metered([], () => installSlices(slices, { lake: folder }));
  const { records } = result.total;
  tell("folder: install", `${seconds.toFixed(1)} s, ${Math.round(records / seconds)} records/s`);
  tell("folder: processor time of the install, s", own.toFixed(1));
}

/**
 * Waits until this program is told to end.
 * @param {import("./cluster/load.js").Nodes} nodes
 */
async function keep({ lake, pids }) {
  tell("these nodes stay until Ctrl-C", `--lake ${lake} --pids ${pids.join(",")}`);
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => ending.abort());
  await setTimeout(2 ** 31 - 1, undefined, { signal: ending.signal }).catch((error) => {
    if (!ending.signal.aborted) throw error;
  });
}

async function main() {
  const slices = values.slices.map((dir) => resolve(dir));
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-bench-cluster-"));
  const folder = values.folder === undefined ? join(dir, "lake") : resolve(values.folder);
  try {
    await makeFolder(folder, slices);
    const opening = performance.now();
    const client = await openLake(folder, OPTIONS);
    tell("folder: open", `${(secondsSince(opening) * 1000).toFixed(0)} ms`);
    const calls = await callsOf(client, queryCount);
    await ask("folder", client, calls, []);
    await client.close();
    await tellMemory([]);
    const counts = values.nodes.split(",").map(Number);
    for (const count of counts) {
      tellLoad(`before ${count} nodes`);
      const nodes = await startNodes(count);
      try {
        const sent = values.prepared ? await sendPrepared(folder, nodes) : await install(slices, nodes);
        if (!values.exact) await indexVectors(nodes);
        await tellSize(nodes);
        await askCluster(nodes.lake, nodes.pids, calls);
        if (times > 1 && sent !== undefined) {
          await addCopies(nodes, sent, times);
          if (!values.exact) await indexVectors(nodes);
          await tellSize(nodes);
          await askCluster(nodes.lake, nodes.pids, calls);
        }
        if (values.keep && count === counts.at(-1)) await keep(nodes);
      } finally {
        await nodes.remove();
      }
      tellLoad(`after ${count} nodes`);
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

if (values.lake === undefined) await main();
else {
  const lake = /** @type {`clickhouse://${string}`} */ (values.lake);
  await askCluster(lake, values.pids.split(",").filter(Boolean).map(Number));
}
tellLoad("at the end");
