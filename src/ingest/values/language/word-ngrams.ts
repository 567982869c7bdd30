/** Letters without a digit beside them, as the `s` of `8s` is a unit, no word; and the signs that begin a sentence in Spanish. */
const WORD = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*(?![\p{L}\p{M}\p{N}])|[¿¡]/gu;

/** Words that are read of a text: of a longer one as many, evenly spaced, so that a long text costs no more. */
const MOST_WORDS = 250;
/** Letters that are read of a word, its two boundaries among them. */
const MOST_LETTERS = 40;
/** Letters of the longest run. */
const LONGEST = 4;

/** FNV-1a, and a factor that brings its lower bits, which differ most, to the upper ones. */
const PRIME = 0x01000193;
const FIRST = 0x811c9dc5;
/** Start of a word's hash as a whole, so that it has another bucket than the run of the same letters. */
const FIRST_OF_WORD = 0x2545f491;
const SPREAD = 0x9e3779b1;
const ASCII_END = 128;

/**
 * Calls `add` with the bucket of everything that a text is classified by: its words, and of each the runs of two to four letters with
 * its boundaries, and single letters that are not ASCII. The same bucket comes as often as it is found.
 * Source: Joulin et al., Bag of Tricks for Efficient Text Classification, 2016 (hashed n-grams).
 * @param bits there are 2^bits buckets
 */
export function forEachNgram(text: string, bits: number, add: (bucket: number) => void): void {
  const shift = 32 - bits;
  const words = text.toLowerCase().match(WORD) ?? [];
  const step = Math.max(1, words.length / MOST_WORDS);
  for (let at = 0; at < words.length; at += step) {
    const found = words[Math.floor(at)]!;
    const word = `_${found.includes("’") ? found.replaceAll("’", "'") : found}_`;
    const length = Math.min(word.length, MOST_LETTERS);
    let whole = FIRST_OF_WORD;
    for (let first = 0; first < length; first++) {
      whole = Math.imul(whole ^ word.charCodeAt(first), PRIME);
      let hash = FIRST;
      const end = Math.min(length, first + LONGEST);
      for (let next = first; next < end; next++) {
        hash = Math.imul(hash ^ word.charCodeAt(next), PRIME);
        if (next > first || word.charCodeAt(first) >= ASCII_END) add(Math.imul(hash, SPREAD) >>> shift);
      }
    }
    add(Math.imul(whole, SPREAD) >>> shift);
  }
}
