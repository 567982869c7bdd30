/**
 * Measures language detection on sentences whose language is known.
 * usage: node scripts/languages/measure.js <folder> [--json]
 *   <folder>/<tag>.txt  sentences of a language, one a line; und.txt: those of languages that are not known
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { built } from "../built.js";

const { detectLanguage } =
  /** @type {typeof import("../../src/ingest/values/language/detect-language.js")} */ (
    await built("ingest/values/language/detect-language.js")
  );

const FEW_WORDS = 3;
const CONFUSIONS = 4;
const [folder, json] = process.argv.slice(2);
if (folder === undefined) throw new RangeError("usage: node scripts/languages/measure.js <folder> [--json]");

/** @param {readonly string[]} texts @param {string} tag */
function shareOf(texts, tag) {
  const found = texts.map(detectLanguage);
  /** @type {Map<string, number>} */
  const others = new Map();
  for (const language of found) if (language !== tag) others.set(language, (others.get(language) ?? 0) + 1);
  return {
    right: found.filter((language) => language === tag).length / texts.length,
    others: [...others].sort(([, a], [, b]) => b - a).slice(0, CONFUSIONS),
  };
}

const sets = readdirSync(folder)
  .filter((name) => name.endsWith(".txt"))
  .map((name) => ({
    tag: name.slice(0, -4),
    texts: readFileSync(join(folder, name), "utf8")
      .split("\n")
      .filter((line) => line !== ""),
  }))
  .filter(({ texts }) => texts.length > 0);
const everything = sets.flatMap(({ texts }) => texts);
for (const text of everything) detectLanguage(text);
const started = performance.now();
for (const text of everything) detectLanguage(text);
const microseconds = ((performance.now() - started) * 1_000) / everything.length;

const rows = sets.map(({ tag, texts }) => {
  const { right, others } = shareOf(texts, tag);
  const beginnings = texts.map((text) => text.split(/\s+/).slice(0, FEW_WORDS).join(" "));
  return { tag, texts: texts.length, right, rightOfThreeWords: shareOf(beginnings, tag).right, others };
});
const known = rows.filter(({ tag }) => tag !== "und");
const mean = (/** @type {"right" | "rightOfThreeWords"} */ field) =>
  known.reduce((sum, row) => sum + row[field], 0) / known.length;
const summary = {
  languages: known.length,
  right: mean("right"),
  rightOfThreeWords: mean("rightOfThreeWords"),
  microseconds,
};
if (json === "--json") console.log(JSON.stringify({ ...summary, rows }));
else {
  const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`.padStart(7);
  for (const { tag, texts, right, rightOfThreeWords, others } of rows) {
    const confusions = others.map(([language, count]) => `${language} ${count}`).join(", ");
    console.log(
      `${tag.padEnd(8)}${String(texts).padStart(6)} texts ${percent(right)}, their first three words ${percent(rightOfThreeWords)}   ${confusions}`,
    );
  }
  console.log(
    `mean of ${summary.languages} languages ${percent(summary.right)}, first three words ${percent(summary.rightOfThreeWords)}; ${microseconds.toFixed(1)} µs a text`,
  );
}
