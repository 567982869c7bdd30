/**
 * Keyword ranking alone, over an index of text without vectors that is built once and kept: time of natural questions, over all rows
 * and behind filters, time of the build, memory, and a digest of all rows and scores, which two versions must share.
 * usage: node scripts/bench/keyword.js --folder <index> [--size 100000] [--questions 200] [--runs 3] [--shares 1,0.1,0.01,0.001] [--dist <compiled modules>]
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { median, spread } from "./measure.js";
import { documents, queries } from "./texts.js";

const { values: given } = parseArgs({
  options: {
    folder: { type: "string" },
    size: { type: "string", default: "100000" },
    questions: { type: "string", default: "200" },
    runs: { type: "string", default: "3" },
    shares: { type: "string", default: "1,0.1,0.01,0.001" },
    dist: { type: "string", default: new URL("../../build", import.meta.url).pathname },
  },
});
if (given.folder === undefined) throw new Error("usage: node scripts/bench/keyword.js --folder <index> …");
const size = Number(given.size);
const LIMIT = 300;

const load = (path) => import(pathToFileURL(join(resolve(given.dist), path)).href);
const { SEARCH_DEFAULTS } = await load("search/defaults.js");
const { Stemmers } = await load("search/analysis/stemming.js");
const { DocumentTerms } = await load("search/analysis/terms.js");
const { queryTerms } = await load("search/analysis/query-terms.js");
const { KeywordWriter } = await load("search/keyword/keyword-writer.js");
const { KeywordSegment } = await load("search/keyword/keyword-segment.js");
const { Bm25 } = await load("search/keyword/ranking/bm25.js");
const { RowSet } = await load("contract/lake/row-set.js");

const stemmers = new Stemmers();

/** Milliseconds of processor time so far. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function build(folder) {
  const temporary = `${folder}.tmp`;
  await rm(temporary, { recursive: true, force: true });
  let segment = 0;
  let count = 0;
  let writer;
  let terms;
  let inverting = 0;
  const finish = async () => {
    const start = cpu();
    await writer?.finish();
    inverting += cpu() - start;
  };
  const start = cpu();
  for (const { lang, text } of documents(size)) {
    if (count % SEARCH_DEFAULTS.segmentDocuments === 0) {
      await finish();
      const dir = join(temporary, String(segment++));
      await mkdir(dir, { recursive: true });
      writer = new KeywordWriter(dir);
      terms = new DocumentTerms(stemmers, writer);
    }
    count += 1;
    await stemmers.load([lang]);
    terms.read(text, lang, 0);
    writer.endDocument(lang);
  }
  await finish();
  await rename(temporary, folder);
  console.log(
    `build: ${((cpu() - start) / 1000).toFixed(1)} s of CPU, inverting ${(inverting / 1000).toFixed(1)} s`,
  );
}

async function open(folder) {
  const segments = [];
  let first = 0;
  for (let n = 0; existsSync(join(folder, String(n))); n += 1) {
    const keyword = await KeywordSegment.open(join(folder, String(n)));
    segments.push({ first, keyword });
    first += keyword.manifest.documentCount;
  }
  return segments;
}

if (!existsSync(given.folder)) await build(given.folder);
const segments = await open(given.folder);
const rows = segments.reduce((sum, { keyword }) => sum + keyword.manifest.documentCount, 0);
const languages = [
  ...new Set(segments.flatMap(({ keyword }) => keyword.manifest.languages.map((l) => l.language))),
].sort();
await stemmers.load(languages);
const bm25 = new Bm25(segments);
const compareRows = (a, b) => a - b;
const questions = queries(Number(given.questions)).map((text) => queryTerms(text, languages, stemmers).terms);
const rss = () => Math.round(process.memoryUsage.rss() / 1e6);
console.log(`${rows} rows in ${segments.length} segments, RSS ${rss()} MB after opening`);
for (const share of given.shares.split(",").map(Number)) {
  const step = Math.round(1 / share);
  const candidates = share === 1 ? RowSet.all(rows) : RowSet.fromPredicate(rows, (row) => row % step === 0);
  const digest = createHash("sha256");
  const runs = [];
  for (let run = 0; run <= Number(given.runs); run += 1) {
    const taken = [];
    const used = [];
    for (const terms of questions) {
      const start = performance.now();
      const startCpu = cpu();
      const ranking = await bm25.rank(bm25.query(terms), candidates, LIMIT, compareRows);
      taken.push(performance.now() - start);
      used.push(cpu() - startCpu);
      if (run === 0) digest.update(JSON.stringify(ranking));
    }
    if (run > 0)
      runs.push({ wall: spread(taken), cpu: spread(used), most: Math.max(...used), mean: mean(used) });
  }
  const middle = (of) => median(runs.map(of)).toFixed(2);
  console.log(
    `share ${share}: p50 ${middle((r) => r.wall.p50)} ms, p99 ${middle((r) => r.wall.p99)}; of CPU: p50 ${middle((r) => r.cpu.p50)}, ` +
      `p99 ${middle((r) => r.cpu.p99)}, most ${middle((r) => r.most)}, mean ${middle((r) => r.mean)}; digest ${digest.digest("hex").slice(0, 12)}`,
  );
}
console.log(`RSS ${rss()} MB after the questions`);
for (const { keyword } of segments) keyword.close();
