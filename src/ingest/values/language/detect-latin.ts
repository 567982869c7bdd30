import { FUNCTION_WORDS } from "./function-words.js";
import {
  BEGINNING_CLUES,
  DOTTED,
  EKAVIAN,
  ENDING_CLUES,
  IJEKAVIAN,
  LETTER_CLUES,
  RELATIVES,
  VIETNAMESE,
  VIETNAMESE_ALONE,
} from "./latin-clues.js";

/** Letters without a digit beside them: the `s` of `8s` is a unit, no word. */
const WORD = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*(?![\p{L}\p{M}\p{N}])/gu;

/** Minimum score of the first language, and its minimum ratio to the second. */
const LEAST_SCORE = 1;
const LEAST_LEAD = 1.02;

const LETTER_WEIGHT = 0.7;
const VIETNAMESE_WEIGHT = 1.2;
/** Dotted vowels for each letter that Vietnamese alone has, above which a text is not Vietnamese. */
const DOTTED_OF_OTHERS = 3;
const AFFIX_WEIGHT = 0.35;

/** Words of a text that is long enough to have clues in plenty, and the least score for each of them: texts of other languages have less. */
const LONG_TEXT = 25;
const LEAST_SCORE_OF_WORD = 0.055;

/** By name: of equal scores the first one counts. */
const LANGUAGES = Object.keys(FUNCTION_WORDS).sort();
const FAMILIES = LANGUAGES.map(familyOf);
/** Languages whose short words are names, units and abbreviations elsewhere, and the score that a text of theirs has at least. */
const SELDOM_SHORT: ReadonlySet<string> = new Set("ceb cy eo fo ga gd ig ku lb mg mt so sq".split(" "));
const LEAST_SCORE_OF_SELDOM = 2;
const NUMBERS: ReadonlyMap<string, number> = new Map(LANGUAGES.map((language, number) => [language, number]));

const [CROATIAN, SERBIAN] = [NUMBERS.get("hr")!, NUMBERS.get("sr-Latn")!];

/** Languages that share a clue, by number. The more there are, the smaller the weight for each; relatives are as one. */
interface Clue {
  readonly languages: readonly number[];
  /** Divides the weight. */
  readonly shared: number;
}

function clueOf(languages: readonly string[]): Clue {
  return {
    languages: languages.map((language) => NUMBERS.get(language)!),
    shared: new Set(languages.map(familyOf)).size ** 0.8,
  };
}

/** Word → languages that use it. */
const WORDS: ReadonlyMap<string, Clue> = (() => {
  const map = new Map<string, string[]>();
  for (const language of LANGUAGES) {
    for (const word of new Set(FUNCTION_WORDS[language]!.split(" "))) {
      const languages = map.get(word);
      if (languages) languages.push(language);
      else map.set(word, [language]);
    }
  }
  return new Map([...map].map(([word, languages]) => [word, clueOf(languages)]));
})();

/** Code of a letter → languages that use it. None is below {@link FIRST_CLUE}. */
const LETTERS: ReadonlyMap<number, Clue> = new Map(
  Object.entries(LETTER_CLUES).map(([letter, languages]) => [
    letter.charCodeAt(0),
    clueOf(languages.split(" ")),
  ]),
);
const FIRST_CLUE = Math.min(...LETTERS.keys());

/** Endings by their last two letters, by language: nearly all words have none, and are looked up once. */
const ENDINGS: ReadonlyMap<number, readonly (readonly [ending: string, language: number])[]> = (() => {
  const map = new Map<number, [string, number][]>();
  for (const [endings, language] of ENDING_CLUES) {
    for (const ending of endings.split(" ")) {
      const known = map.get(lastTwo(ending));
      if (known) known.push([ending, NUMBERS.get(language)!]);
      else map.set(lastTwo(ending), [[ending, NUMBERS.get(language)!]]);
    }
  }
  return map;
})();

const BEGINNINGS = BEGINNING_CLUES.map(
  ([letters, words, language]) => [letters, words, NUMBERS.get(language)!] as const,
);

/** Numbers of the languages that have a relative of more speakers, and the share of their scores that counts; sounds tell Serbian. */
const SMALL = Object.keys(RELATIVES).flatMap((language) =>
  language === "sr-Latn" ? [] : [NUMBERS.get(language)!],
);
const SHARE_OF_SMALL = 0.85;

