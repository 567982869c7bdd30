/**
 * Learns the endings of languages and writes them, `src/search/analysis/endings.ts`.
 * usage: node scripts/endings/main.js <folder> [--half odd|even] [--languages LIST]
 *   <folder>/<language>.conllu  a treebank, or several one after another
 *   <folder>/<language>.tsv     lemmas and their forms, one a line (optional, where treebanks are small, or there is none)
 *   --half                      of every other ten sentences alone; `scripts/bench/inflection.js --half` measures with the others. Without a
 *                               treebank of every other lemma, and says what the endings bring together of the others
 *   --languages                 learns these again; those of others stay
 * The endings that ship were learned of half (`--half even`) of treebanks of Universal Dependencies, those of Azerbaijani of nouns of UniMorph, too, those of Mongolian of half
 * of its lemmas alone, so that the figures of the other half in RESULTS.md are theirs. Of the texts they have nothing but the endings.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { built } from "../built.js";
import { Conflation } from "./conflation.js";
import { learnEndings } from "./learn-endings.js";
import { readParadigms, readSentences } from "./treebank.js";

const { spellSyllables } = /** @type {typeof import("../../src/search/analysis/light-stemmer.js")} */ (
  await built("search/analysis/light-stemmer.js")
);
const { Stemmers } = /** @type {typeof import("../../src/search/analysis/stemming.js")} */ (
  await built("search/analysis/stemming.js")
);

const TARGET = new URL("../../src/search/analysis/endings.ts", import.meta.url);
/** Languages that are learned, with the treebanks of each. */
const LANGUAGES = {
  af: ["af"],
  am: ["am"],
  az: ["az"],
  be: ["be"],
  bg: ["bg"],
  cs: ["cs"],
  da: ["da"],
  de: ["de"],
  el: ["el"],
  et: ["et"],
  eu: ["eu"],
  fa: ["fa"],
  fi: ["fi"],
  fo: ["fo"],
  ga: ["ga"],
  gd: ["gd"],
  gl: ["gl"],
  he: ["he"],
  hr: ["hr", "sr"],
  hu: ["hu"],
  hy: ["hy"],
  is: ["is"],
  ka: ["ka"],
  kk: ["kk"],
  ky: ["ky"],
  lt: ["lt"],
  lv: ["lv"],
  ml: ["ml"],
  mn: ["mn"],
  mr: ["mr"],
  nl: ["nl"],
  no: ["no", "nn"],
  pl: ["pl"],
  ro: ["ro"],
  sk: ["sk"],
  sl: ["sl"],
  sq: ["sq"],
  sv: ["sv"],
  ta: ["ta"],
  uk: ["uk"],
  ur: ["ur"],
  uz: ["uz"],
};
/** Languages whose words change at their beginning, or have others glued to it. */
const FRONTS = new Set(["am", "ga", "gd", "he"]);
/** Languages written in syllables, whose endings begin within one. */
const SYLLABLES = new Set(["am"]);
/** Serbian in Cyrillic letters is stemmed as in Latin ones, so that each finds the other. */
const LETTERS = {
  hr: "а:a б:b в:v г:g д:d ђ:d е:e ж:z з:z и:i ј:j к:k л:l љ:lj м:m н:n њ:nj о:o п:p р:r с:s т:t ћ:c у:u ф:f х:h ц:c ч:c џ:dz ш:s",
};
const LEAST = [4, 3, 2];
/** Languages whose words Snowball stems first: it tells short words apart, of which treebanks have few. What is learned are endings of its stems, of longer ones alone. */
const SNOWBALL = new Set(["da", "de", "fi", "nl", "no"]);
const PASSES = [1, 2, 3];
/** Forms of different words that are brought together lose more than forms that are not. */
const LEAST_PRECISION = 0.77;
/** What a shorter stem, or one more pass, has to bring. */
const MARGIN = 0.015;
const WORD = /^[\p{L}\p{M}\u200c'’]{2,}$/u;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { half: { type: "string", default: "all" }, languages: { type: "string" } },
});
const [folder] = positionals;
const { half } = values;
if (folder === undefined || (half !== "all" && half !== "odd" && half !== "even"))
  throw new RangeError("usage: node scripts/endings/main.js <folder> [--half odd|even] [--languages LIST]");

/**
 * Each form once, with the lemma that it has most often; lemmas are forms, too.
 * @param {readonly string[]} treebanks
 * @param {"all" | "odd" | "even"} half
 */
