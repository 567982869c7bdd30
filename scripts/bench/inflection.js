/**
 * How well each engine finds a word in its other forms, among sentences of treebanks, whose words have lemmas.
 * usage: node scripts/bench/inflection.js <folder> [--half odd|even] [--languages LIST] [--engines LIST] [--queries N] [--together] [--json]
 *   <folder>/<language>.conllu  as `scripts/endings/main.js` reads them
 *   --half                      every other ten sentences alone: those that the endings were not learned of
 *   --together                  all languages in one index
 * A row for each language, with the sentences and for each engine nDCG@10 and Recall@100 of dictionary forms, then of two words of a sentence, each
 * in another form than there.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { built } from "../built.js";
import { readSentences } from "../endings/treebank.js";
import { ENGINES } from "./relevance/engines.js";

const { meanQuality, qualityOf } = /** @type {typeof import("../../src/search/eval/metrics.js")} */ (
  await built("search/eval/metrics.js")
);

const MOST_SENTENCES = 50;
const WORD = /^[\p{L}\p{M}]{4,}$/u;

/** The lemmas that several sentences have, in several forms: which sentence has which form. */
function inflected(sentences) {
  const lemmas = new Map();
  sentences.forEach(({ words }, row) => {
    for (const { form, lemma, kind, written, named } of words) {
      if (!WORD.test(form) || !WORD.test(lemma)) continue;
      const key = `${lemma} ${kind}`;
      if (!lemmas.has(key)) lemmas.set(key, { lemma, named, rows: new Map() });
      lemmas.get(key).rows.set(row, written.toLowerCase());
    }
  });
  for (const [key, { rows }] of lemmas)
    if (rows.size < 2 || rows.size > MOST_SENTENCES || new Set(rows.values()).size < 2) lemmas.delete(key);
  return lemmas;
}

function spread(list, count) {
  const step = Math.max(1, list.length / count);
  return Array.from({ length: Math.min(count, list.length) }, (_, i) => list[Math.floor(i * step)]);
}

/** Dictionary forms as queries: every sentence with the word in any form is relevant. */
function lemmaQueries(lemmas, count) {
  const list = [...lemmas.values()].filter(({ lemma }) => lemma.length >= 4);
  return spread(list, count).map(({ named, rows }) => ({
    text: named,
    grades: new Map(Array.from(rows.keys(), (row) => [String(row), 1])),
  }));
}

/** Two words of a sentence, each in another form than there: sentences with both words are relevant. */
function pairQueries(sentences, lemmas, count) {
  const queries = [];
  sentences.forEach(({ words }, row) => {
    const other = words.flatMap(({ lemma, kind, written }) => {
      const known = lemmas.get(`${lemma} ${kind}`);
      const forms = [...new Set(known?.rows.values() ?? [])].filter((each) => each !== written.toLowerCase());
      return forms.length === 0 ? [] : [{ rows: known.rows, form: forms[row % forms.length] }];
    });
    if (other.length < 2) return;
    const [first, second] = [other[0], other.at(-1)];
    const both = [...first.rows.keys()].filter((each) => second.rows.has(each));
    if (first.rows === second.rows) return;
    queries.push({
      text: `${first.form} ${second.form}`,
      grades: new Map(both.map((each) => [String(each), 1])),
    });
  });
  return spread(queries, count);
}

async function measure(open, kinds) {
  const results = {};
  for (const [kind, queries] of Object.entries(kinds)) {
    const qualities = [];
    for (const { text, grades } of queries) qualities.push(qualityOf(await open.search(text), grades));
    results[kind] = meanQuality(qualities);
  }
  return results;
}

/**
 * The sentences of a language, and the questions to them. Ids name the language, for all may be in one index.
 * @param {string} folder
 * @param {string} lang
 * @param {"all" | "odd" | "even"} half
 */
async function readCollection(folder, lang, half) {
  const sentences = await readSentences(join(folder, `${lang}.conllu`), half);
  const lemmas = inflected(sentences);
  const kinds = {
    word: lemmaQueries(lemmas, Number(values.queries)),
    pair: pairQueries(sentences, lemmas, Number(values.queries)),
  };
  const id = (row) => `${lang}-${row}`;
  for (const query of Object.values(kinds).flat())
    query.grades = new Map(Array.from(query.grades.keys(), (row) => [id(row), 1]));
  return { lang, kinds, passages: sentences.map(({ text }, row) => ({ _id: id(row), lang, text })) };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    languages: { type: "string" },
    engines: {
      type: "string",
      default:
        "Mirrorlake keyword,Mirrorlake hybrid,LanceDB FTS + language,LanceDB FTS + n-grams,SQLite FTS5 trigram",
    },
    half: { type: "string", default: "all" },
    queries: { type: "string", default: "300" },
    together: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const [folder] = positionals;
const { half } = values;
if (folder === undefined || (half !== "all" && half !== "odd" && half !== "even"))
  throw new RangeError("usage: node scripts/bench/inflection.js <folder> [--half odd|even]");
const wanted = values.engines.split(",");
const engines = ENGINES.filter(({ name }) => wanted.includes(name));
const languages = (await readdir(folder))
  .flatMap((name) => (name.endsWith(".conllu") ? [name.slice(0, -".conllu".length)] : []))
  .filter((lang) => values.languages === undefined || values.languages.split(",").includes(lang))
  .sort();
const collections = await Promise.all(languages.map((lang) => readCollection(folder, lang, half)));
const all = Object.fromEntries(
  collections.map(({ lang, passages }) => [lang, { sentences: passages.length }]),
);
for (const engine of engines) {
  const together = values.together
    ? await engine.open({ passages: collections.flatMap(({ passages }) => passages), lang: "und" })
    : undefined;
  for (const collection of collections) {
    const open = together ?? (await engine.open(collection));
    all[collection.lang][engine.name] = await measure(open, collection.kinds);
    if (open !== together) await open.close();
  }
  await together?.close();
}
if (values.json) console.log(JSON.stringify(all));
else
  for (const [lang, results] of Object.entries(all)) {
    const cells = engines.map(({ name }) => {
      const { word, pair } = results[name];
      return [word.ndcg10, word.recall100, pair.ndcg10, pair.recall100].map((n) => n.toFixed(3)).join(" ");
    });
    console.log(`| ${lang} | ${results.sentences} | ${cells.join(" | ")} |`);
  }
