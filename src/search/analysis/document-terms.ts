import { dropArabicPoints, foldAccents } from "./fold.js";
import { type PieceSink, scan } from "./scan.js";
import type { Script } from "./scripts.js";
import { primaryLanguage, type Stemmers } from "./stemming.js";
import type { NumberedTerms, Term, TermKind, TermSink } from "./term.js";
import { affixesOf, pairOfSyllables, variantOf, wordTerms } from "./terms.js";

/** Terms of words: the number of the first, times {@link MOST_TERMS}, plus how many follow one another from it on. */
type Words = Map<string, number>;

/** More than a word has terms: it has at most 100 letters. */
const MOST_TERMS = 128;

/**
 * Turns the pieces of a document's texts into terms, in the document's language. What a word is made into is remembered:
 * texts say the same words again and again.
 */
export class DocumentTerms implements PieceSink, NumberedTerms {
  private language = "und";
  private previous = { syllable: "", position: -2 };
  private readonly terms: Term[] = [];
  private readonly wordsByLanguage = new Map<string, Map<Script, Words>>();
  /** Those of the text's language. */
  private words = new Map<Script, Words>();
  /** Numbers of what is not a word. */
  private readonly others = new Map<TermKind, Map<string, number>>();

  constructor(
    private readonly stemmers: Stemmers,
    private readonly sink: TermSink,
  ) {}

  /** Numbers given out since the last {@link forget}. */
  get size(): number {
    return this.terms.length;
  }

  at(number: number): Term {
    return this.terms[number]!;
  }

  /** Forgets all terms: their numbers will be others'. */
  forget(): void {
    this.wordsByLanguage.clear();
    this.others.clear();
    this.terms.length = 0;
  }

  /** Reads a text in a language (BCP-47) from a position on; returns the position after it. */
  read(text: string, language: string, position: number): number {
    this.language = primaryLanguage(language);
    this.previous = { syllable: "", position: -2 };
    this.words = entryOf(this.wordsByLanguage, this.language, () => new Map());
    return scan(text, position, this);
  }

  word(word: string, script: Script, position: number): void {
    const known = entryOf(this.words, script, () => new Map());
    let terms = known.get(word);
    if (terms === undefined) {
      const first = this.terms.length;
      this.#makeWord(word, script);
      terms = first * MOST_TERMS + this.terms.length - first;
      known.set(word, terms);
    }
    const first = Math.floor(terms / MOST_TERMS);
    const end = first + (terms % MOST_TERMS);
    for (let number = first; number < end; number += 1) this.sink.term(number, position, this);
    if (script === "latin" && this.language === "vi" && end > first) this.#syllable(first, position);
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

  #makeWord(word: string, script: Script): void {
    const clean = script === "arabic" ? dropArabicPoints(word) : word;
    if (clean === "") return;
    const surface = foldAccents(clean) || clean;
    if (this.language === "vi" && script === "latin") {
      this.#make(clean, "syllable", surface);
      if (surface !== clean) this.#make(variantOf(surface), "variant");
      return;
    }
    const { primary, plain } = wordTerms(clean, surface, script, this.language, this.stemmers);
    this.#make(primary, "word", surface);
    if (plain !== primary) this.#make(variantOf(plain), "variant");
    for (const affix of affixesOf(surface, script)) this.#make(affix, "affix");
  }

  #syllable(number: number, position: number): void {
    const syllable = this.terms[number]!.text;
    if (this.previous.position === position - 1)
      this.#other(pairOfSyllables(this.previous.syllable, syllable), "pair", position - 1);
    this.previous = { syllable, position };
  }

  #other(text: string, kind: TermKind, position: number): void {
    const known = entryOf(this.others, kind, () => new Map());
    let number = known.get(text);
    if (number === undefined) {
      number = this.#make(text, kind);
      known.set(text, number);
    }
    this.sink.term(number, position, this);
  }

  #make(text: string, kind: TermKind, surface = ""): number {
    return this.terms.push({ text, kind, surface }) - 1;
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
