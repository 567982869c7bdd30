import { dropArabicPoints, foldAccents } from "./fold.js";
import { type PieceSink, scan } from "./scan.js";
import type { Script } from "./scripts.js";
import { primaryLanguage, type Stemmers } from "./stemming.js";
import type { Term, TermKind, TermSink } from "./term.js";
import { affixesOf, pairOfSyllables, variantOf, wordTerms } from "./terms.js";

type WordsByScript = Map<Script, Map<string, readonly Term[]>>;

/**
 * Turns the pieces of a document's texts into terms, in the document's language. What a word is made into is remembered:
 * texts say the same words again and again.
 */
export class DocumentTerms implements PieceSink {
  private language = "und";
  private previous = { syllable: "", position: -2 };
  private given = 0;
  private readonly wordsByLanguage = new Map<string, WordsByScript>();
  /** Those of the text's language. */
  private words: WordsByScript = new Map();
  private readonly others = new Map<TermKind, Map<string, Term>>();

  constructor(
    private readonly stemmers: Stemmers,
    private readonly sink: TermSink,
  ) {}

  /** Numbers given out since the last {@link forget}. */
  get size(): number {
    return this.given;
  }

  /** Forgets all terms: their numbers will be others'. */
  forget(): void {
    this.wordsByLanguage.clear();
    this.others.clear();
    this.given = 0;
  }

  /** Reads a text in a language (BCP-47) from a position on; returns the position after it. */
  read(text: string, language: string, position: number): number {
    this.language = primaryLanguage(language);
    this.previous = { syllable: "", position: -2 };
    this.words = entryOf(this.wordsByLanguage, this.language, () => new Map());
    return scan(text, position, this);
  }

  word(word: string, script: Script, position: number): void {
    const { sink } = this;
    const known = entryOf(this.words, script, () => new Map<string, readonly Term[]>());
    let terms = known.get(word);
    if (terms === undefined) {
      terms = this.#termsOf(word, script);
      known.set(word, terms);
    }
    for (const term of terms) sink.term(term, position);
    if (terms[0]?.kind !== "syllable") return;
    const syllable = terms[0].text;
    if (this.previous.position === position - 1)
      this.#other(pairOfSyllables(this.previous.syllable, syllable), "pair", position - 1);
    this.previous = { syllable, position };
  }

  character(character: string, position: number): void {
    this.#other(character, "character", position);
  }

  pair(pair: string, position: number): void {
    this.#other(pair, "pair", position);
  }

  compound(term: string, position: number): void {
    this.#other(foldAccents(term) || term, "compound", position);
  }

  part(part: string, position: number): void {
    this.#other(foldAccents(part) || part, "part", position);
  }

  emoji(emoji: string, position: number): void {
    this.#other(emoji, "emoji", position);
  }

  #termsOf(word: string, script: Script): Term[] {
    const clean = script === "arabic" ? dropArabicPoints(word) : word;
    if (clean === "") return [];
    const surface = foldAccents(clean) || clean;
    if (this.language === "vi" && script === "latin") {
      const syllable = this.#make(clean, "syllable", surface);
      return surface === clean ? [syllable] : [syllable, this.#make(variantOf(surface), "variant")];
    }
    const { primary, plain } = wordTerms(clean, surface, script, this.language, this.stemmers);
    const terms = [this.#make(primary, "word", surface)];
    if (plain !== primary) terms.push(this.#make(variantOf(plain), "variant"));
    for (const affix of affixesOf(surface, script)) terms.push(this.#make(affix, "affix"));
    return terms;
  }

  #other(text: string, kind: TermKind, position: number): void {
    const known = entryOf(this.others, kind, () => new Map<string, Term>());
    let term = known.get(text);
    if (term === undefined) {
      term = this.#make(text, kind);
      known.set(text, term);
    }
    this.sink.term(term, position);
  }

  #make(text: string, kind: TermKind, surface = ""): Term {
    return { number: this.given++, text, kind, surface };
  }
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
