import { foldAccents } from "./fold.js";
import type { Stem } from "./stemming.js";

/** What the forms of a language's words begin and end with. Words have no accents here; lists are separated by spaces. */
export interface EndingRules {
  /** Letters that stay of a word at least. */
  readonly least: number;
  /** Endings that are taken off a word at most, one after another: several where a language strings them together. */
  readonly passes: number;
  readonly endings: string;
  /** What stands for the first letters of a word, as `bh:b`: the longest is taken. */
  readonly fronts?: string;
  /** Vowels that come and go before the last consonant of a stem, as in *pies* and *psa*. */
  readonly fleeting?: string;
  /** Last letters of a stem that count as another, as `k:c`. */
  readonly last?: string;
  /** Letters of another script that the language is written in, too, as `ж:z`. */
  readonly letters?: string;
  /** Whether the endings are those of Snowball's stems: its stemmer comes first. */
  readonly afterSnowball?: boolean;
  /** Whether it is written in Ethiopic syllables, see {@link spellSyllables}. */
  readonly syllables?: boolean;
}

/** {@link EndingRules} for looking up. */
export interface Endings {
  readonly least: number;
  readonly passes: number;
  readonly endings: ReadonlySet<string>;
  readonly longest: number;
  readonly fronts: ReadonlyMap<string, string>;
  readonly longestFront: number;
  readonly fleeting: ReadonlySet<string>;
  readonly last: ReadonlyMap<string, string>;
}

const VOWELS: ReadonlySet<string> = new Set("aeiouyаеиоуыэюяіїєё");

/** Makes a stemmer of the endings of a language. The inflection of nouns, adjectives and verbs is taken off; what words are derived with stays. */
export function lightStemmer(rules: EndingRules): Stem {
  const endings = readEndings(rules);
  const letters = pairsOf(rules.letters);
  return (word) => {
    const folded = foldAccents(word);
    if (rules.syllables) return stemOf(spellSyllables(folded), endings);
    return stemOf(letters.size === 0 ? folded : transliterate(folded, letters), endings);
  };
}

const SYLLABLE = /[\u1200-\u135a]/g;
/** The vowels of the eight forms of an Ethiopic letter, in the order of their codes; the sixth has none. */
const SYLLABLE_VOWELS = ["ə", "u", "i", "a", "e", "", "o", "wa"];
const BARE = 5;

/** Writes Ethiopic syllables as a consonant, which is the letter of the sixth form, and a vowel: an ending changes the vowel of the letter before. */
export function spellSyllables(word: string): string {
  return word.replace(SYLLABLE, (syllable) => {
    const code = syllable.charCodeAt(0);
    return String.fromCharCode((code & ~7) | BARE) + SYLLABLE_VOWELS[code & 7];
  });
}

/** Reads the rules of a language. */
export function readEndings(rules: EndingRules): Endings {
  const endings = listOf(rules.endings);
  const fronts = pairsOf(rules.fronts);
  return {
    least: rules.least,
    passes: rules.passes,
    endings: new Set(endings),
    longest: longestOf(endings),
    fronts,
    longestFront: longestOf([...fronts.keys()]),
    fleeting: new Set(rules.fleeting ?? ""),
    last: pairsOf(rules.last),
  };
}

/** The stem of a word without accents. */
export function stemOf(word: string, rules: Endings): string {
  let stem = withoutFront(word, rules);
  for (let pass = 0; pass < rules.passes; pass += 1) {
    const shorter = withoutEnding(stem, rules);
    if (shorter === stem) break;
    stem = shorter;
  }
  const before = stem.at(-2) ?? "";
  const isFleeting = stem.length > rules.least && rules.fleeting.has(before);
  if (isFleeting && !VOWELS.has(stem.at(-1)!) && !VOWELS.has(stem.at(-3) ?? "a"))
    stem = stem.slice(0, -2) + stem.at(-1);
  const last = rules.last.get(stem.at(-1) ?? "");
  return last === undefined ? stem : stem.slice(0, -1) + last;
}

function withoutFront(word: string, { fronts, longestFront, least }: Endings): string {
  for (let length = Math.min(longestFront, word.length - least); length > 0; length -= 1) {
    const instead = fronts.get(word.slice(0, length));
    if (instead !== undefined) return instead + word.slice(length);
  }
  return word;
}

function withoutEnding(word: string, { endings, longest, least }: Endings): string {
  for (let length = Math.min(longest, word.length - least); length > 0; length -= 1)
    if (endings.has(word.slice(-length))) return word.slice(0, -length);
  return word;
}

function transliterate(word: string, letters: ReadonlyMap<string, string>): string {
  return Array.from(word, (letter) => letters.get(letter) ?? letter).join("");
}

function listOf(text: string | undefined): string[] {
  return (text ?? "").split(" ").filter((each) => each !== "");
}

function pairsOf(text: string | undefined): Map<string, string> {
  return new Map(listOf(text).map((pair): [string, string] => [pair.split(":")[0]!, pair.split(":")[1]!]));
}

function longestOf(texts: readonly string[]): number {
  return texts.reduce((longest, { length }) => Math.max(longest, length), 0);
}
