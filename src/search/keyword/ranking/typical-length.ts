import { SEARCH_DEFAULTS } from "../../defaults.js";

const { longWeight, alikeSpread, mixedSpread, mostTypical } = SEARCH_DEFAULTS.keyword;

/** Sums over the documents of a language, of lengths in half words. */
export interface LengthTotals {
  readonly documents: number;
  readonly length: number;
  /** Sum of squared lengths: divided by the sum of lengths, the length of the document in which an average word is found. */
  readonly squares: number;
  /** Documents from a share of that length on. */
  readonly longDocuments: number;
  readonly longLength: number;
  /** Documents from that length on. */
  readonly longestDocuments: number;
  readonly longestLength: number;
}

/**
 * The length that the documents of a language are measured by, in half words: their average, but no less than most of the average of
 * the long ones. A lake holds comments and articles of one language; measured by the average of both, an article with a whole answer
 * would rank below a comment with one word of it.
 *
 * The more the lengths differ, the nearer it is to the average of the longest documents, up to some times the average of all. How much
 * they differ is the length at which an average word is found, over the average length: 1 and the squared coefficient of variation.
 * It is about 1.2 for passages of one kind, and 1.5 to 8 where posts, comments and articles are mixed.
 */
export function typicalLength(totals: LengthTotals): number {
  const { documents, length, squares } = totals;
  if (documents === 0 || length === 0) return 0;
  const average = length / documents;
  const least = Math.max(average, longWeight * meanOf(totals.longLength, totals.longDocuments));
  const longest = Math.min(mostTypical * average, meanOf(totals.longestLength, totals.longestDocuments));
  const spread = squares / length / average;
  const mixed = Math.max(0, Math.min(1, (spread - alikeSpread) / (mixedSpread - alikeSpread)));
  return least + mixed * Math.max(0, longest - least);
}

function meanOf(length: number, documents: number): number {
  return documents === 0 ? 0 : length / documents;
}
