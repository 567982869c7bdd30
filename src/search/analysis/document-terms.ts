import { foldAccents, unifySpelling } from "./fold.js";
import { Joints } from "./joints.js";
import { PairTable } from "./pair-table.js";
import { type PieceSink, scan } from "./scan.js";
import type { Script } from "./scripts.js";
import { simplifiedCharacters } from "./simplified-characters.js";
import { primaryLanguage, type Stemmers } from "./stemming.js";
import type { NumberedTerms, Term, TermKind, TermSink } from "./term.js";
import { TermTable } from "./term-table.js";
import { affixesOf, pairOfSyllables, variantOf, wordTerms } from "./terms.js";
import { newerTone } from "./vietnamese-tones.js";

/**
 * Turns the pieces of a document's texts into terms, in the document's language. Terms are cached by text,
 * since texts repeat words.
 */
export class DocumentTerms implements PieceSink, NumberedTerms {
  private language = "und";
  /** The number of the syllable before, and its position. */
  private previous = { syllable: 0, position: -2 };
  private readonly joints = new Joints();
  private readonly terms: Term[] = [];
  /** By text: the key of its terms, see {@link Term}. */
  private readonly keys = new Map<string, number>();
  /** Terms of words by script, of each language. */
  private readonly languages = new Map<string, Map<Script, TermTable>>();
  /** Terms of words in the language of the current text. */
  private words = new Map<Script, TermTable>();
  private latin = new TermTable();
  /** Terms of pieces that are not words. */
  private readonly others = new Map<TermKind, TermTable>();
  /** Terms of two consecutive syllables, by their numbers. */
  private syllables = new PairTable();

  constructor(
    private readonly stemmers: Stemmers,
    private readonly sink: TermSink,
  ) {}

  /** Numbers assigned since the last {@link forget}. */
  get size(): number {
    return this.terms.length;
  }

  at(number: number): Term {
    return this.terms[number]!;
  }

  /** Clears the cache; numbers restart. */
  forget(): void {
    this.languages.clear();
    this.others.clear();
    this.syllables = new PairTable();
    this.keys.clear();
    this.terms.length = 0;
  }

  /** Reads a text in a language (BCP-47), with positions from `position` on; returns the next position. */
  read(text: string, language: string, position: number): number {
    this.language = primaryLanguage(language);
    this.previous = { syllable: 0, position: -2 };
    this.joints.begin();
    this.words = entryOf(this.languages, this.language, () => new Map());
    this.latin = entryOf(this.words, "latin", () => new TermTable());
    // Japanese keeps characters apart that Chinese simplifies to one.
    return scan(this.language === "ja" ? text : simplifiedCharacters(text), position, this);
  }

  word(text: string, start: number, end: number, script: Script, position: number): void {
    this.joints.before(text, start, end, position + 1);
    const table = script === "latin" ? this.latin : entryOf(this.words, script, () => new TermTable());
    let slot = table.find(text, start, end);
    if (slot < 0) {
      const first = this.terms.length;
      this.makeWord(text.slice(start, end), script);
      slot = table.add(text, start, end, first, this.terms.length - first);
    }
    const first = table.firstOf(slot);
    const last = first + table.countOf(slot);
    for (let number = first; number < last; number += 1) this.sink.term(number, position, this);
    if (script === "latin" && this.language === "vi" && last > first) this.syllable(first, position);
  }

  character(text: string, start: number, end: number, position: number): void {
    this.other(text, start, end, "character", position);
  }

  pair(text: string, start: number, end: number, position: number): void {
    this.other(text, start, end, "pair", position);
  }

  unit(text: string, start: number, end: number, position: number): void {
    this.other(text, start, end, "variant", position);
  }

  hangul(syllables: readonly string[], position: number): void {
    const joint = this.joints.meet(syllables, position);
    if (joint !== undefined) this.whole(joint, "joint", position - 1);
  }

  compound(term: string, position: number): void {
    this.whole(foldAccents(term) || term, "compound", position);
  }

  part(part: string, position: number): void {
    this.whole(foldAccents(part) || part, "part", position);
  }

  emoji(emoji: string, position: number): void {
    this.whole(emoji, "emoji", position);
  }

  private makeWord(word: string, script: Script): void {
    const clean = unifySpelling(word, script);
    if (clean === "") return;
    const surface = foldAccents(clean) || clean;
    if (this.language === "vi" && script === "latin") {
      this.make(newerTone(clean), "syllable", surface);
      if (surface !== clean) this.make(variantOf(surface), "variant");
      return;
    }
    const { primary, plain } = wordTerms(clean, surface, script, this.language, this.stemmers);
    this.make(primary, "word", surface);
    if (plain !== primary) this.make(variantOf(plain), "variant");
    for (const affix of affixesOf(surface, script)) this.make(affix, "affix");
  }

  private syllable(syllable: number, position: number): void {
    const { previous, syllables } = this;
    if (previous.position === position - 1) {
      let number = syllables.get(previous.syllable, syllable);
      if (number < 0) {
        const text = pairOfSyllables(this.terms[previous.syllable]!.text, this.terms[syllable]!.text);
        number = this.make(text, "pair");
        syllables.set(previous.syllable, syllable, number);
      }
      this.sink.term(number, position - 1, this);
    }
    previous.syllable = syllable;
    previous.position = position;
  }

  private whole(text: string, kind: TermKind, position: number): void {
    this.other(text, 0, text.length, kind, position);
  }

  private other(text: string, start: number, end: number, kind: TermKind, position: number): void {
    const table = entryOf(this.others, kind, () => new TermTable());
    let slot = table.find(text, start, end);
    if (slot < 0) slot = table.add(text, start, end, this.make(text.slice(start, end), kind), 1);
    this.sink.term(table.firstOf(slot), position, this);
  }

  private make(text: string, kind: TermKind, surface = ""): number {
    const key = entryOf(this.keys, text, () => this.keys.size);
    return this.terms.push({ text, kind, surface, key }) - 1;
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
