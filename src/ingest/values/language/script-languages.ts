import { classifyLanguage } from "./language-classifier.js";

/** Letters that only one language of a script has, which the classifier does not know. */
interface Sign {
  readonly language: string;
  readonly found: RegExp;
  /** Letters of which a text of it has one each. */
  readonly beside: readonly RegExp[];
  /** Letters that it does not have. */
  readonly unless?: RegExp;
}

/** Share of a text's letters that a sign needs: names and quotations of other languages do not reach it. */
const SIGN_SHARE = 0.02;

const SIGNS: Readonly<Record<string, readonly Sign[]>> = {
  Cyrillic: [
    { language: "ba", found: /[ҡҙҫ]/giu, beside: [/[ҡҙ]/iu] },
    { language: "az-Cyrl", found: /[ҝҹәғ]/giu, beside: [/[ҝҹ]/iu] },
    { language: "uz-Cyrl", found: /[ўҳқғ]/giu, beside: [/ў/iu, /[ҳқғ]/iu], unless: /[іә]/iu },
  ],
  Arabic: [{ language: "sd", found: /[ڄڃٺٽڦڇڊڌڏڙڪڳڱڻ۾۽ٿڀ]/g, beside: [] }],
};

const languages = (tags: string): ReadonlySet<string> => new Set(tags.split(" "));

/** Scripts beside Latin that several languages share, and those of them that the classifier knows. */
const LANGUAGES: Readonly<Record<string, ReadonlySet<string>>> = {
  Cyrillic: languages("be bg cv kk ky mk mn ru sah sr tg tt uk"),
  Arabic: languages("ar ckb fa ps ug ur"),
  Devanagari: languages("hi mr ne"),
  he: languages("he yi"),
  bn: languages("as bn"),
  am: languages("am ti"),
};
const NOT_LATIN = new Set(Object.values(LANGUAGES).flatMap((tags) => [...tags]));

/** What an undecided text is taken for, where most of a script is in one language. */
const USUAL: Readonly<Record<string, string>> = {
  Cyrillic: "ru",
  Arabic: "ar",
  Devanagari: "hi",
  he: "he",
  bn: "bn",
  am: "am",
};

/** Letters of a text that are enough for a language to need no more than the least share, which relatives, such as Croatian and Serbian, reach. */
const ENOUGH_LETTERS = 24;
const LEAST_SHARE = 0.35;
/** Letters up to which a text says nothing, `ok` or `haha`, and the least share beyond them. */
const TOO_FEW_LETTERS = 4;
const LEAST_SHARE_OF_FEW = 0.98;

/**
 * Tells the language of a text in a script.
 * @param script name of the script, or the language that alone or mostly is written in it
 * @param letters how many letters of the script the text has
 * @returns `und` if undecided
 */
export function languageInScript(script: string, text: string, letters: number): string {
  const least = Math.max(1, letters * SIGN_SHARE);
  for (const { language, found, beside, unless } of SIGNS[script] ?? [])
    if (count(text, found) >= least && beside.every((letter) => letter.test(text)) && !unless?.test(text))
      return language;
  const known = LANGUAGES[script];
  if (known === undefined && script !== "Latin") return script;
  const { language, share } = classifyLanguage(text, (tag) => known?.has(tag) ?? !NOT_LATIN.has(tag));
  if (language === "und" || share >= leastShare(letters)) return language;
  return USUAL[script] ?? "und";
}

/** Least share of the languages together that a language needs in a text of so many letters. */
function leastShare(letters: number): number {
  if (letters <= TOO_FEW_LETTERS) return Number.POSITIVE_INFINITY;
  const few = Math.max(0, (ENOUGH_LETTERS - letters) / (ENOUGH_LETTERS - TOO_FEW_LETTERS));
  return LEAST_SHARE + (LEAST_SHARE_OF_FEW - LEAST_SHARE) * few;
}

function count(text: string, found: RegExp): number {
  return text.match(found)?.length ?? 0;
}
