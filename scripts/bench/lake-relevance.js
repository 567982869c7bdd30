/**
 * Measures what a lake ranks first, by questions of the judged collections whose passages it holds, and by pieces of its own texts.
 * usage: node scripts/bench/lake-relevance.js <lake> [keyword | semantic | hybrid] [questions of a collection] [pieces]
 *
 * Words: of each language, words that one record alone holds; the share whose record is the first, and among the first ten.
 * Questions: nDCG@10 of each collection. Pieces: three to six words in a row (6 to 13 letters of a script without spaces) of evenly spaced
 * records; the mean of 1 / the rank of a record with that whole text among the first ten, by the length of the text.
 */
import { join } from "node:path";
import { built } from "../built.js";
import { spread } from "./lake-questions.js";

const { openLake } = /** @type {typeof import("../../src/index.js")} */ (await built("index.js"));
const { RowSet } = /** @type {typeof import("../../src/contract/lake/row-set.js")} */ (
  await built("contract/lake/row-set.js")
);
const { readCollections } = /** @type {typeof import("../../src/search/eval/evaluate-mixed.js")} */ (
  await built("search/eval/evaluate-mixed.js")
);
const { qualityOf } = /** @type {typeof import("../../src/search/eval/metrics.js")} */ (
  await built("search/eval/metrics.js")
);

const DATA = new URL("../../../shared/data/", import.meta.url).pathname;
const BATCH = 2_000;
/** Letters of a passage by which it is known. */
const KNOWN = 200;
const UNSPACED = /\p{Script=Han}|\p{Script=Thai}|\p{Script=Hiragana}/u;
/** Classes of lengths, in letters: each ends before its number. */
const LENGTHS = [60, 200, 1_000, Number.POSITIVE_INFINITY];

const MODES = /** @type {const} */ (["keyword", "semantic", "hybrid"]);
const [lake, chosen = "keyword", questions = "150", pieces = "3000"] = process.argv.slice(2);
const mode = MODES.find((each) => each === chosen);
if (lake === undefined || mode === undefined)
  throw new RangeError(`usage: lake-relevance.js <lake> [${MODES.join(" | ")}] [questions] [pieces]`);

const client = await openLake(lake, { limits: "off", account: "memory" });
const { corpus, index } = client.lake;
const live = corpus.match({});
const rows = [...live.rows()];
const everything = RowSet.of(corpus.rowCount, rows);
const oneSpaced = (/** @type {string} */ text) => text.replace(/\s+/g, " ").trim();
const textOf = (/** @type {{ title?: string | undefined, text?: string | undefined }} */ { title, text }) =>
  oneSpaced(`${title ?? ""} ${text ?? ""}`);

async function* recordsOf(/** @type {readonly number[]} */ wanted) {
  for (let first = 0; first < wanted.length; first += BATCH) {
    const batch = wanted.slice(first, first + BATCH);
    for (const [i, record] of (await corpus.records(batch)).entries()) yield { row: batch[i], record };
  }
}

const mean = (/** @type {readonly number[]} */ values) => values.reduce((a, b) => a + b, 0) / values.length;

async function judged() {
  const collections = [
    ...(await readCollections(join(DATA, "ir_cranfield_en/beir"), "Cranfield")),
    ...(await readCollections(join(DATA, "ir_xquad_multi/beir"), "XQuAD")),
  ];
  /** @type {Map<string, string>} by the passage's text: its collection and id */
  const passages = new Map();
  for (const { name, passages: read } of collections)
    for await (const batch of read())
      for (const { _id, text } of batch)
        passages.set(oneSpaced(text ?? "").slice(0, KNOWN), `${name}/${_id}`);
  /** @type {Map<number, string>} */
  const ids = new Map();
  for await (const { row, record } of recordsOf(rows)) {
    const id = passages.get(oneSpaced(record.text ?? "").slice(0, KNOWN));
    if (id !== undefined) ids.set(row, id);
  }
  const found = new Set(ids.values());
  const quality = {};
  for (const { name, queries } of collections) {
    const answerable = queries.filter(({ grades }) =>
      [...grades.keys()].some((id) => found.has(`${name}/${id}`)),
    );
    const gains = [];
    for (const { text, grades } of spread(answerable, Number(questions))) {
      const { rows: ranked } = await index.rank(text, everything, { limit: 100, mode });
      const own = ranked.map((row) => (ids.get(row) ?? `/${row}`).replace(`${name}/`, ""));
      gains.push(qualityOf(own, grades).ndcg10);
    }
    if (gains.length > 0) quality[name] = mean(gains);
  }
  return quality;
}