function lastTwo(word: string): number {
  return word.charCodeAt(word.length - 2) * 65_536 + word.charCodeAt(word.length - 1);
}

/** Adds the weight of a word's ending and beginning to the languages that they are typical of. */
function addAffixes(word: string, scores: Float64Array): void {
  let last = -1;
  for (const [ending, language] of ENDINGS.get(lastTwo(word)) ?? []) {
    // The endings of a language follow each other: a word counts once for it.
    if (language === last || !word.endsWith(ending)) continue;
    last = language;
    scores[language]! += AFFIX_WEIGHT;
  }
  for (const [letters, words, language] of BEGINNINGS) {
    if (letters.includes(word[0]!) && words.test(word)) scores[language]! += AFFIX_WEIGHT;
  }
}

/** Adds the weight of marked vowels to Vietnamese, or that of dotted ones to Yoruba. */
function addMarks(lower: string, scores: Float64Array): void {
  const marks = lower.match(VIETNAMESE)?.length ?? 0;
  if (marks === 0) return;
  const dotted = lower.match(DOTTED)?.length ?? 0;
  const isOther = dotted > 0 && dotted > DOTTED_OF_OTHERS * (lower.match(VIETNAMESE_ALONE)?.length ?? 0);
  if (!isOther) scores[NUMBERS.get("vi")!]! += marks * VIETNAMESE_WEIGHT;
  // Igbo has the one letter and not the other.
  else if (lower.includes("ẹ")) scores[NUMBERS.get("yo")!]! += dotted * VIETNAMESE_WEIGHT;
}

/** Detects the language of text in Latin script; `und` if undecided. See `detectLanguage`. */
export function detectLatin(text: string): string {
  const scores = new Float64Array(LANGUAGES.length);
  const add = ({ languages, shared }: Clue, weight: number) => {
    for (const language of languages) scores[language]! += weight / shared;
  };
  const lower = text.toLowerCase();
  const words = lower.match(WORD) ?? [];
  for (const found of words) {
    const word = found.includes("’") ? found.replaceAll("’", "'") : found;
    const clue = WORDS.get(word);
    // A single letter is as often an initial, a unit or a formula.
    if (clue) add(clue, word.length === 1 ? 0.4 : 1);
    if (word.length >= 4) addAffixes(word, scores);
  }
  for (let i = 0; i < lower.length; i++) {
    const code = lower.charCodeAt(i);
    const clue = code < FIRST_CLUE ? undefined : LETTERS.get(code);
    if (clue) add(clue, LETTER_WEIGHT);
  }
  addMarks(lower, scores);
  addSounds(lower, scores);
  return bestOf(scores, words.length >= LONG_TEXT ? words.length * LEAST_SCORE_OF_WORD : LEAST_SCORE);
}

/** Adds the weight of the sounds that tell Croatian from Serbian, where the text may be one of them. */
function addSounds(lower: string, scores: Float64Array): void {
  const most = Math.max(scores[CROATIAN]!, scores[SERBIAN]!);
  if (most === 0 || scores.some((score) => score > most)) return;
  scores[CROATIAN]! += (lower.match(IJEKAVIAN)?.length ?? 0) * AFFIX_WEIGHT;
  scores[SERBIAN]! += (lower.match(EKAVIAN)?.length ?? 0) * AFFIX_WEIGHT;
}

/** The language of the highest score, of several the first by name; `und` if the score is low or that of a language that is no relative is near. */
function bestOf(scores: Float64Array, least: number): string {
  for (const small of SMALL) scores[small]! *= SHARE_OF_SMALL;
  let first = 0;
  for (let i = 1; i < scores.length; i += 1) if (scores[i]! > scores[first]!) first = i;
  let other = 0;
  for (let i = 0; i < scores.length; i += 1)
    if (scores[i]! > other && FAMILIES[i] !== FAMILIES[first]) other = scores[i]!;
  const language = LANGUAGES[first]!;
  const needed = Math.max(least, LEAST_SCORE, SELDOM_SHORT.has(language) ? LEAST_SCORE_OF_SELDOM : 0);
  return scores[first]! < needed || scores[first]! < other * LEAST_LEAD ? "und" : language;
}

function familyOf(language: string): string {
  return RELATIVES[language] ?? language;
}
