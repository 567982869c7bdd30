/** Kinds of terms, which have different weights. */
export type TermKind =
  /** A stem. */
  | "word"
  /** A syllable of a language that writes words as several syllables (Vietnamese); pairs of them are words. */
  | "syllable"
  /** One character of a script without spaces. */
  | "character"
  /** Two neighbouring characters, clusters or syllables. */
  | "pair"
  | "emoji"
  /**
   * A word without its accents, so that queries without accents match; marked, so that other accents do not. Or a syllable or cluster
   * inside a longer run, so that a query of it alone matches; of a query it is the first syllable of a Korean word.
   */
  | "variant"
  /** Several words as one: a product code, host, hashtag or handle. */
  | "compound"
  /** Letters or digits inside a word. */
  | "part"
  /**
   * The first or last letters of a long word, or three consecutive letters of an Arabic one, shared by other
   * forms.
   */
  | "affix"
  /** What stands before a Korean word, with the first syllable of that, see {@link Joints}. */
  | "joint";

/** A term of a text. */
export interface Term {
  readonly text: string;
  readonly kind: TermKind;
  /** The word without accents, unstemmed; empty for other pieces than words of spaced scripts. */
  readonly surface: string;
  /** Equal for terms of equal text, of any kind; dense, from 0 on. */
  readonly key: number;
}

/** Terms by number. */
export interface NumberedTerms {
  /** Returns the term with a number. */
  at(number: number): Term;
}

/**
 * Receives the terms of a text, in order, each by its number (dense, from 0 on). Several numbers can mean the
 * same term. `terms` resolves numbers.
 */
export interface TermSink {
  term(number: number, position: number, terms: NumberedTerms): void;
}
