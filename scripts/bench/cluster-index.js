/**
 * Measures the index of vectors (HNSW) of a lake on ClickHouse: recall@10 of what `nearest` finds against exact search, among all
 * records and among about 10 %, 1 % and .1 % of them, by filters of the data (platforms, languages, instants of capture); and time and
 * processor time of exact search beside the index's, from which follows from how many candidates on the index pays. Vectors are those
 * of the records, questions such as people wrote (XQuAD, Cranfield). Nodes are of the npm package chdb on this machine.
 *
 *   npm run task bench-cluster-index -- --folder LAKE [--nodes 1,2,3] [--queries 100] [--data ../shared/data] [--breadths 1000]
 *   npm run task bench-cluster-index -- --lake clickhouse://… --pids PID   a lake whose index is there, on one node
 */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { built } from "../built.js";
import { DATABASE, indexVectors, sendPrepared, startNodes, tellSize } from "./cluster/load.js";
import { tell, tellLoad, timesOf } from "./cluster/meter.js";

/** @import { Nodes } from "./cluster/load.js" */
/** @import { RecordFilter } from "../../src/store/corpus.js" */
/** @import { RankingChoice } from "../../src/clickhouse/clickhouse-view.js" */

/**
 * A lake, the processes of its servers, and how one of them is asked.
 * @typedef {{ lake: `clickhouse://${string}`, pids: readonly number[], sql: (text: string) => Promise<string> }} Measured
 */

/** A question and its vector: words of it help to find rows near it. @typedef {{ query: string, vector: Float32Array }} Asked */

/** @type {typeof import("../../src/clickhouse/clickhouse-lake.js")} */
const { ClickHouseLake } = await built("clickhouse/clickhouse-lake.js");
/** @type {typeof import("../../src/clickhouse/defaults.js")} */
const { CLICKHOUSE_DEFAULTS } = await built("clickhouse/defaults.js");

const { values } = parseArgs({
  options: {
    folder: { type: "string", default: ".mirrorlake/real" },
    nodes: { type: "string", default: "1" },
    lake: { type: "string" },
    pids: { type: "string", default: "" },
    queries: { type: "string", default: "100" },
    data: { type: "string", default: "../shared/data" },
    breadths: { type: "string", default: String(CLICKHOUSE_DEFAULTS.graph.breadth) },
  },
});
const QUESTIONS = ["ir_xquad_multi/beir/queries.jsonl", "ir_cranfield_en/beir/queries.jsonl"];
/** Rows that search asks for, whatever is shown: what words and vectors find is fused. */
const DEPTH = 300;
/** The nearest that are compared. */
const NEAREST = 10;
/** Shares of the records that filters are to leave, and how many filters of each. */
const SHARES = /** @type {const} */ ([1, 0.5, 0.1, 0.01, 0.001]);
const FILTERS = 3;
/** The index from the first row on, and for however many rows. */
const ALWAYS = { ...CLICKHOUSE_DEFAULTS.graph, rows: 1, fetched: 1_000_000 };

/** Questions that people wrote, both collections in turn. @param {number} count */
async function questions(count) {
  const files = await Promise.all(
    QUESTIONS.map(async (file) =>
      (await readFile(join(resolve(values.data), file), "utf8"))
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => /** @type {{ text: string }} */ (JSON.parse(line)).text),
    ),
  );
  return Array.from({ length: count }, (_, n) => {
    const file = files[n % files.length];
    return file[Math.floor((Math.floor(n / files.length) * files.length * file.length) / count)];
  });
}

/**
 * Filters that leave about these shares of the records.
 * @param {import("../../src/clickhouse/clickhouse-lake.js").ClickHouseLake} lake
 * @param {Measured} measured
 */
async function filtersOf({ corpus }, { sql }) {
  const langs = (await sql("SELECT DISTINCT lang FROM records ORDER BY lang")).split("\n");
  /** @param {number} level the instant that this share of the records was captured before */
  const instant = async (level) =>
    Number(await sql(`SELECT quantileExact(${Math.min(1, level)})(captured_ms) FROM records`));
  /** @type {RecordFilter[]} */
  const all = [{}];
  const platforms = corpus.platforms().map(({ slug }) => slug);
  for (const platform of platforms) {
    all.push({ platforms: [platform] }, { platforms: platforms.filter((other) => other !== platform) });
    for (const lang of langs) all.push({ platforms: [platform], langs: [lang] });
  }
  for (const lang of langs) all.push({ langs: [lang] });
  for (const share of SHARES)
    for (const from of [0, 0.3, 0.6])
      all.push({ fromMs: await instant(from), toMs: await instant(from + share) });
  const left = all.map((filter) => ({ filter, share: corpus.match(filter).count / corpus.rowCount }));
  return SHARES.flatMap((wanted) =>
    left
      .map((each) => ({ ...each, off: Math.abs(Math.log(each.share / wanted)) }))
      .filter(({ off }) => off < Math.log(2.5))
      .toSorted((a, b) => a.off - b.off)
      .slice(0, wanted === 1 ? 1 : FILTERS),
  );
}