/** A piece of a text, chosen by a generator of numbers; undefined of a text too short for one. */
function pieceOf(text, random) {
  const unspaced = UNSPACED.test(text);
  const parts = unspaced ? [...text] : text.split(" ");
  const [least, more] = unspaced ? [6, 8] : [3, 4];
  if (parts.length < least) return undefined;
  const length = Math.min(parts.length, least + random(more));
  const first = random(parts.length - length + 1);
  return parts.slice(first, first + length).join(unspaced ? "" : " ");
}

async function known() {
  let state = 11;
  const random = (/** @type {number} */ below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  /** @type {{ piece: string, text: string }[]} */
  const asked = [];
  for await (const { record } of recordsOf(spread(rows, Number(pieces)))) {
    const text = textOf(record);
    const piece = pieceOf(text, random);
    if (piece !== undefined) asked.push({ piece, text });
  }
  const ranks = LENGTHS.map(() => /** @type {number[]} */ ([]));
  for (const { piece, text } of asked) {
    const { rows: ranked } = await index.rank(piece, everything, { limit: 10, mode });
    const at = (await corpus.records(ranked)).findIndex((record) => textOf(record) === text);
    ranks[LENGTHS.findIndex((end) => text.length < end)].push(at < 0 ? 0 : 1 / (at + 1));
  }
  return {
    all: mean(ranks.flat()),
    byLength: ranks.map((values, i) => ({ below: LENGTHS[i], pieces: values.length, mrr10: mean(values) })),
  };
}

/** Words of four letters or more that one record alone holds, by its language: evenly spread, at most so many of each. */
async function wordsOfOne(most = 250) {
  /** @type {Map<string, number>} by word: its record's row, or −1 of several */
  const holders = new Map();
  /** @type {Map<number, string>} */
  const languages = new Map();
  for await (const { row, record } of recordsOf(rows)) {
    languages.set(row, record.lang ?? "und");
    const { entities = [], comment_thread = [], review_sample = [] } = record;
    const text = [textOf(record), ...entities, ...comment_thread, ...review_sample].join("\n");
    const words =
      text
        .normalize("NFKC")
        .toLowerCase()
        .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
    for (const word of new Set(words)) holders.set(word, holders.has(word) ? -1 : row);
  }
  /** @type {Map<string, { word: string, row: number }[]>} */
  const asked = new Map();
  for (const [word, row] of holders) {
    if (row < 0 || !/^\p{L}{4,}$/u.test(word) || UNSPACED.test(word)) continue;
    const language = languages.get(row) ?? "und";
    const known = asked.get(language);
    if (known === undefined) asked.set(language, [{ word, row }]);
    else known.push({ word, row });
  }
  const found = {};
  for (const [language, all] of asked) {
    const chosen = spread(all, most);
    let [first, ten] = [0, 0];
    for (const { word, row } of chosen) {
      const at = (await index.rank(word, everything, { limit: 10, mode })).rows.indexOf(row);
      if (at === 0) first += 1;
      if (at >= 0) ten += 1;
    }
    found[language] = { words: chosen.length, first: first / chosen.length, ten: ten / chosen.length };
  }
  return found;
}

const report = {
  lake,
  mode,
  records: rows.length,
  ndcg10: await judged(),
  pieces: await known(),
  words: await wordsOfOne(),
};
console.log(JSON.stringify({ ...report, mean: mean(Object.values(report.ndcg10)) }, null, 1));
await client.close();
