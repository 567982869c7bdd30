import { SEARCH_DEFAULTS } from "../defaults.js";
import { lettersBeyondAscii } from "./alphabets.js";
import { foldAccents, unifySpelling } from "./fold.js";
import { questionLanguages } from "./question-words.js";
import type { Script } from "./scripts.js";
import { type StemLanguage, type Stemmers, stemLanguage } from "./stemming.js";
import { affixesOf, stemmedTerms, variantOf } from "./terms.js";
import { WordForms } from "./word-forms.js";

/** A word of a query, in the form of each language of an index. */
export interface QueryWord {
  /** The word in one spelling; empty where nothing of it is left, and then the rest says nothing. */
  readonly clean: string;
  /** It without accents. */
  readonly surface: string;
  readonly forms: WordForms;
  /** The forms' texts, sorted. */
  readonly alternatives: readonly string[];
  /** Each affix, as the only alternative of a term. */
  readonly affixes: readonly (readonly string[])[];
  readonly letters: readonly string[] | undefined;
  /** As of {@link questionLanguages}. */
  readonly questionIn: readonly string[];
}

/**
 * Reads words of queries for an index whose documents are in some languages, and remembers them: queries have most of their words in
 * common, and each is stemmed in every language.
 */
export class QueryWords {
  private readonly known = new Map<Script, Map<string, QueryWord>>();
  private readonly stemmed = new Map<Script, ReadonlySet<StemLanguage>>();
  private remembered = 0;

  /** @param languages primary subtags; all that `stemmers` has loaded when the first word is read */
  constructor(
    private readonly languages: readonly string[],
    private readonly stemmers: Stemmers,
  ) {}

  /** Reads a normalised word. */
  read(word: string, script: Script): QueryWord {
    let ofScript = this.known.get(script);
    const known = ofScript?.get(word);
    if (known !== undefined) return known;
    const read = this.analyse(word, script, []);
    if (this.remembered >= SEARCH_DEFAULTS.rememberedWords) {
      this.known.clear();
      this.remembered = 0;
      ofScript = undefined;
    }
    if (ofScript === undefined) {
      ofScript = new Map();
      this.known.set(script, ofScript);
    }
    ofScript.set(word, read);
    this.remembered += 1;
    return read;
  }

  /** As {@link QueryWords.read}, of a word that is in other forms, too: those of languages without a stemmer. */
  readWith(word: string, script: Script, others: readonly string[]): QueryWord {
    return this.analyse(word, script, others);
  }

  private analyse(word: string, script: Script, others: readonly string[]): QueryWord {
    const clean = unifySpelling(word, script);
    const surface = foldAccents(clean) || clean;
    const forms = new WordForms(script, this.languages);
    if (clean === "")
      return { clean, surface, forms, alternatives: [], affixes: [], letters: undefined, questionIn: [] };
    for (const each of others) forms.add(each, "none");
    for (const language of this.stemLanguages(script)) {
      const { primary, plain } = stemmedTerms(clean, surface, language, this.stemmers);
      forms.add(primary, language);
      forms.add(surface === clean ? variantOf(primary) : plain, language);
      // Lakes that were built before spellings of Devanagari were unified have words as they were written.
      if (clean !== word && script === "devanagari") forms.add(this.stemmers.stem(word, language), language);
    }
    return {
      clean,
      surface,
      forms,
      alternatives: forms.texts(),
      affixes: affixesOf(surface, script).map((affix) => [affix]),
      letters: script === "latin" ? lettersOf(clean, surface) : undefined,
      questionIn: questionLanguages(clean),
    };
  }

  /** Those of the languages in which words of a script are stemmed differently. */
  private stemLanguages(script: Script): ReadonlySet<StemLanguage> {
    let found = this.stemmed.get(script);
    if (found === undefined) {
      found = new Set(this.languages.map((language) => stemLanguage(script, language)));
      this.stemmed.set(script, found);
    }
    return found;
  }
}

/** Letters of a Latin word that not all languages write, which tell its language; undefined if all do. */
export function lettersOf(word: string, surface: string): readonly string[] | undefined {
  return word === surface ? undefined : lettersBeyondAscii(word);
}