/**
 * @param {Measured} measured
 * @param {readonly string[]} asked
 */
async function measure(measured, asked) {
  const { lake: address, pids } = measured;
  const lake = await ClickHouseLake.open(address);
  /** @type {Asked[]} */
  const queries = [];
  for (const query of asked) {
    const vector = await lake.index.embedQuery(query);
    if (vector !== undefined) queries.push({ query, vector });
  }
  tell("records, questions", `${lake.corpus.rowCount}, ${queries.length}`);
  const filters = await filtersOf(lake, measured);
  for (const { share, filter } of filters) {
    const what = `${(100 * share).toFixed(2)} % ${JSON.stringify(filter)}`;
    /** @type {(readonly number[])[]} */
    const truth = [];
    const rows = lake.corpus.match(filter);
    const exact = await timesOf(queries.length, pids, async (n) => {
      truth.push(await lake.index.nearest(queries[n].vector, rows, { limit: DEPTH, exact: true }));
    });
    tell(`${what}: exact`, exact);
    await compare(`${what}: as it is`, address, {}, filter, queries, truth, pids);
    for (const breadth of values.breadths.split(",").map(Number))
      if (share > 0.05)
        await compare(
          `${what}: by the index, breadth ${breadth}`,
          address,
          { graph: { ...ALWAYS, breadth } },
          filter,
          queries,
          truth,
          pids,
        );
  }
  await lake.close();
}

/**
 * Recall and times of a way of ranking.
 * @param {string} name
 * @param {`clickhouse://${string}`} address
 * @param {RankingChoice} ranking
 * @param {RecordFilter} filter
 * @param {readonly Asked[]} queries
 * @param {readonly (readonly number[])[]} truth
 * @param {readonly number[]} pids
 */
async function compare(name, address, ranking, filter, queries, truth, pids) {
  const lake = await ClickHouseLake.open(address, ranking);
  const rows = lake.corpus.match(filter);
  await lake.index.nearest(queries[0].vector, rows, { limit: DEPTH }); // the index is read once
  let [found, all, least] = [0, 0, 1];
  const times = await timesOf(queries.length, pids, async (n) => {
    const { vector, query } = queries[n];
    const wanted = truth[n].slice(0, NEAREST);
    const got = (await lake.index.nearest(vector, rows, { limit: DEPTH, query })).slice(0, NEAREST);
    const there = wanted.filter((row) => got.includes(row)).length;
    found += there;
    all += wanted.length;
    least = Math.min(least, there / Math.max(1, wanted.length));
  });
  await lake.close();
  tell(name, `recall@${NEAREST} ${(found / all).toFixed(4)}, least ${least.toFixed(2)}; ${times}`);
}

const asked = await questions(Number(values.queries));
if (values.lake !== undefined) {
  const { host, pathname } = new URL(values.lake);
  tellLoad("before");
  await measure(
    {
      lake: /** @type {`clickhouse://${string}`} */ (values.lake),
      pids: values.pids.split(",").map(Number),
      sql: async (text) => {
        const url = `http://${host}/?database=${pathname.slice(1)}`;
        return (await (await fetch(url, { method: "POST", body: text })).text()).trim();
      },
    },
    asked,
  );
  tellLoad("after");
}
for (const count of values.lake === undefined ? values.nodes.split(",").map(Number) : []) {
  tellLoad(`before ${count} nodes`);
  const nodes = await startNodes(count);
  try {
    await sendPrepared(resolve(values.folder), nodes);
    await indexVectors(nodes);
    await tellSize(nodes);
    const [first] = nodes.nodes;
    await measure({ ...nodes, sql: (text) => first.sql(text, DATABASE) }, asked);
  } finally {
    await nodes.remove();
  }
  tellLoad(`after ${count} nodes`);
}
