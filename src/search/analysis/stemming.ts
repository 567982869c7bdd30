import { foldAccents } from "./fold.js";
import type { Script } from "./scripts.js";

/** Reduces a lower-case word to its stem. */
export type Stem = (word: string) => string;

/**
 * Stemmed languages, each with its script. For ar, de, el, en, es, hi, ro, ru and tr stemming ranked better
 * than whole words in our measurements (scripts/bench/RESULTS.md); for the others it is established in the CLEF
 * evaluations.
 */
const LANGUAGES = {
  ar: ["arabic", () => import("@orama/stemmers/arabic")],
  da: ["latin", () => import("@orama/stemmers/danish")],
  de: ["latin", () => import("@orama/stemmers/german")],
  el: ["greek", () => import("@orama/stemmers/greek")],
  en: ["latin", () => import("@orama/stemmers/english")],
  es: ["latin", () => import("@orama/stemmers/spanish")],
  fi: ["latin", () => import("@orama/stemmers/finnish")],
  fr: ["latin", () => import("@orama/stemmers/french")],
  hi: ["devanagari", () => import("@orama/stemmers/indian")],
  hu: ["latin", () => import("@orama/stemmers/hungarian")],
  id: ["latin", () => import("@orama/stemmers/indonesian")],
  it: ["latin", () => import("@orama/stemmers/italian")],
  nl: ["latin", () => import("@orama/stemmers/dutch")],
  no: ["latin", () => import("@orama/stemmers/norwegian")],
  pt: ["latin", () => import("@orama/stemmers/portuguese")],
  ro: ["latin", () => import("@orama/stemmers/romanian")],
  ru: ["cyrillic", () => import("@orama/stemmers/russian")],
  sv: ["latin", () => import("@orama/stemmers/swedish")],
  tr: ["latin", () => import("@orama/stemmers/turkish")],
} as const satisfies Record<string, readonly [Script, () => Promise<{ stemmer: Stem }>]>;

/** A language that is stemmed, or `none`. */
export type StemLanguage = keyof typeof LANGUAGES | "none";

/** The stemmer's language for words of a script inside text of another language. */
const LANGUAGE_OF_SCRIPT: Partial<Record<Script, StemLanguage>> = {
  latin: "en",
  cyrillic: "ru",
  greek: "el",
  arabic: "ar",
  devanagari: "hi",
};

/** The script of each language that shares it with others. */
const SCRIPT_OF_LANGUAGE: ReadonlyMap<string, Script> = new Map([
  ...Object.entries(LANGUAGES).map(([language, [script]]): [string, Script] => [language, script]),
  ..."af az bs ca cs et eu ga hr is lt lv ms pl sk sl sq sw tl uz vi"
    .split(" ")
    .map((language): [string, Script] => [language, "latin"]),
  ..."be bg kk mk mn sr uk".split(" ").map((language): [string, Script] => [language, "cyrillic"]),
  ..."fa ps ug ur".split(" ").map((language): [string, Script] => [language, "arabic"]),
  ..."mr ne sa".split(" ").map((language): [string, Script] => [language, "devanagari"]),
]);

const MAX_CACHED = 200_000;

/** The stemmers of an index, loaded once for its languages. */
export class Stemmers {
  private readonly stems = new Map<StemLanguage, { stem: Stem; cache: Map<string, string> }>();
  private isPartial = false;

  /**
   * Loads the stemmers of more languages, and those for foreign words. Languages without a stemmer are ignored.
   * @param scripts `ascii`: no text that is indexed has other characters, so only English stands for foreign words. A word of another
   * script, which a query may have, then stays as it is; no document has it.
   */
  async load(languages: Iterable<string>, scripts: "all" | "ascii" = "all"): Promise<void> {
    const foreign = scripts === "ascii" ? ["en"] : ["en", "ru", "el", "ar", "hi"];
    this.isPartial = scripts === "ascii";
    const wanted = new Set([...languages, ...foreign].map(primaryLanguage));
    await Promise.all(
      [...wanted].map(async (language) => {
        if (!isStemmed(language) || this.stems.has(language)) return;
        const [, load] = LANGUAGES[language];
        const { stemmer } = await load();
        this.stems.set(language, { stem: stemmer, cache: new Map() });
      }),
    );
  }

  /**
   * Stems a lower-case word and folds accents afterwards; without a stemmer returns the word.
   * @throws RangeError for a language that was not loaded.
   */
  stem(word: string, language: StemLanguage): string {
    if (language === "none") return word;
    const entry = this.stems.get(language);
    if (entry === undefined && this.isPartial) return word;
    if (entry === undefined) throw new RangeError(`the stemmer of ${language} is not loaded`);
    let stem = entry.cache.get(word);
    if (stem === undefined) {
      stem = foldAccents(entry.stem(word)) || word;
      if (entry.cache.size >= MAX_CACHED) entry.cache.clear();
      entry.cache.set(word, stem);
    }
    return stem;
  }
}

/** Returns the primary subtag of a BCP-47 tag, macrolanguages unified (`nb` and `nn` are `no`). */
export function primaryLanguage(tag: string): string {
  const dash = tag.indexOf("-");
  const primary = (dash === -1 ? tag : tag.slice(0, dash)).toLowerCase();
  return primary === "nb" || primary === "nn" ? "no" : primary === "in" ? "id" : primary;
}

/** The language whose stemmer applies to a word of a script in a text of a language. */
export function stemLanguage(script: Script, language: string): StemLanguage {
  if (SCRIPT_OF_LANGUAGE.get(language) === script) return isStemmed(language) ? language : "none";
  return LANGUAGE_OF_SCRIPT[script] ?? "none";
}

function isStemmed(language: string): language is keyof typeof LANGUAGES {
  return Object.hasOwn(LANGUAGES, language);
}
