/**
 * Trains the classifier of languages and writes its weights, `src/ingest/values/language/language-weights.ts`.
 * usage: node scripts/languages/main.js <folder> [samples, default 8000000]
 *   <folder>/<tag>.txt    sentences of a language, one a line; und.txt: of languages that are to be called unknown
 *   <folder>/<tag>.words  words of a language by how often they come, one a line: the word, a space, a count (optional)
 * The weights that ship were trained on the sentences of Common Voice (CC0), Tatoeba, Universal Dependencies, the test sentences of
 * Lingua, news of MasakhaNEWS, Indonesian tweets and reviews, the Universal Declaration of Human Rights, word counts of subtitles
 * (FrequencyWords), and for unknown languages translations of the New Testament. Nothing of those texts is in the weights but how
 * often their letters come together.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { built } from "../built.js";
import { classifier } from "./classifier.js";
import { sampler } from "./samples.js";
import { weightsModule } from "./weights-module.js";

const { forEachNgram } = /** @type {typeof import("../../src/ingest/values/language/word-ngrams.js")} */ (
  await built("ingest/values/language/word-ngrams.js")
);

const TARGET = new URL("../../src/ingest/values/language/language-weights.ts", import.meta.url);
const BITS = 15;
const DIMENSIONS = 32;
const RATE = 0.8;
const SEED = 12_345;
const REPORT = 500_000;
/** Buckets that are learned of one text. */
const MOST_BUCKETS = 600;

const [folder, number = "8000000"] = process.argv.slice(2);
const samples = Number(number);
if (folder === undefined || !Number.isInteger(samples) || samples < 1)
  throw new RangeError("usage: node scripts/languages/main.js <folder> [samples]");

/** A linear congruential generator: the same weights of the same texts. */
let state = SEED;
function random() {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

const languages = readdirSync(folder)
  .flatMap((name) => (name.endsWith(".txt") && name !== "und.txt" ? [name.slice(0, -4)] : []))
  .sort();
const sample = sampler(folder, languages, random);
const learned = classifier(languages.length + 1, BITS, DIMENSIONS, random);
const buckets = new Uint32Array(MOST_BUCKETS);
let loss = 0;
for (let step = 1; step <= samples; step++) {
  const { text, language } = sample();
  let count = 0;
  forEachNgram(text, BITS, (bucket) => {
    if (count < MOST_BUCKETS) buckets[count++] = bucket;
  });
  if (count > 0) loss += learned.learn(buckets.subarray(0, count), language, RATE * (1 - step / samples));
  if (step % REPORT === 0) {
    console.error(`${step} of ${samples} texts, mean loss ${(loss / REPORT).toFixed(4)}`);
    loss = 0;
  }
}
writeFileSync(TARGET, weightsModule(languages, BITS, DIMENSIONS, learned));
