import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ClickHouseNode } from "../../../test/cluster/clickhouse-node.js";
import { built } from "../../built.js";
import { metered, residentMiB, tell } from "./meter.js";

/** @type {typeof import("../../../src/clickhouse/cluster/init-cluster.js")} */
const { initCluster } = await built("clickhouse/cluster/init-cluster.js");
/** @type {typeof import("../../../src/clickhouse/cluster/complete-graph.js")} */
const { completeGraph } = await built("clickhouse/cluster/complete-graph.js");
/** @type {typeof import("../../../src/clickhouse/cluster/open-writer.js")} */
const { openWriter } = await built("clickhouse/cluster/open-writer.js");
/** @type {typeof import("../../../src/clickhouse/committed-loads.js")} */
const { commitLoad, newLoadId } = await built("clickhouse/committed-loads.js");
/** @type {typeof import("../../../src/clickhouse/load/load-digests.js")} */
const { loadDigests, refusePart } = await built("clickhouse/load/load-digests.js");
/** @type {typeof import("../../../src/clickhouse/load/send-rows.js")} */
const { sendRows } = await built("clickhouse/load/send-rows.js");
/** @type {typeof import("../../../src/clickhouse/load/posting-rows.js")} */
const { POSTING_COLUMNS } = await built("clickhouse/load/posting-rows.js");
/** @type {typeof import("../../../src/clickhouse/load/raw-rows.js")} */
const { RAW_ROW_COLUMNS } = await built("clickhouse/load/raw-rows.js");
/** @type {typeof import("../../../src/clickhouse/load/record-rows.js")} */
const { RECORD_ROW_COLUMNS } = await built("clickhouse/load/record-rows.js");
/** @type {typeof import("../../../src/clickhouse/load/vector-rows.js")} */
const { GIVEN_VECTOR_COLUMNS, VECTOR_COLUMNS } = await built("clickhouse/load/vector-rows.js");
/** @type {typeof import("../../../src/clickhouse/model-store.js")} */
const { storeModel } = await built("clickhouse/model-store.js");
/** @type {typeof import("../../../src/clickhouse/schema/found-tables.js")} */
const { knownTables } = await built("clickhouse/schema/found-tables.js");
/** @type {typeof import("../../../src/clickhouse/schema/schema.js")} */
const { makeSchema } = await built("clickhouse/schema/schema.js");
/** @type {typeof import("../../../src/clickhouse/writer-lease.js")} */
const { WriterLease } = await built("clickhouse/writer-lease.js");
/** @type {typeof import("../../../src/search/index-manifest.js")} */
const { EMBEDDER, readIndexManifest } = await built("search/index-manifest.js");
/** @type {typeof import("../../../src/store/generation/generation-manifest.js")} */
const { readGenerationManifest, readSliceManifests } = await built("store/generation/generation-manifest.js");
/** @type {typeof import("../../../src/lake/lake-paths.js")} */
const { lakePaths, SEARCH_FOLDER } = await built("lake/lake-paths.js");
/** @type {Pick<typeof import("mirrorlake"), "installClickHouse">} */
const { installClickHouse } = await built("index.js");

/** @import { Staged } from "../../../src/clickhouse/load/staged.js" */

/** The database of a measured lake. */
export const DATABASE = "bench";

/** Columns of the tables that have rows of the measured loads. */
const COLUMNS = {
  records: RECORD_ROW_COLUMNS,
  raw: RAW_ROW_COLUMNS,
  postings: POSTING_COLUMNS,
  vectors: VECTOR_COLUMNS,
  given_vectors: GIVEN_VECTOR_COLUMNS,
};
/** Columns that a copy has otherwise: it is another item, and refers to others of its copy. */
const RENAMED = new Set(["id", "parent", "reply_to"]);

/** Nodes of this machine with an empty lake on all of them. @typedef {Awaited<ReturnType<typeof startNodes>>} Nodes */

/**
 * Starts nodes, and makes a database for a lake: of shards, where they are several.
 * @param {number} count
 */
export async function startNodes(count) {
  const nodes = count === 1 ? [await ClickHouseNode.start()] : await ClickHouseNode.startCluster(count);
  const [first] = nodes;
  const lake = /** @type {ClickHouseNode} */ (first).address(DATABASE);
  try {
    for (const node of nodes) await node.sql(`CREATE DATABASE ${DATABASE}`);
    const named = nodes.map(({ port }) => `127.0.0.1:${port}`);
    if (count > 1) await initCluster({ lake, cluster: "lake", nodes: named });
  } catch (error) {
    await remove();
    throw error;
  }
  async function remove() {
    for (const node of nodes) await node.remove();
  }
  return { nodes, lake, pids: nodes.map(({ pid }) => /** @type {number} */ (pid)), remove };
}

