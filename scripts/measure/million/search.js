import { readFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { RowSet } from "mirrorlake";
/** @import { LakeClient } from "mirrorlake" */
import { quantile, round, times } from "./measure.js";
import { seeded } from "./random.js";
import { LANGUAGES } from "./texts.js";

const QUESTIONS = "ir_xquad_multi/beir/queries.jsonl";
/** Questions that are timed, and those that exact search answers too. */
const TIMED = 200;
const COMPARED = 20;
const SIDE_BY_SIDE = 20;
/** A filter leaves one row in so many. */
const FILTERS = /** @type {const} */ ({ "10 %": 10, "1 %": 100, "0.1 %": 1000 });

/**
 * Questions that people wrote (XQuAD), in the languages of the records, languages taking turns.
 * @param {string} data folder of the real data
 * @returns {string[]}
 */
function questions(data) {
  const all = readFileSync(join(data, QUESTIONS), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => /** @type {{ lang: string; text: string }} */ (JSON.parse(line)));
  const byLanguage = LANGUAGES.map((language) => all.filter(({ lang }) => lang === language));
  return Array.from(
    { length: TIMED },
    (_, i) => byLanguage[i % LANGUAGES.length][Math.floor(i / LANGUAGES.length) * 5].text,
  );
}

/**
 * Times search of a lake (20 full records with vectors and provenance) by words, by vectors, by both, and by both among fewer
 * rows; the recall of what vectors find; and how long others wait for the event loop while twenty searches run side by side.
 *
 * @param {LakeClient} client
 * @param {string} data
 * @returns {Promise<Readonly<Record<string, number | string>>>}
 */
export async function measureSearch(client, data) {
  const asked = questions(data);
  /** @param {string} query */
  const search = async (query) => {
    const { data: found } = await client.search({ query, limit: 20, freshness: "90d" });
    if (found === null || found.length === 0) throw new Error(`nothing is found for ${query}`);
  };
  for (const query of asked.slice(0, 20)) await search(query);
  const hybrid = await times(asked.length, (i) => search(asked[i]));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let next = 0;
  const lane = async () => {
    while (next < asked.length) await search(asked[next++]);
  };
  delay.enable();
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
  delay.disable();
  const memory = process.memoryUsage.rss() / 2 ** 20;
  const all = client.lake.corpus.match({});
  /**
   * @param {"keyword" | "semantic" | "hybrid"} mode
   * @param {RowSet} rows
   */
  const by = async (mode, rows) =>
    spread(await times(asked.length, (i) => records(client, asked[i], rows, mode)));
  const words = await by("keyword", all);
  const vectors = await by("semantic", all);
  /** @type {Record<string, number | string>} */
  const filtered = {};
  for (const [name, one] of Object.entries(FILTERS)) {
    const random = seeded(one);
    const rows = RowSet.fromPredicate(all.size, () => random(one) === 0);
    filtered[`hybrid search among ${name}, p50 / p99 ms`] = await by("hybrid", rows);
    filtered[`recall@10 among ${name}`] = round((await recall(client, asked, rows))[10]);
  }
  const share = await recall(client, asked, all);
  return {
    "hybrid search p50 ms": round(quantile(hybrid, 0.5)),
    "hybrid search p99 ms": round(quantile(hybrid, 0.99)),
    "event loop delay p99 ms, 20 side by side": round(delay.percentile(99) / 1e6),
    "RSS MiB": Math.round(memory),
    "recall@10 of vectors": round(share[10]),
    "recall@100 of vectors": round(share[100]),
    "keyword search p50 / p99 ms": words,
    "vector search p50 / p99 ms": vectors,
    ...filtered,
  };
}

/**
 * The best 20 records among some rows, with their vectors, as a search gives them.
 * @param {LakeClient} options
 * @param {string} query
 * @param {RowSet} among
 * @param {"keyword" | "semantic" | "hybrid"} mode
 * @returns {Promise<void>}
 */
async function records({ lake: { index, corpus } }, query, among, mode) {
  const { rows } = await index.rank(query, among, { limit: 20, mode });
  if (rows.length === 0) throw new Error(`nothing is found for ${query}`);
  await Promise.all([corpus.records(rows), index.vectors(rows)]);
}

/**
 * The share of the exact nearest rows that a search finds, among some rows: of the 10 and of the 100 nearest.
 * @param {LakeClient} options
 * @param {readonly string[]} asked
 * @param {RowSet} among
 */
async function recall({ lake: { index } }, asked, among) {
  const share = { 10: 0, 100: 0 };
  for (const query of asked.slice(0, COMPARED)) {
    const vector = await index.embedQuery(query);
    if (vector === undefined) throw new Error(`nothing of ${query} is known`);
    const exact = await index.nearest(vector, among, { limit: 100, exact: true });
    const found = await index.nearest(vector, among, { limit: 300 });
    for (const k of /** @type {const} */ ([10, 100])) {
      const there = new Set(found.slice(0, k));
      share[k] += exact.slice(0, k).filter((row) => there.has(row)).length / k / COMPARED;
    }
  }
  return share;
}

/**
 * @param {readonly number[]} taken
 * @returns {string}
 */
function spread(taken) {
  return `${round(quantile(taken, 0.5))} / ${round(quantile(taken, 0.99))}`;
}
