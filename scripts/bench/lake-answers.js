/**
 * Measures short queries of names and numbers: the answers of XQuAD's questions, asked in a lake that holds its passages in several
 * languages. By language: how often the passage of that language is the first, the mean of 1 / its rank among the first twenty, and
 * how often a translation of it stands before it. A bare name or number has no language: not all of that can be told.
 * usage: node scripts/bench/lake-answers.js <lake> [answers of a language] [languages, by commas]
 */
import { readFileSync } from "node:fs";
import { built } from "../built.js";
import { spread } from "./lake-questions.js";

const { openLake } = /** @type {typeof import("../../src/index.js")} */ (await built("index.js"));

const BEIR = new URL("../../../shared/data/ir_xquad_multi/beir/", import.meta.url).pathname;
/** Letters of a passage by which it is known, and of an answer that is short. */
const KNOWN = 60;
const SHORT = 80;

const [lake, answers = "60", languages = "en,es,de,ro,tr,vi,ru,el,ar,hi,zh,th"] = process.argv.slice(2);
if (lake === undefined) throw new RangeError("usage: lake-answers.js <lake> [answers] [languages]");

const lines = (/** @type {string} */ file) => readFileSync(`${BEIR}${file}`, "utf8").trim().split("\n");
const read = (/** @type {string} */ file) => lines(file).map((line) => JSON.parse(line));
const known = (/** @type {string | null | undefined} */ text) =>
  (text ?? "").replace(/\s+/g, " ").trim().slice(0, KNOWN);

/** @type {Map<string, string>} by the passage's first letters: its id, which is its language and what it is a translation of */
const passages = new Map(read("corpus.jsonl").map(({ _id, text }) => [known(text), _id]));
const wanted = new Map(
  lines("qrels/test.tsv")
    .slice(1)
    .map((line) => /** @type {[string, string]} */ (line.split("\t").slice(0, 2))),
);
/** @type {readonly { _id: string, lang: string, answer?: string }[]} */
const questions = read("queries.jsonl");
const original = (/** @type {string} */ id) => id.slice(id.indexOf("_"));

const client = await openLake(lake, { limits: "off", account: "memory" });
try {
  for (const language of languages.split(",")) {
    const all = questions.filter(
      ({ lang, answer }) => lang === language && answer !== undefined && answer.length <= SHORT,
    );
    const asked = spread(all, Number(answers));
    const sums = { first: 0, reciprocal: 0, translated: 0 };
    for (const { _id, answer } of asked) {
      const { data } = await client.search({ query: answer ?? "", limit: 20, freshness: "90d" });
      const ids = data.map(({ text }) => passages.get(known(text)));
      const passage = wanted.get(_id) ?? "";
      const at = ids.indexOf(passage);
      const translation = ids.findIndex(
        (id) => id !== undefined && id !== passage && original(id) === original(passage),
      );
      if (at === 0) sums.first += 1;
      if (at >= 0) sums.reciprocal += 1 / (at + 1);
      if (translation >= 0 && (at < 0 || translation < at)) sums.translated += 1;
    }
    const share = (/** @type {number} */ sum) => (sum / asked.length).toFixed(3);
    console.log(
      `${language.padEnd(3)} ${asked.length} answers: first ${share(sums.first)}, mean 1 / rank ${share(sums.reciprocal)}, translation before it ${share(sums.translated)}`,
    );
  }
} finally {
  await client.close();
}
