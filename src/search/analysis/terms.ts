import type { Script } from "./scripts.js";
import { type Stemmers, stemLanguage } from "./stemming.js";

/** Marks of a variant and of affixes: no word starts with them. */
const VARIANT = "~";
const [FIRST, LAST, INSIDE] = ["<", ">", "="];
const DIGIT = /\p{N}/u;
const AFFIX_LENGTH = 4;
/** Arabic words are short and change at both ends and inside. */
const ARABIC_LENGTH = 3;

/** The term of two syllables in a row. */
export function pairOfSyllables(first: string, second: string): string {
  return `${first} ${second}`;
}

/** The terms of a word in one language: as it is written, and as it would be without accents. */
export function wordTerms(
  word: string,
  surface: string,
  script: Script,
  language: string,
  stemmers: Stemmers,
): { primary: string; plain: string } {
  const stem = stemLanguage(script, language);
  const primary = stemmers.stem(word, stem);
  return { primary, plain: surface === word ? primary : stemmers.stem(surface, stem) };
}

/** The affixes of a word without accents, which bring together forms that its stemmer does not; numbers and codes have none. */
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

/** Whether an affix stands for what is inside a word: these are features of meaning too, the others have one of their own. */
export function isInside(affix: string): boolean {
  return affix.startsWith(INSIDE);
}

/** The variant form of a term. */
export function variantOf(term: string): string {
  return VARIANT + term;
}