async function wordsOf(treebanks, half) {
  const counts = new Map();
  const bank = (name) => join(folder, `${name}.conllu`);
  const sentences = await Promise.all(
    treebanks.filter((name) => existsSync(bank(name))).map((name) => readSentences(bank(name), half)),
  );
  const paradigms = await Promise.all(
    treebanks.map((name) =>
      readParadigms(join(folder, `${name}.tsv`), existsSync(bank(name)) ? "all" : half),
    ),
  );
  for (const { form, lemma } of [...sentences.flat().flatMap(({ words }) => words), ...paradigms.flat()])
    for (const each of [form, lemma])
      if (WORD.test(each) && WORD.test(lemma)) {
        const lemmas = counts.get(each) ?? new Map();
        counts.set(each, lemmas.set(lemma, (lemmas.get(lemma) ?? 0) + 1));
      }
  return Array.from(counts, ([form, lemmas]) => ({
    form,
    lemma: [...lemmas].reduce((best, each) => (each[1] > best[1] ? each : best))[0],
  }));
}

function learn(words, { fronts, leasts }) {
  const all = PASSES.flatMap((passes) =>
    leasts.map((least) => learnEndings(words, { least, passes, fronts })),
  );
  const precise = all.filter(({ precision }) => precision >= LEAST_PRECISION);
  if (precise.length === 0)
    return all.reduce((best, each) => (each.precision > best.precision ? each : best));
  return precise.reduce((best, each) => (each.f > best.f + MARGIN ? each : best));
}

function spelled({ form, lemma }) {
  return { form: spellSyllables(form), lemma: spellSyllables(lemma) };
}

/** Each stem once, with the lemma of the first form that has it. */
function snowballStems(words, language) {
  const stems = new Map();
  for (const { form, lemma } of words) {
    const stem = stemmers.formerStem(form, language);
    if (!stems.has(stem)) stems.set(stem, { form: stem, lemma });
  }
  return [...stems.values()];
}

function rulesText(language, { least, passes, endings, fronts, fleeting, last }) {
  const pairs = (map) => Array.from(map, ([from, to]) => `${from}:${to}`).join(" ");
  const texts = {
    endings: [...endings].join(" "),
    fronts: pairs(fronts),
    fleeting: [...fleeting].join(""),
    last: pairs(last),
    letters: LETTERS[language] ?? "",
  };
  const fields = Object.entries(texts).flatMap(([name, text]) =>
    text === "" ? [] : [`${name}: ${JSON.stringify(text)}`],
  );
  if (SYLLABLES.has(language)) fields.push("syllables: true");
  if (SNOWBALL.has(language)) fields.push("afterSnowball: true");
  return `  ${language}: { least: ${least}, passes: ${passes}, ${fields.join(", ")} },`;
}

const stemmers = new Stemmers();
await stemmers.load(SNOWBALL);
const wanted = values.languages?.split(",") ?? Object.keys(LANGUAGES);
const known = existsSync(TARGET) ? (await built("search/analysis/endings.js")).ENDINGS : {};
const lines = [];
for (const [language, treebanks] of Object.entries(LANGUAGES)) {
  if (!wanted.includes(language)) {
    if (language in known) lines.push(`  ${language}: ${JSON.stringify(known[language])},`);
    continue;
  }
  const written = await wordsOf(treebanks, half);
  const isSnowball = SNOWBALL.has(language);
  const words = SYLLABLES.has(language)
    ? written.map(spelled)
    : isSnowball
      ? snowballStems(written, language)
      : written;
  const learned = learn(words, {
    fronts: FRONTS.has(language),
    leasts: isSnowball ? LEAST.slice(0, 1) : LEAST,
  });
  lines.push(rulesText(language, learned.rules));
  const others = half === "all" ? [] : await wordsOf(treebanks, half === "odd" ? "even" : "odd");
  const [precision, recall] = [learned.precision, learned.recall].map((share) => share.toFixed(3));
  console.error(
    `${language}: ${words.length} forms, ${learned.rules.endings.size} endings, at least ${learned.rules.least} letters, ${learned.rules.passes} passes, precision ${precision}, recall ${recall}`,
  );
  if (others.length > 0 && !treebanks.some((name) => existsSync(join(folder, `${name}.conllu`)))) {
    const { quality } = new Conflation(others, learned.rules);
    console.error(
      `${language}, the other ${others.length} forms: precision ${quality.precision.toFixed(3)}, recall ${quality.recall.toFixed(3)}`,
    );
  }
}
writeFileSync(
  TARGET,
  `import type { EndingRules } from "./light-stemmer.js";

// Made by \`node scripts/endings/main.js\`.
/** Of languages, primary subtags. */
export const ENDINGS = {
${lines.join("\n")}
} as const satisfies Readonly<Record<string, EndingRules>>;
`,
);