/**
 * Installs slices, and tells how long each phase took.
 * @param {readonly string[]} slices
 * @param {Nodes} nodes
 */
export async function install(slices, { lake, pids }) {
  /** @type {Map<string, number>} */
  const phases = new Map();
  let [phase, since] = ["verify", performance.now()];
  /** @param {string} next */
  const enter = (next) => {
    phases.set(phase, (phases.get(phase) ?? 0) + (performance.now() - since) / 1000);
    [phase, since] = [next, performance.now()];
  };
  const { result, seconds, servers, own } = await metered(pids, () =>
    installClickHouse(slices, { lake, onProgress: (now) => enter(now.phase) }),
  );
  enter("");
  tell("records, raw items", `${result.records.added}, ${result.raw.added}`);
  tell("install", `${seconds.toFixed(1)} s, ${Math.round(result.records.added / seconds)} records/s`);
  tell("of it, s", [...phases].map(([name, s]) => `${name} ${s.toFixed(1)}`).join(", "));
  tell("processor time, s", `servers ${servers.toFixed(1)}, this process ${own.toFixed(1)}`);
}

/** A load that was sent. @typedef {Awaited<ReturnType<typeof sendPrepared>>} SentLoad */

/**
 * Sends the rows that a lake in a folder has: those which an install of its slices prepares, so that several clusters get them
 * and they are prepared once.
 * @param {string} folder of the lake, with one generation, of one install
 * @param {Nodes} nodes
 */
export async function sendPrepared(folder, { lake, pids }) {
  const staged = await stagedOf(folder);
  const connection = await openWriter(lake);
  try {
    await makeSchema(connection);
    const nowMs = Date.now();
    const id = newLoadId(nowMs, []);
    const model = await storeModel(connection, join(staged.search, EMBEDDER));
    const { result, seconds, servers, own } = await metered(pids, () =>
      sendRows(connection, [staged], id, { fit: 0 }),
    );
    const digests = await loadDigests(connection, id);
    refusePart(digests, result);
    const slices = await readSliceManifests(staged.dir);
    await commit(connection, { id, nowMs, model, ...result, slices, removes: false, digests });
    const rate = Math.round(result.records / seconds);
    tell("records, raw items", `${result.records}, ${result.raw}`);
    tell("sending what was prepared", `${seconds.toFixed(1)} s, ${rate} records/s`);
    tell("processor time, s", `servers ${servers.toFixed(1)}, this process ${own.toFixed(1)}`);
    return { ...result, id, nowMs, model, slices };
  } finally {
    await connection.close();
  }
}

/**
 * Has the servers copy the rows of a load, each on its own, as a further load with other ids, until there are so many times as many.
 * @param {Nodes} nodes
 * @param {SentLoad} load
 * @param {number} times
 */
export async function addCopies({ nodes, lake, pids }, { records, raw, id, ...load }, times) {
  const copies = newLoadId(Date.now(), [{ id }]);
  for (const [table, columns] of Object.entries(COLUMNS)) {
    const count = table === "raw" ? raw : records;
    const values = columns.map((column) => {
      if (column === "load") return `toUInt64(${copies})`;
      if (column === "ordinal") return `toUInt32(ordinal + copy * ${count})`;
      return RENAMED.has(column) ? `concat(${column}, '-', toString(copy))` : column;
    });
    const rows = nodes.length > 1 ? `${table}_local` : table;
    /** @param {number} first @param {number} end */
    const copySql = (first, end) => `INSERT INTO ${rows} (${columns.join(", ")}) SELECT ${values.join(", ")}
      FROM (SELECT * FROM ${rows} WHERE load = ${id}) ARRAY JOIN range(${first}, ${end}) AS copy
      SETTINGS min_insert_block_size_bytes = 67108864, max_block_size = 65536`;
    // Rows of vectors are long: all copies of a block at once are more than a server's memory.
    const together = table.endsWith("vectors") ? 1 : times;
    const { seconds, servers, busiest } = await metered(pids, async () => {
      for (let first = 0; first < times - 1; first += together) {
        const sql = copySql(first, Math.min(times - 1, first + together));
        await Promise.all(nodes.map((node) => node.sql(sql, DATABASE)));
      }
    });
    const busy = pids.length > 1 ? ` (the busiest ${busiest.toFixed(1)})` : "";
    tell(
      `copies of ${table}`,
      `${seconds.toFixed(1)} s, processor time of servers ${servers.toFixed(1)} s${busy}`,
    );
  }
  const connection = await openWriter(lake);
  const more = { records: records * (times - 1), raw: raw * (times - 1) };
  await commit(connection, { ...load, ...more, id: copies, removes: false, digests: {} });
  await connection.close();
  tell("records, raw items", `${records * times}, ${raw * times}`);
}

