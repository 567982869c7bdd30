import { FUNCTION_WORDS } from "./function-words.js";
import { AFFIX_CLUES, LETTER_CLUES, VIETNAMESE } from "./latin-clues.js";

const WORD = /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu;

/** Minimum score of the first language, and its minimum ratio to the second. */
const LEAST_SCORE = 1;
const LEAST_LEAD = 1.02;

const LETTER_WEIGHT = 0.7;
const VIETNAMESE_WEIGHT = 1.2;
const AFFIX_WEIGHT = 0.35;

const LANGUAGES = Object.keys(FUNCTION_WORDS);

/** Word → languages that use it; the more languages, the smaller the weight for each. */
const WORDS: ReadonlyMap<string, readonly string[]> = (() => {
  const map = new Map<string, string[]>();
  for (const language of LANGUAGES) {
    for (const word of new Set(FUNCTION_WORDS[language]!.split(" "))) {
      const languages = map.get(word);
      if (languages) languages.push(language);
      else map.set(word, [language]);
    }
  }
  return map;
})();

/** Detects the language of text in Latin script; `und` if undecided. See `detectLanguage`. */
export function detectLatin(text: string): string {
  const scores: Record<string, number> = Object.fromEntries(LANGUAGES.map((language) => [language, 0]));
  const add = (languages: readonly string[], weight: number) => {
    for (const language of languages) scores[language]! += weight / languages.length ** 0.8;
  };
  const lower = text.toLowerCase();
  for (const [found] of lower.matchAll(WORD)) {
    const word = found.replaceAll("’", "'");
    const languages = WORDS.get(word);
    // A single letter is as often an initial, a unit or a formula.
    if (languages) add(languages, word.length === 1 ? 0.4 : 1);
    if (word.length < 4) continue;
    for (const [affix, language] of AFFIX_CLUES) if (affix.test(word)) scores[language]! += AFFIX_WEIGHT;
  }
  for (const letter of lower) {
    const languages = LETTER_CLUES[letter];
    if (languages) add(languages.split(" "), LETTER_WEIGHT);
  }
  scores.vi! += (lower.match(VIETNAMESE)?.length ?? 0) * VIETNAMESE_WEIGHT;

  const [first, second] = LANGUAGES.toSorted((a, b) => scores[b]! - scores[a]! || (a < b ? -1 : 1));
  if (scores[first!]! < LEAST_SCORE || scores[first!]! < scores[second!]! * LEAST_LEAD) return "und";
  return first!;
}
