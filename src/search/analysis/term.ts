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

/** A term of a text. */
export interface Term {
  readonly text: string;
  readonly kind: TermKind;
  /** The word without accents but unstemmed; empty for what is not a word of a spaced script. */
  readonly surface: string;
  /** The same for terms of the same text, whatever they are; dense, from 0 on. */
  readonly key: number;
}

/** Terms by number. */
export interface NumberedTerms {
  /** The term of a number that was given to a sink. */
  at(number: number): Term;
}

/**
 * Receives the terms of a text, in order, each by its number: dense, from 0 on. The same term may have several numbers; a number
 * is of one term as long as `terms` says so.
 */
export interface TermSink {
  term(number: number, position: number, terms: NumberedTerms): void;
}
