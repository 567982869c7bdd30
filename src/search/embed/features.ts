/**
 * A feature of a text, an unsigned 32-bit integer: a 30-bit hash, and the class in the two lowest bits. No
 * strings are kept. Among a million features some hundred collide, which does not affect rankings.
 */
export type Feature = number;

/** Classes of features, which have different weights. */
export const FEATURE_CLASS = {
  /** A term of the text. */
  term: 0,
  /** The first letters of a word, shared by its other forms. */
  prefix: 1,
  /** Two consecutive terms. */
  neighbours: 2,
} as const;

const PREFIX_LENGTH = 5;
const SEED = 0x811c9dc5;
const PRIME = 0x0100_0193;

/** Class of a feature. */
export function classOf(feature: Feature): number {
  return feature & 3;
}

/** The feature of a term. */
export function termFeature(term: string): Feature {
  return seal(hashText(term, term.length), FEATURE_CLASS.term);
}

/** The feature of a word's first letters, or none for a word that has no more. */
export function prefixFeature(surface: string): Feature | undefined {
  if (surface.length <= PREFIX_LENGTH) return undefined;
  return seal(hashText(surface, PREFIX_LENGTH), FEATURE_CLASS.prefix);
}

/** The feature of an affix from inside a word. */
export function affixFeature(affix: string): Feature {
  return seal(hashText(affix, affix.length), FEATURE_CLASS.prefix);
}

/** The feature of two consecutive terms, from their features. */
export function neighbourFeature(first: Feature, second: Feature): Feature {
  return seal(Math.imul(Math.imul(first, PRIME) ^ second, 0x9e37_79b1), FEATURE_CLASS.neighbours);
}

/** Further 32-bit hashes of a feature, by number: they place the entries of its index vector. */
export function rehash(feature: Feature, number: number): number {
  return finish(feature ^ Math.imul(number + 1, 0x9e37_79b1));
}

/** FNV-1a over the UTF-16 code units of the first letters. */
function hashText(text: string, length: number): number {
  let hash = SEED;
  for (let i = 0; i < length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME);
  return hash;
}

/** The finish of MurmurHash3. */
function finish(value: number): number {
  let hash = value;
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85eb_ca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Never 0, which marks free slots of tables. */
function seal(hash: number, kind: number): Feature {
  return ((finish(hash) & ~3) | kind) >>> 0 || 4;
}
