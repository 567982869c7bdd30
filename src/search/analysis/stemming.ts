import type { ENDINGS } from "./endings.js";
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

/**
 * Languages stemmed by their endings, see {@link lightStemmer}, with the scripts they are written in. Bosnian, Croatian and Serbian have
 * the same ones, Macedonian those of Bulgarian.
 */
const LIGHT: Readonly<Record<string, readonly [LightLanguage, ...Script[]]>> = {
  af: ["af", "latin"],
  am: ["am", "other"],
  az: ["az", "latin"],
  be: ["be", "cyrillic"],
  bg: ["bg", "cyrillic"],
  bs: ["hr", "latin", "cyrillic"],
  cs: ["cs", "latin"],
  et: ["et", "latin"],
  eu: ["eu", "latin"],
  fa: ["fa", "arabic"],
  fo: ["fo", "latin"],
  ga: ["ga", "latin"],
  gd: ["gd", "latin"],
  gl: ["gl", "latin"],
  he: ["he", "other"],
  hr: ["hr", "latin"],
  hy: ["hy", "other"],
  is: ["is", "latin"],
  ka: ["ka", "other"],
  kk: ["kk", "cyrillic"],
  ky: ["ky", "cyrillic"],
  lt: ["lt", "latin"],
  lv: ["lv", "latin"],
  mk: ["bg", "cyrillic"],
  ml: ["ml", "other"],
  mr: ["mr", "devanagari"],
  pl: ["pl", "latin"],
  sk: ["sk", "latin"],
  sl: ["sl", "latin"],
  sq: ["sq", "latin"],
  sr: ["hr", "latin", "cyrillic"],
  ta: ["ta", "other"],
  uk: ["uk", "cyrillic"],
  ur: ["ur", "arabic"],
  uz: ["uz", "latin"],
};

/** Languages without a stemmer whose script others share. */
const UNSTEMMED: readonly (readonly [Script, string])[] = [
  ["latin", "ca ms sw tl vi"],
  ["cyrillic", "mn"],
  ["arabic", "ps ug"],
  ["devanagari", "ne sa"],
];

type LightLanguage = keyof typeof ENDINGS;

/** A language that is stemmed, or `none`. */
export type StemLanguage = keyof typeof LANGUAGES | LightLanguage | "none";

/** The stemmer's language for words of a script inside text of another language. */
const LANGUAGE_OF_SCRIPT: Partial<Record<Script, StemLanguage>> = {
  latin: "en",
  cyrillic: "ru",
  greek: "el",
  arabic: "ar",
  devanagari: "hi",
};

/** The stemmer of each language for words of its own scripts. */
const OWN: ReadonlyMap<string, ReadonlyMap<Script, StemLanguage>> = new Map([
  ...Object.entries(LANGUAGES).map(([language, [script]]) =>
    own(language, language as StemLanguage, [script]),
  ),
  ...Object.entries(LIGHT).map(([language, [stemmer, ...scripts]]) => own(language, stemmer, scripts)),
  ...UNSTEMMED.flatMap(([script, languages]) =>
    languages.split(" ").map((language) => own(language, "none", [script])),
  ),
]);

function own(
  language: string,
  stemmer: StemLanguage,
  scripts: readonly Script[],
): [string, ReadonlyMap<Script, StemLanguage>] {
  return [language, new Map(scripts.map((script) => [script, stemmer]))];
}

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
        const stemmer = stemmerOf(language);
        if (stemmer === "none" || this.stems.has(stemmer)) return;
        this.stems.set(stemmer, { stem: await loadStemmer(stemmer), cache: new Map() });
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
  return OWN.get(language)?.get(script) ?? LANGUAGE_OF_SCRIPT[script] ?? "none";
}

/** Whether a stemmer is of those that came with 0.2.0: lakes of before have words of its languages as they were written. */
export function isNewStemmer(stemmer: StemLanguage): boolean {
  return stemmer !== "none" && !isSnowball(stemmer);
}

/** The stemmer of a language's own words. */
function stemmerOf(language: string): StemLanguage {
  const [stemmer = "none"] = OWN.get(language)?.values() ?? [];
  return stemmer;
}

async function loadStemmer(stemmer: Exclude<StemLanguage, "none">): Promise<Stem> {
  if (isSnowball(stemmer)) {
    const [, load] = LANGUAGES[stemmer];
    return (await load()).stemmer;
  }
  const [{ ENDINGS }, { lightStemmer }] = await Promise.all([
    import("./endings.js"),
    import("./light-stemmer.js"),
  ]);
  return lightStemmer(ENDINGS[stemmer]);
}

function isSnowball(stemmer: string): stemmer is keyof typeof LANGUAGES {
  return Object.hasOwn(LANGUAGES, stemmer);
}
