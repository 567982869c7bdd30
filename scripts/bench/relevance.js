/** How well each engine ranks the same passages for the same judged questions. `npm run bench:relevance -- --help`. */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { built } from "../built.js";
import { publicCollections, readCollections } from "./relevance/collections.js";
import { ENGINES } from "./relevance/engines.js";
import { measureMixed, mixedTables } from "./relevance/mixed.js";

const { meanQuality, qualityOf } = /** @type {typeof import("../../src/search/eval/metrics.js")} */ (
  await built("search/eval/metrics.js")
);

const HELP = `usage: npm run bench:relevance -- [--languages LIST] [--collection DIR] [--json]
       npm run bench:relevance -- --mixed [--given] [--collection DIR]... [--queries N] [--distractors N] [--work DIR] [--json]

nDCG@10, Recall@100 and MRR@10 of our keyword, semantic and hybrid ranking and of the peers' keyword ranking, each peer as it
comes and with the settings that suit the language, on Cranfield and XQuAD. Peers: npm install --prefix scripts/bench.

  --languages LIST  of XQuAD (default en,zh,ru,th,ar,vi,es,hi)
  --collection DIR  a folder in BEIR's format instead
  --json            print the figures as JSON

--mixed measures our rankings of Cranfield and XQuAD in all its languages, each collection alone and all in one lake with real
posts, comments, reviews, news and captions.

  --collection DIR  a further collection, as often as wanted; also LANG=FILE.json in the format of SQuAD
  --given           these collections only
  --queries N       of each collection, spread evenly (default 300)
  --distractors N   texts that answer nothing (default 100000)
  --work DIR        folder for the indexes; kept, and used again by the next run of the same code`;

const { values } = parseArgs({
  options: {
    languages: { type: "string", default: "en,zh,ru,th,ar,vi,es,hi" },
    collection: { type: "string", multiple: true, default: [] },
    mixed: { type: "boolean", default: false },
    given: { type: "boolean", default: false },
    queries: { type: "string", default: "300" },
    distractors: { type: "string", default: "100000" },
    work: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const METRICS = [
  ["ndcg10", "nDCG@10"],
  ["recall100", "Recall@100"],
  ["mrr10", "MRR@10"],
];

async function measure(engine, collection) {
  const open = await engine.open(collection);
  try {
    const qualities = [];
    for (const { text, grades } of collection.queries)
      qualities.push(qualityOf(await open.search(text), grades));
    return meanQuality(qualities);
  } finally {
    await open.close();
  }
}

/** What is claimed of these collections, each with whether it holds. */
function claims(collection, results) {
  const of = (name) => results[`Mirrorlake ${name}`];
  const bestOf = (peer) =>
    Math.max(...ENGINES.filter((e) => e.peer === peer).map((e) => results[e.name].ndcg10));
  const [keyword, hybrid] = [of("keyword"), of("hybrid")];
  const claim = (what, ratio, least) => ({
    collection: collection.name,
    claim: what,
    ratio,
    holds: ratio >= least,
  });
  const cranfield = collection.name === "Cranfield";
  return [
    claim(
      `hybrid / keyword nDCG@10 ≥ ${cranfield ? 1.05 : 1}`,
      hybrid.ndcg10 / keyword.ndcg10,
      cranfield ? 1.05 : 1,
    ),
    ...(cranfield
      ? [claim("hybrid / keyword Recall@100 ≥ 1.07", hybrid.recall100 / keyword.recall100, 1.07)]
      : []),
    ...["MiniSearch", "LanceDB", "Orama", "SQLite"].map((peer) =>
      claim(`keyword / best of ${peer} nDCG@10 ≥ 1`, keyword.ndcg10 / bestOf(peer), 1),
    ),
  ];
}

function table(collections, results, key) {
  return [
    `| ${key[1]} | ${collections.map(({ name }) => name).join(" | ")} |`,
    `|---|${collections.map(() => "---:").join("|")}|`,
    ...ENGINES.map(
      ({ name }) =>
        `| ${name} | ${collections.map((c) => results[c.name][name][key[0]].toFixed(4)).join(" | ")} |`,
    ),
  ].join("\n");
}

async function main() {
  if (values.help) return console.log(HELP);
  if (values.mixed) {
    const report = await measureMixed({
      further: values.collection,
      alone: values.given,
      queries: Number(values.queries),
      distractors: Number(values.distractors),
      work: values.work,
    });
    return console.log(values.json ? JSON.stringify(report, null, 2) : mixedTables(report));
  }
  const collections =
    values.collection[0] === undefined
      ? await publicCollections(values.languages.split(","))
      : await readCollections(values.collection[0], "collection", undefined);
  const results = {};
  const held = [];
  for (const collection of collections) {
    const ofCollection = {};
    for (const engine of ENGINES) {
      process.stderr.write(`${collection.name}: ${engine.name}\n`);
      ofCollection[engine.name] = await measure(engine, collection);
    }
    results[collection.name] = ofCollection;
    held.push(...claims(collection, ofCollection));
  }
  const machine = `${cpus().length} cores (${cpus()[0].model.trim()}), Node ${process.version}`;
  if (values.json) return console.log(JSON.stringify({ machine, results, claims: held }, null, 2));
  console.log(`${METRICS.map((key) => table(collections, results, key)).join("\n\n")}\n`);
  console.log("| collection | claim | ratio | holds |\n|---|---|---:|---|");
  for (const { collection, claim, ratio, holds } of held)
    console.log(`| ${collection} | ${claim} | ${ratio.toFixed(4)} | ${holds ? "yes" : "no"} |`);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
