/**
 * What a mixed lake costs the peers' keyword rankings: each setting on every collection of `npm run bench:relevance -- --mixed`, alone
 * and with all others and the texts that answer nothing. A lake of many languages has one setting, so none is of a language.
 * usage: node scripts/bench/mixed-peers.js [--given] [--collection DIR]... [--queries N] [--distractors N], as there
 */
import { parseArgs } from "node:util";
import { built } from "../built.js";
import { distractors } from "./relevance/distractors.js";
import { ENGINES } from "./relevance/engines.js";
import { readMixed } from "./relevance/mixed.js";

const { meanQuality, qualityOf } = /** @type {typeof import("../../src/search/eval/metrics.js")} */ (
  await built("search/eval/metrics.js")
);

/** What takes a second and more for a question of 100,000 passages. */
const SLOW = new Set(["Orama", "Orama + language", "LanceDB FTS + n-grams", "SQLite FTS5 trigram"]);
const PEERS = ENGINES.filter(({ peer, name }) => peer !== undefined && !SLOW.has(name));

const { values } = parseArgs({
  options: {
    collection: { type: "string", multiple: true, default: [] },
    given: { type: "boolean", default: false },
    queries: { type: "string", default: "300" },
    distractors: { type: "string", default: "100000" },
  },
});

/**
 * nDCG@10 of questions, whose right passages have ids that begin with a prefix in the index.
 * @param {{ search: (text: string) => Promise<string[]> }} open
 */
async function quality(open, queries, prefix) {
  const qualities = [];
  for (const { text, grades } of queries) {
    const found = (await open.search(text)).map((id) =>
      id.startsWith(prefix) ? id.slice(prefix.length) : "",
    );
    qualities.push(qualityOf(found, grades));
  }
  return meanQuality(qualities).ndcg10;
}

const collections = [];
const all = [];
for (const [number, { name, passages, queries }] of (
  await readMixed({ further: values.collection, alone: values.given, queries: Number(values.queries) })
).entries()) {
  const prefix = `${number}/`;
  const own = [];
  for await (const batch of passages())
    own.push(...batch.map((passage) => ({ ...passage, _id: `${prefix}${passage._id}` })));
  for (const passage of own) all.push(passage);
  collections.push({ name, prefix, own, queries });
}
for await (const batch of distractors(Number(values.distractors)))
  all.push(...batch.map((passage) => ({ ...passage, _id: `/${passage._id}` })));

/** By setting: nDCG@10 of each collection, alone and together. @type {number[][][]} */
const measured = [];
for (const engine of PEERS) {
  const together = await engine.open({ passages: all, lang: undefined });
  const of = [];
  for (const { own, queries, prefix } of collections) {
    const alone = await engine.open({ passages: own, lang: undefined });
    of.push([await quality(alone, queries, prefix), await quality(together, queries, prefix)]);
    await alone.close();
  }
  await together.close();
  measured.push(of);
  process.stderr.write(`${engine.name}: ${JSON.stringify(of)}\n`);
}

const cell = (/** @type {number[]} */ values) => values.map((value) => value.toFixed(4)).join(" → ");
const mean = (of) => [0, 1].map((at) => of.reduce((sum, each) => sum + each[at], 0) / of.length);
console.log(`${collections.length} collections, ${all.length} passages.\n`);
console.log(`| nDCG@10 alone → together | ${PEERS.map(({ name }) => name).join(" | ")} |`);
console.log(`|---|${PEERS.map(() => "---:").join("|")}|`);
for (const [i, { name }] of collections.entries())
  console.log(`| ${name} | ${measured.map((of) => cell(of[i])).join(" | ")} |`);
console.log(`| mean | ${measured.map((of) => cell(mean(of))).join(" | ")} |`);
