/**
 * What certificates say beside what questions find, over many sets of real records: an index is built of each set by itself, and
 * asked questions that its certificate was not measured with.
 * usage: node scripts/bench/certificates.js --help
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { built } from "../built.js";
import { judgedQuestions, pieces, spread } from "./lake-questions.js";

const { openLake } = /** @type {typeof import("../../src/index.js")} */ (await built("index.js"));
const { RowSet } = /** @type {typeof import("../../src/contract/lake/row-set.js")} */ (
  await built("contract/lake/row-set.js")
);
const { buildIndex } = /** @type {typeof import("../../src/search/build-index.js")} */ (
  await built("search/build-index.js")
);
const { readCertificate } = /** @type {typeof import("../../src/search/certificate.js")} */ (
  await built("search/certificate.js")
);
const { suffices } = /** @type {typeof import("../../src/search/vector/search-plan.js")} */ (
  await built("search/vector/search-plan.js")
);
const { openIndex } = /** @type {typeof import("../../src/search/open-index.js")} */ (
  await built("search/open-index.js")
);

const HELP = `usage: node scripts/bench/certificates.js --lake DIR [--least N] [--most N] [--questions N] [--work DIR] [--json]

Cuts a lake such as that of \`npm run real-lake\` into sets: each domain, platform and language by itself, each language of a
platform, short and long texts, and even samples of all. Each gets an index of its own with the lake's embedder. For each it prints
the step that the certificate chose, the recall that it states, and the recall of questions that people wrote and of pieces of the
set's texts, among all rows and every tenth.

  --lake DIR     the lake
  --least N      least records of a set (default 4096: smaller ones are always searched exactly)
  --most N       most records of a set; of a larger one an even sample (default: all)
  --questions N  most questions of a set (default 300)
  --work DIR     folder for the indexes; kept when given, so that a second call reuses them
  --json         print the figures as JSON`;

