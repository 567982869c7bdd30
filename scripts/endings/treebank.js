import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { built } from "../built.js";

const { foldAccents, normalizeText, unifySpelling } =
  /** @type {typeof import("../../src/search/analysis/fold.js")} */ (await built("search/analysis/fold.js"));
const { scriptOf } = /** @type {typeof import("../../src/search/analysis/scripts.js")} */ (
  await built("search/analysis/scripts.js")
);

/** Parts of speech that people search by. */
const CONTENT = new Set(["NOUN", "PROPN", "ADJ", "VERB"]);
/** Sentences in a row that are of one half. */
const RUN = 10;

/**
 * The sentences of a treebank in CoNLL-U: what is written, and of each noun, name, adjective and verb the form and the lemma, as they
 * are written and as the index has words before it stems them. A form is what stands between spaces, with what is glued to it.
 * @param {string} path
 * @param {"all" | "odd" | "even"} half every other ten sentences
 */
export async function readSentences(path, half) {
  const sentences = [];
  let number = 0;
  for (const block of (await readFile(path, "utf8")).split("\n\n")) {
    const text = /^# text = (.+)$/m.exec(block)?.[1];
    if (text === undefined) continue;
    const isOdd = Math.floor(number / RUN) % 2 === 1;
    number += 1;
    if (half !== "all" && isOdd !== (half === "odd")) continue;
    const words = [];
    let glued = { last: 0, form: "" };
    for (const line of block.split("\n")) {
      const [id = "", form = "", lemma = "", kind = ""] = line.split("\t");
      const range = /^\d+-(\d+)$/.exec(id);
      if (range !== null) glued = { last: Number(range[1]), form };
      if (!/^\d+$/.test(id) || !CONTENT.has(kind)) continue;
      const written = Number(id) <= glued.last ? glued.form : form;
      const named = unmarked(lemma);
      words.push({ form: plainWord(written), lemma: plainWord(named), kind, written, named });
    }
    sentences.push({ text, words });
  }
  return sentences;
}

/**
 * Forms with their lemmas from a table, as UniMorph has them; none where there is no such file.
 * @param {string} path
 * @param {"all" | "odd" | "even"} half every other lemma
 */
export async function readParadigms(path, half) {
  if (!existsSync(path)) return [];
  const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line.includes("\t"));
  const numbers = new Map();
  return lines.flatMap((line) => {
    const [lemma = "", form = ""] = line.split("\t");
    if (!numbers.has(lemma)) numbers.set(lemma, numbers.size);
    const isOdd = numbers.get(lemma) % 2 === 1;
    if (half !== "all" && isOdd !== (half === "odd")) return [];
    return [{ form: plainWord(form), lemma: plainWord(lemma) }];
  });
}

/**
 * A lemma without the marks that treebanks set between its parts. Finnish ones have # in compounds, Persian ones between the two stems of a verb.
 * @param {string} lemma
 */
function unmarked(lemma) {
  const [first = ""] = lemma.split("+");
  const isLatin = scriptOf(first.codePointAt(0) ?? 0) === "latin";
  return (isLatin ? first : (first.split("#")[0] ?? "")).replace(/[#_=]/g, "");
}

/**
 * A word as the index has it: lower case, its spelling unified, without accents.
 * @param {string} word
 */
function plainWord(word) {
  const normal = normalizeText(word);
  return foldAccents(unifySpelling(normal, scriptOf(normal.codePointAt(0) ?? 0)));
}
