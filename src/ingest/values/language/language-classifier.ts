import { inflateRawSync } from "node:zlib";
import { BITS, DIMENSIONS, EMBEDDINGS, LANGUAGES, OUTPUT_SCALE, OUTPUTS } from "./language-weights.js";
import { forEachNgram } from "./word-ngrams.js";

/** What a text may be, and how sure that is. */
export interface LanguageGuess {
  /** BCP 47 tag; `und` for what is no language, or none that is known. */
  readonly language: string;
  /** Share of the languages together that falls to this one, from 0 to 1. */
  readonly share: number;
}

interface Weights {
  /** A vector of each bucket, two of its numbers an integer: the first, and the second times 2^16. */
  readonly embeddings: Int32Array;
  /** A vector of each language. */
  readonly outputs: Int16Array;
}

const PAIR = 2 ** 16;
/** Integers that are added before they are taken apart: the first numbers of more could have a sum beyond 16 bits. */
const MOST_ADDED = 4_000;

const TAGS = LANGUAGES.split(" ");

let loaded: Weights | undefined;

/** Unpacks the weights when a text asks for them first. */
function weights(): Weights {
  loaded ??= {
    embeddings: pairsOf(inflateRawSync(Buffer.from(EMBEDDINGS, "base64"))),
    outputs: unpackInt16(Buffer.from(OUTPUTS, "base64")),
  };
  return loaded;
}

/** Pairs of numbers from −8 to 7, a byte each, as integers. */
function pairsOf(bytes: Uint8Array): Int32Array {
  const pairs = new Int32Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) pairs[i] = (bytes[i]! & 15) - 8 + ((bytes[i]! >> 4) - 8) * PAIR;
  return pairs;
}

function unpackInt16(bytes: Buffer): Int16Array {
  return Int16Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readInt16LE(2 * i));
}

/**
 * Guesses the language of a text by a linear classifier of its words and n-grams, trained by `scripts/languages/main.js`. All sums are of
 * integers and all else is arithmetic of IEEE 754, so a text has one answer on every machine.
 * Source: Joulin et al., Bag of Tricks for Efficient Text Classification, 2016.
 * @param among whether a language is one of those of the text's script
 * @returns `und` with a share of 0 for a text without words
 */
export function classifyLanguage(text: string, among: (language: string) => boolean): LanguageGuess {
  const { embeddings, outputs } = weights();
  const buckets: number[] = [];
  forEachNgram(text, BITS, (bucket) => buckets.push(bucket));
  if (buckets.length === 0) return { language: "und", share: 0 };
  const sums = sumsOf(embeddings, buckets);
  const scores: number[] = [];
  let [best, most] = ["und", Number.NEGATIVE_INFINITY];
  for (let i = 0; i <= TAGS.length; i++) {
    const language = TAGS[i] ?? "und";
    if (i < TAGS.length && !among(language)) continue;
    const score = product(sums, outputs, i * DIMENSIONS);
    scores.push(score);
    if (score > most) [best, most] = [language, score];
  }
  const unit = buckets.length * OUTPUT_SCALE;
  let all = 0;
  for (const score of scores) all += decay((most - score) / unit);
  return { language: best, share: 1 / all };
}

/** Adds the vectors of buckets. */
function sumsOf(embeddings: Int32Array, buckets: readonly number[]): Int32Array {
  const sums = new Int32Array(DIMENSIONS);
  const pairs = new Int32Array(DIMENSIONS / 2);
  for (let at = 0; at < buckets.length; at += MOST_ADDED) {
    pairs.fill(0);
    const end = Math.min(buckets.length, at + MOST_ADDED);
    for (let i = at; i < end; i++) {
      const first = buckets[i]! * pairs.length;
      for (let p = 0; p < pairs.length; p++) pairs[p]! += embeddings[first + p]!;
    }
    for (const [p, pair] of pairs.entries()) {
      const low = (pair << 16) >> 16;
      sums[2 * p]! += low;
      sums[2 * p + 1]! += (pair - low) / PAIR;
    }
  }
  return sums;
}

function product(sums: Int32Array, outputs: Int16Array, first: number): number {
  let sum = 0;
  for (let d = 0; d < sums.length; d++) sum += sums[d]! * outputs[first + d]!;
  return sum;
}

/** Nearly e^−x. `Math.exp` may differ from machine to machine. */
function decay(x: number): number {
  let power = 1 + x / 64;
  for (let i = 0; i < 6; i++) power *= power;
  return 1 / power;
}
