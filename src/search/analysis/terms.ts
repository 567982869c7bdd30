import type { Script } from "./scripts.js";
import { type StemLanguage, type Stemmers, stemLanguage } from "./stemming.js";

/** Prefixes of variants and affixes; no word starts with them. */
const VARIANT = "~";
const [FIRST, LAST, INSIDE] = ["<", ">", "="];
const DIGIT = /\p{N}/u;
const AFFIX_LENGTH = 4;
/** Arabic words are short and change at both ends and inside. */
const ARABIC_LENGTH = 3;

/** Joins two consecutive syllables to a term. */
export function pairOfSyllables(first: string, second: string): string {
  return `${first} ${second}`;
}

/** Returns the terms of a word in a language: as written, and without accents. */
export function wordTerms(
  word: string,
  surface: string,
  script: Script,
  language: string,
  stemmers: Stemmers,
): { primary: string; plain: string } {
  return stemmedTerms(word, surface, stemLanguage(script, language), stemmers);
}

/** Returns the terms of a word by the stemmer of a language: as written, and without accents. */
export function stemmedTerms(
  word: string,
  surface: string,
  language: StemLanguage,
  stemmers: Stemmers,
): { primary: string; plain: string } {
  const primary = stemmers.stem(word, language);
  return { primary, plain: surface === word ? primary : stemmers.stem(surface, language) };
}

/**
 * Returns the affixes of a word without accents. They connect forms that the stemmer does not. Numbers and
 * codes have none.
 */
export function affixesOf(surface: string, script: Script): string[] {
  if (DIGIT.test(surface)) return [];
  if (script === "arabic") {
    const inside: string[] = [];
    for (let end = ARABIC_LENGTH; end <= surface.length; end += 1) {
      inside.push(INSIDE + surface.slice(end - ARABIC_LENGTH, end));
    }
    return inside;
  }
  if (surface.length <= AFFIX_LENGTH) return [];
  return [FIRST + surface.slice(0, AFFIX_LENGTH), LAST + surface.slice(-AFFIX_LENGTH)];
}

/**
 * Whether an affix comes from inside a word. These are features of the default embedder too; the others have a
 * prefix feature.
 */
export function isInside(affix: string): boolean {
  return affix.startsWith(INSIDE);
}

/** Returns the variant form of a term. */
export function variantOf(term: string): string {
  return VARIANT + term;
}