const { values } = parseArgs({
  options: {
    lake: { type: "string" },
    least: { type: "string", default: "4096" },
    most: { type: "string", default: "Infinity" },
    questions: { type: "string", default: "300" },
    work: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const BATCH = 500;
const DEPTH = 100;
/** Every so-manieth record of all. */
const SAMPLES = [3, 5, 8, 12];
const QUARTERS = ["shortest", "shorter", "longer", "longest"];
/** How much more than is found a certificate may state. */
const TOO_HIGH = 0.01;

/** The index's folder of the lake's generation. */
async function indexFolder(lake) {
  return join(lake, "generations", (await readFile(join(lake, "CURRENT"), "utf8")).trim(), "search");
}

/** The lake's records as documents, with what they are grouped by. */
async function readDocuments(lake) {
  const client = await openLake(lake, { limits: "off", account: "memory" });
  const { corpus } = client.lake;
  const rows = [...corpus.match({}).rows()];
  const all = [];
  for (let first = 0; first < rows.length; first += BATCH) {
    for (const record of await corpus.records(rows.slice(first, first + BATCH))) {
      const { id, lang, src, platform, title, text, entities, comment_thread, review_sample } = record;
      const document = { id, lang, title, text, entities, comment_thread, review_sample };
      all.push({ number: all.length, src, platform, lang, title, text, document });
    }
  }
  await client.close();
  return all;
}

function setsOf(all) {
  const named = (kind, key) => {
    const found = new Map();
    for (const one of all) {
      const name = key(one);
      if (!found.has(name)) found.set(name, []);
      found.get(name).push(one);
    }
    return [...found].map(([name, list]) => ({ name: `${kind} ${name}`, list }));
  };
  const length = ({ title, text }) => (title ?? "").length + (text ?? "").length;
  const byLength = [...all].sort((a, b) => length(a) - length(b) || a.number - b.number);
  const quarter = Math.ceil(all.length / QUARTERS.length);
  const sets = [
    ...named("domain", ({ src }) => src),
    ...named("platform", ({ platform }) => platform),
    ...named("language", ({ lang }) => lang),
    ...named("both", ({ platform, lang }) => `${platform} ${lang}`),
    ...QUARTERS.map((name, i) => ({
      name: `${name} quarter`,
      list: byLength.slice(i * quarter, (i + 1) * quarter).sort((a, b) => a.number - b.number),
    })),
    ...SAMPLES.map((every) => ({
      name: `one in ${every}`,
      list: all.filter(({ number }) => number % every === 0),
    })),
  ].map(({ name, list }) => ({ name, list: spread(list, Number(values.most)) }));
  const seen = new Set();
  return sets.filter(({ list }) => {
    const numbers = list.map(({ number }) => number).join();
    const fresh = list.length >= Number(values.least) && !seen.has(numbers);
    if (fresh) seen.add(numbers);
    return fresh;
  });
}

/** Questions of a set: judged ones in its languages, and pieces of its texts. */
function questionsOf(list) {
  const languages = new Set(list.map(({ lang }) => lang.split("-")[0]));
  const judged = judgedQuestions().filter(({ group }) => languages.has(group.split(" ")[1] ?? "en"));
  const most = Number(values.questions);
  const own = spread(pieces(list), Math.max(most / 2, most - judged.length));
  return [...own, ...spread(judged, most - own.length)].map(({ text }) => text);
}

function share(exact, found, k) {
  const near = new Set(found.slice(0, k));
  const wanted = exact.slice(0, k);
  return wanted.length === 0 ? 1 : wanted.filter((row) => near.has(row)).length / wanted.length;
}

/** The recall that a certificate states and what questions find, at a selectivity. */
function filterOf(certificate, size, selectivity) {
  const every = Math.round(1 / selectivity);
  const rows = RowSet.fromPredicate(size, (row) => row % every === 0);
  const step = certificate.sets[0]?.recall
    .find((entry) => entry.selectivity === selectivity)
    ?.measured.at(-1);
  const taken = step !== undefined && suffices(step);
  return {
    selectivity,
    rows,
    step: taken ? `${step.by} ${step.breadth} × ${step.depth}` : "exact",
    certified: taken ? [step.recall10, step.recall100] : [1, 1],
    sums: [0, 0],
  };
}

async function measure({ name, list }, work, fit) {
  const dir = join(work, name.replaceAll(/[^\w]+/g, "-"));
  if (!existsSync(join(dir, "index.json"))) {
    await rm(dir, { recursive: true, force: true });
    const source = async function* () {
      for (let first = 0; first < list.length; first += BATCH)
        yield list.slice(first, first + BATCH).map(({ document }) => document);
    };
    await buildIndex(dir, source, { fit: { dir: fit } });
  }
  const certificate = await readCertificate(dir);
  const index = await openIndex(dir);
  const filters = [1, 0.1].map((selectivity) => filterOf(certificate, list.length, selectivity));
  let asked = 0;
  for (const text of questionsOf(list)) {
    const vector = await index.embedQuery(text);
    if (vector === undefined) continue;
    asked += 1;
    for (const { rows, sums } of filters) {
      const exact = await index.nearest(vector, rows, { limit: DEPTH, exact: true });
      const found = await index.nearest(vector, rows, { limit: DEPTH });
      sums[0] += share(exact, found, 10);
      sums[1] += share(exact, found, DEPTH);
    }
  }
  await index.close();
  return filters.map(({ selectivity, step, certified, sums }) => {
    const measured = sums.map((sum) => sum / asked);
    const tooHigh = Math.max(...certified.map((value, i) => value - measured[i]));
    return {
      set: name,
      records: list.length,
      questions: asked,
      selectivity,
      step,
      certified,
      measured,
      tooHigh,
    };
  });
}

function lines(found) {
  const pair = (list) => list.map((value) => value.toFixed(4)).join(", ");
  const [worst] = [...found].sort((a, b) => b.tooHigh - a.tooHigh);
  const over = found.filter(({ tooHigh }) => tooHigh > TOO_HIGH);
  return [
    "| set | records | questions | rows asked | step | certified @10, @100 | measured | too high by |",
    "|---|---:|---:|---:|---|---:|---:|---:|",
    ...found.map(
      ({ set, records, questions, selectivity, step, certified, measured, tooHigh }) =>
        `| ${set} | ${records} | ${questions} | ${selectivity === 1 ? "all" : "a tenth"} | ${step} | ${pair(certified)} | ${pair(measured)} | ${tooHigh.toFixed(4)} |`,
    ),
    "",
    `${new Set(found.map(({ set }) => set)).size} sets; ${over.length} rows state more than ${TOO_HIGH} too much; worst: ${worst?.set}, ${worst?.tooHigh.toFixed(4)}`,
  ];
}

async function main() {
  const { lake } = values;
  if (values.help || lake === undefined) return console.log(HELP);
  const work = values.work ?? (await mkdtemp(join(tmpdir(), "mirrorlake-certificates-")));
  await mkdir(work, { recursive: true });
  try {
    const fit = await indexFolder(lake);
    const found = [];
    for (const set of setsOf(await readDocuments(lake))) {
      process.stderr.write(`${set.name}: ${set.list.length} records\n`);
      found.push(...(await measure(set, work, fit)));
    }
    console.log(values.json ? JSON.stringify(found, null, 2) : lines(found).join("\n"));
  } finally {
    if (values.work === undefined) await rm(work, { recursive: true, force: true });
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
