/**
 * What a mixed lake costs each of its collections, and by what: reads the indexes that `npm run bench:relevance -- --mixed --work DIR` kept.
 * usage: node scripts/bench/mixed-causes.js DIR [--given] [--collection DIR]... [--queries N], collections and queries as there
 *
 * nDCG@10 of each ranking alone, in the mixed lake among the collection's own passages, and in the whole lake: from the first to the
 * second it is the statistics of the lake, and the fit, that change the order; from the second to the third, texts of others. Then two
 * mixtures that no lake can have: its own passages by the lake's keyword ranking and the semantic one of the collection alone; and all
 * texts, with the semantic share that the query has alone.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { built } from "../built.js";
import { readMixed } from "./relevance/mixed.js";

const { RowSet } = /** @type {typeof import("../../src/contract/lake/row-set.js")} */ (
  await built("contract/lake/row-set.js")
);
const { openIndex } = /** @type {typeof import("../../src/search/open-index.js")} */ (
  await built("search/open-index.js")
);
const { qualityOf } = /** @type {typeof import("../../src/search/eval/metrics.js")} */ (
  await built("search/eval/metrics.js")
);
const { fuse } = /** @type {typeof import("../../src/search/fusion.js")} */ (await built("search/fusion.js"));
const { semanticShare } = /** @type {typeof import("../../src/search/fusion-confidence.js")} */ (
  await built("search/fusion-confidence.js")
);
const { SEARCH_DEFAULTS } = /** @type {typeof import("../../src/search/defaults.js")} */ (
  await built("search/defaults.js")
);

const { fusion } = SEARCH_DEFAULTS;
const MODES = /** @type {const} */ (["keyword", "semantic", "hybrid"]);
const PLACES = /** @type {const} */ (["alone", "own", "together"]);
const TOP = 10;

/** @typedef {{ rows: number[], scores: number[] }} Ranked */

/**
 * The rankings of a query, rows counted from the collection's first one.
 * @param {import("../../src/search/search-index.js").SearchIndex} index
 * @param {import("../../src/search/document.js").CandidateRows} among
 * @returns {Promise<Record<typeof MODES[number], Ranked>>}
 */
async function rankings(index, among, text, first) {
  const rank = async (/** @type {typeof MODES[number]} */ mode) => {
    const { rows, ranks } = await index.rank(text, among, { limit: fusion.depth, mode });
    const scores = mode === "hybrid" ? [] : ranks.map((found) => found[mode]?.score ?? 0);
    return { rows: rows.map((row) => row - first), scores };
  };
  return {
    keyword: await rank("keyword"),
    semantic: await rank("semantic"),
    hybrid: await rank("hybrid"),
  };
}

/** @param {Ranked} keyword @param {Ranked} semantic */
function fused(keyword, semantic, share) {
  const weight = fusion.semantic.weight * share;
  return fuse(
    [
      { rows: keyword.rows, ...fusion.keyword },
      { rows: semantic.rows, ...fusion.semantic, weight },
    ],
    TOP,
    (a, b) => a - b,
  ).rows;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    collection: { type: "string", multiple: true, default: [] },
    given: { type: "boolean", default: false },
    queries: { type: "string", default: "300" },
  },
});
const [work] = positionals;
if (work === undefined)
  throw new RangeError("usage: mixed-causes.js <work folder> [--given] [--collection DIR]...");
const collections = await readMixed({
  further: values.collection,
  alone: values.given,
  queries: Number(values.queries),
});
const mixed = await openIndex(join(work, "mixed"));
const everything = RowSet.all(mixed.documentCount);
const cell = (/** @type {number} */ value) => value.toFixed(4);
console.log(
  "| nDCG@10, alone → own → together | keyword | semantic | hybrid | share alone → together | own, semantic of alone | together, share of alone |",
);
console.log("|---|---|---|---|---|---:|---:|");
let first = 0;
for (const [number, { name, passages, queries }] of collections.entries()) {
  /** @type {string[]} */
  const ids = [];
  for await (const batch of passages()) ids.push(...batch.map(({ _id }) => _id));
  const own = RowSet.of(
    mixed.documentCount,
    ids.map((_, i) => first + i),
  );
  const alone = await openIndex(join(work, `alone-${number}`));
  const all = RowSet.all(alone.documentCount);
  /** @type {Map<string, number>} sums over the queries */
  const sums = new Map();
  for (const { text, grades } of queries) {
    const add = (/** @type {string} */ key, /** @type {number} */ value) =>
      sums.set(key, (sums.get(key) ?? 0) + value / queries.length);
    const quality = (/** @type {readonly number[]} */ rows) =>
      qualityOf(
        rows.map((row) => ids[row] ?? ""),
        grades,
      ).ndcg10;
    const found = {
      alone: await rankings(alone, all, text, 0),
      own: await rankings(mixed, own, text, first),
      together: await rankings(mixed, everything, text, first),
    };
    for (const place of PLACES)
      for (const mode of MODES) add(`${mode} ${place}`, quality(found[place][mode].rows));
    const share = semanticShare(found.alone.keyword, found.alone.semantic, alone.documentCount);
    const now = semanticShare(found.together.keyword, found.together.semantic, mixed.documentCount);
    add("share alone", share);
    add("share together", now);
    add("semantic of alone", quality(fused(found.own.keyword, found.alone.semantic, share)));
    add("share of alone", quality(fused(found.together.keyword, found.together.semantic, share)));
  }
  await alone.close();
  first += ids.length;
  const of = (/** @type {string} */ key) => cell(sums.get(key) ?? 0);
  const cells = MODES.map((mode) => PLACES.map((place) => of(`${mode} ${place}`)).join(" → "));
  console.log(
    `| ${name} | ${cells.join(" | ")} | ${of("share alone")} → ${of("share together")} | ${of("semantic of alone")} | ${of("share of alone")} |`,
  );
}
await mixed.close();