/**
 * Makes a load visible.
 * @param {Parameters<typeof commitLoad>[0]} connection
 * @param {Parameters<typeof commitLoad>[1]} load
 */
async function commit(connection, load) {
  const lease = await WriterLease.take(connection);
  const { layout } = await knownTables(connection);
  await commitLoad(connection, load, lease, layout);
  await lease.release();
}

/**
 * What an install prepares, as a lake in a folder has it.
 * @param {string} folder
 * @returns {Promise<Staged>}
 */
async function stagedOf(folder) {
  const dir = lakePaths(folder).generation(1);
  const search = join(dir, SEARCH_FOLDER);
  const manifest = await readGenerationManifest(dir);
  const slices = await readSliceManifests(dir);
  const added = (/** @type {number} */ count) => ({ added: count });
  const built = {
    manifest,
    records: added(manifest.liveRecords),
    raw: added(manifest.liveRaw),
  };
  return {
    dir,
    search,
    built: /** @type {Staged["built"]} */ (/** @type {unknown} */ (built)),
    index: await readIndexManifest(search),
    roots: slices.map(({ mirrorlake }) => mirrorlake.root),
    first: { records: 0, raw: 0 },
  };
}

/**
 * Builds the index of vectors, waits for it, and tells what it took.
 * @param {Nodes} nodes
 */
export async function indexVectors({ nodes, lake, pids }) {
  const { seconds, servers } = await metered(pids, async () => {
    await completeGraph(lake, 1);
    for (const node of nodes)
      while ((await node.sql("SELECT count() FROM system.mutations WHERE NOT is_done")) !== "0")
        await sleep(500);
  });
  tell("index of vectors", `${seconds.toFixed(1)} s, processor time of servers ${servers.toFixed(1)} s`);
}

/**
 * Tells the rows and bytes of each table, on all servers together, and the memory of each server.
 * @param {Nodes} nodes
 */
export async function tellSize({ nodes, pids }) {
  /** @type {Map<string, { rows: number, bytes: number, index: number }>} */
  const tables = new Map();
  for (const node of nodes) {
    const listed = await node.sql(
      `SELECT table, sum(rows), sum(bytes_on_disk), sum(secondary_indices_compressed_bytes) FROM system.parts
        WHERE active AND database = '${DATABASE}' GROUP BY table HAVING sum(rows) > 0 FORMAT TSV`,
    );
    for (const [table, ...numbers] of listed.split("\n").map((line) => line.split("\t"))) {
      const [rows, bytes, index] = numbers.map(Number);
      const sum = tables.get(table.replace(/_local$/, "")) ?? { rows: 0, bytes: 0, index: 0 };
      tables.set(table.replace(/_local$/, ""), {
        rows: sum.rows + rows,
        bytes: sum.bytes + bytes,
        index: sum.index + index,
      });
    }
  }
  /** @param {number} bytes */
  const mib = (bytes) => (bytes / 2 ** 20).toFixed(1);
  for (const [table, { rows, bytes, index }] of [...tables].toSorted(([, a], [, b]) => b.bytes - a.bytes))
    tell(
      `table ${table}`,
      `${rows} rows, ${mib(bytes)} MiB${index > 0 ? `, of it indexes ${mib(index)}` : ""}`,
    );
  tell("tables together", `${mib([...tables.values()].reduce((sum, { bytes }) => sum + bytes, 0))} MiB`);
  await tellMemory(pids);
}

/**
 * Tells the memory of each server.
 * @param {readonly number[]} pids
 */
export async function tellMemory(pids) {
  for (const pid of pids) {
    const { now, peak } = await residentMiB(pid);
    tell(`memory of server ${pid}`, `${now} MiB, at most ${peak}`);
  }
  const { now, peak } = await residentMiB(process.pid);
  tell("memory of this process", `${now} MiB, at most ${peak}`);
}
