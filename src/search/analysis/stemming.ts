import type { ENDINGS } from "./endings.js";
import { foldAccents } from "./fold.js";
import type { EndingRules } from "./light-stemmer.js";
import type { Script } from "./scripts.js";

/** Reduces a lower-case word to its stem. */
export type Stem = (word: string) => string;

/**
 * Languages with a stemmer of Snowball, each with its script. For ar, en, es, hi, ru and tr stemming ranked better
 * than whole words in our measurements (scripts/bench/RESULTS.md); for the others it is established in the CLEF
 * evaluations.
 */
const LANGUAGES = {
  ar: ["arabic", () => import("@orama/stemmers/arabic")],
  en: ["latin", () => import("@orama/stemmers/english")],
  es: ["latin", () => import("@orama/stemmers/spanish")],
  fr: ["latin", () => import("@orama/stemmers/french")],
  hi: ["devanagari", () => import("@orama/stemmers/indian")],
  id: ["latin", () => import("@orama/stemmers/indonesian")],
  it: ["latin", () => import("@orama/stemmers/italian")],
  pt: ["latin", () => import("@orama/stemmers/portuguese")],
  ru: ["cyrillic", () => import("@orama/stemmers/russian")],
  tr: ["latin", () => import("@orama/stemmers/turkish")],
} as const satisfies Record<string, readonly [Script, () => Promise<{ stemmer: Stem }>]>;

/** Stemmers of Snowball that languages of {@link LIGHT} had before 0.2.0: words of lakes made before are found by them. */
const FORMER: Partial<Record<StemLanguage, () => Promise<{ stemmer: Stem }>>> = {
  da: () => import("@orama/stemmers/danish"),
  de: () => import("@orama/stemmers/german"),
  el: () => import("@orama/stemmers/greek"),
  fi: () => import("@orama/stemmers/finnish"),
  hu: () => import("@orama/stemmers/hungarian"),
  nl: () => import("@orama/stemmers/dutch"),
  no: () => import("@orama/stemmers/norwegian"),
  ro: () => import("@orama/stemmers/romanian"),
  sv: () => import("@orama/stemmers/swedish"),
};

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
  da: ["da", "latin"],
  de: ["de", "latin"],
  el: ["el", "greek"],
  et: ["et", "latin"],
  eu: ["eu", "latin"],
  fa: ["fa", "arabic"],
  fi: ["fi", "latin"],
  fo: ["fo", "latin"],
  ga: ["ga", "latin"],
  gd: ["gd", "latin"],
  gl: ["gl", "latin"],
  he: ["he", "other"],
  hr: ["hr", "latin"],
  hu: ["hu", "latin"],
  hy: ["hy", "other"],
  is: ["is", "latin"],
  ka: ["ka", "other"],
  kk: ["kk", "cyrillic"],
  ky: ["ky", "cyrillic"],
  lt: ["lt", "latin"],
  lv: ["lv", "latin"],
  mk: ["bg", "cyrillic"],
  ml: ["ml", "other"],
  mn: ["mn", "cyrillic"],
  mr: ["mr", "devanagari"],
  nl: ["nl", "latin"],
  no: ["no", "latin"],
  pl: ["pl", "latin"],
  ro: ["ro", "latin"],
  sk: ["sk", "latin"],
  sl: ["sl", "latin"],
  sq: ["sq", "latin"],
  sr: ["hr", "latin", "cyrillic"],
  sv: ["sv", "latin"],
  ta: ["ta", "other"],
  uk: ["uk", "cyrillic"],
  ur: ["ur", "arabic"],
  uz: ["uz", "latin"],
};

/** Languages without a stemmer whose script others share. */
const UNSTEMMED: readonly (readonly [Script, string])[] = [
  ["latin", "ca ms sw tl vi"],
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
  private readonly stems = new Map<StemLanguage, Stem>();
  private readonly before = new Map<StemLanguage, Stem>();
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
        const former = await FORMER[stemmer]?.();
        const before = former === undefined ? undefined : folding(former.stemmer);
        if (before !== undefined) this.before.set(stemmer, before);
        this.stems.set(stemmer, folding(await loadStemmer(stemmer, before)));
      }),
    );
  }

  /**
   * Stems a lower-case word and folds accents afterwards; without a stemmer returns the word.
   * @throws RangeError for a language that was not loaded.
   */
  stem(word: string, language: StemLanguage): string {
    if (language === "none") return word;
    const stem = this.stems.get(language);
    if (stem === undefined && this.isPartial) return word;
    if (stem === undefined) throw new RangeError(`the stemmer of ${language} is not loaded`);
    return stem(word);
  }

  /**
   * A lower-case word as lakes of before 0.2.0 have it, where its stemmer is newer: by the one that the language had, or as it is written.
   * Undefined where they have it as lakes do now.
   */
  formerStem(word: string, language: StemLanguage): string | undefined {
    if (language === "none" || isSnowball(language)) return undefined;
    const stem = this.before.get(language);
    return stem === undefined ? word : stem(word);
  }
}

/** A stemmer that folds accents afterwards, and remembers words. */
function folding(stem: Stem): Stem {
  const cache = new Map<string, string>();
  return (word) => {
    let folded = cache.get(word);
    if (folded === undefined) {
      folded = foldAccents(stem(word)) || word;
      if (cache.size >= MAX_CACHED) cache.clear();
      cache.set(word, folded);
    }
    return folded;
  };
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

/** The stemmer of a language's own words. */
function stemmerOf(language: string): StemLanguage {
  const [stemmer = "none"] = OWN.get(language)?.values() ?? [];
  return stemmer;
}

async function loadStemmer(stemmer: Exclude<StemLanguage, "none">, before: Stem | undefined): Promise<Stem> {
  if (isSnowball(stemmer)) {
    const [, load] = LANGUAGES[stemmer];
    return (await load()).stemmer;
  }
  const [{ ENDINGS }, { lightStemmer }] = await Promise.all([
    import("./endings.js"),
    import("./light-stemmer.js"),
  ]);
  const rules: EndingRules = ENDINGS[stemmer];
  const stem = lightStemmer(rules);
  return rules.afterSnowball && before !== undefined ? (word) => stem(before(word)) : stem;
}

function isSnowball(stemmer: string): stemmer is keyof typeof LANGUAGES {
  return Object.hasOwn(LANGUAGES, stemmer);
}
