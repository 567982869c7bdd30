import { dropArabicPoints, foldAccents } from "./fold.js";
import { type PieceSink, scan } from "./scan.js";
import type { Script } from "./scripts.js";
import { primaryLanguage, type Stemmers, stemLanguage } from "./stemming.js";

/** What a term is: decides how much it counts. */
export type TermKind =
  /** A stem. */
  | "word"
  /** A syllable of a language that writes its words as several, Vietnamese; the pairs of them are its words. */
  | "syllable"
  /** One character of a script without spaces. */
  | "character"
  /** Two neighbouring characters, clusters or syllables. */
  | "pair"
  | "emoji"
  /** What a word would be without its accents, for who types none: marked, so that other accents do not match it. */
  | "variant"
  /** Several words as one: a product code, a host, a hashtag, a handle. */
  | "compound"
  /** Letters or digits inside a word. */
  | "part"
  /** The first or last letters of a longer word, or three letters in a row of an Arabic one: what other forms share. */
  | "affix";

/** Receives the terms of a text, in order. */
export interface TermSink {
  /** `surface` is the word without accents but unstemmed; empty for what is not a word of a spaced script. */
  term(term: string, kind: TermKind, position: number, surface: string): void;
}

/** Marks of a variant and of affixes: no word starts with them. */
const VARIANT = "~";
const [FIRST, LAST, INSIDE] = ["<", ">", "="];
const DIGIT = /\p{N}/u;
const AFFIX_LENGTH = 4;
/** Arabic words are short and change at both ends and inside. */
const ARABIC_LENGTH = 3;

/** Turns the pieces of a document's texts into terms, in the document's language. */
export class DocumentTerms implements PieceSink {
  private language = "und";
  private previous = { syllable: "", position: -2 };

  constructor(
    private readonly stemmers: Stemmers,
    private readonly sink: TermSink,
  ) {}

  /** Reads a text in a language (BCP-47) from a position on; returns the position after it. */
  read(text: string, language: string, position: number): number {
    this.language = primaryLanguage(language);
    this.previous = { syllable: "", position: -2 };
    return scan(text, position, this);
  }

  word(word: string, script: Script, position: number): void {
    const { sink } = this;
    const clean = script === "arabic" ? dropArabicPoints(word) : word;
    if (clean === "") return;
    const surface = foldAccents(clean) || clean;
    if (this.language === "vi" && script === "latin") {
      sink.term(clean, "syllable", position, surface);
      if (surface !== clean) sink.term(variantOf(surface), "variant", position, "");
      if (this.previous.position === position - 1) {
        sink.term(pairOfSyllables(this.previous.syllable, clean), "pair", position - 1, "");
      }
      this.previous = { syllable: clean, position };
      return;
    }
    const { primary, plain } = wordTerms(clean, surface, script, this.language, this.stemmers);
    sink.term(primary, "word", position, surface);
    if (plain !== primary) sink.term(variantOf(plain), "variant", position, "");
    for (const affix of affixesOf(surface, script)) sink.term(affix, "affix", position, "");
  }

  character(character: string, position: number): void {
    this.sink.term(character, "character", position, "");
  }

  pair(pair: string, position: number): void {
    this.sink.term(pair, "pair", position, "");
  }

  compound(term: string, position: number): void {
    this.sink.term(foldAccents(term) || term, "compound", position, "");
  }

  part(part: string, position: number): void {
    this.sink.term(foldAccents(part) || part, "part", position, "");
  }

  emoji(emoji: string, position: number): void {
    this.sink.term(emoji, "emoji", position, "");
  }
}

/** The term of two syllables in a row. */
export function pairOfSyllables(first: string, second: string): string {
  return `${first} ${second}`;
}

/** The terms of a word in one language: as it is written, and as it would be without accents. */
export function wordTerms(
  word: string,
  surface: string,
  script: Script,
  language: string,
  stemmers: Stemmers,
): { primary: string; plain: string } {
  const stem = stemLanguage(script, language);
  const primary = stemmers.stem(word, stem);
  return { primary, plain: surface === word ? primary : stemmers.stem(surface, stem) };
}

/** The affixes of a word without accents, which bring together forms that its stemmer does not; numbers and codes have none. */
export function affixesOf(surface: string, script: Script): string[] {
  if (DIGIT.test(surface)) return [];
  if (script === "arabic") {
    const inside: string[] = [];
    for (let end = ARABIC_LENGTH; end <= surface.length; end += 1) {
      inside.push(INSIDE + surface.slice(end - ARABIC_LENGTH, end));
    }
    return inside;
  }
  if (surface.length <= AFFIX_LENGTH) return [];
  return [FIRST + surface.slice(0, AFFIX_LENGTH), LAST + surface.slice(-AFFIX_LENGTH)];
}

/** Whether an affix stands for what is inside a word: these are features of meaning too, the others have one of their own. */
export function isInside(affix: string): boolean {
  return affix.startsWith(INSIDE);
}

/** The variant form of a term. */
export function variantOf(term: string): string {
  return VARIANT + term;
}
