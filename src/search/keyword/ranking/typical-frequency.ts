import type { LanguageLengths } from "./language-lengths.js";

/** How many documents of average length of a language are as long as one of the typical length; at least 1. */
export function lengthRatio(lengths: LanguageLengths | undefined): number {
  if (lengths === undefined || lengths.length <= 0) return 1;
  return Math.max(1, lengths.typical / (lengths.length / lengths.documents));
}

/**
 * How many documents would hold a term if all of a language were of the typical length: {@link lengthRatio} times fewer ones, of
 * which one holds a term where any of as many average ones does.
 *
 * A lake of many comments and some articles has every word in few of its documents, because most are short: `the` is in every
 * article and in a third of the comments. By a count of documents it would say something, and a comment with the small words of
 * a question would rank above the article that answers it.
 *
 * @param documents those that hold the term
 */
export function typicalFrequency(documents: number, lengths: LanguageLengths | undefined): number {
  const ratio = lengthRatio(lengths);
  if (lengths === undefined || ratio === 1) return documents;
  const without = 1 - Math.min(1, documents / lengths.documents);
  return (lengths.documents / ratio) * (1 - without ** ratio);
}
