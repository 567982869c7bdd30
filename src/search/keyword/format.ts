/**
 * The keyword index of a segment, as files; all integers little-endian.
 *
 * - `terms.bin`: the terms, in buckets by hash. Header of four 32-bit integers: number of buckets, number of terms,
 *   bytes of entries, 0. Then 32-bit integers: where each bucket starts in the entries, and the last one ends. A bucket
 *   that is not empty begins with where its postings start in postings.bin and its positions in positions.bin, each two
 *   variable-length integers, high and low 28 bits. Then its entries, of variable-length integers but for the term: bytes
 *   of the term, the term in UTF-8, twice the document frequency, plus 1 where all are of one language, largest
 *   frequency, smallest document length, bytes in postings.bin and in positions.bin, which follow those of the entry before.
 *   Then the language's number in the segment; or else the number of languages, and a pair for each: its number, documents
 *   in it that hold the term.
 * - `postings.bin`: per term, ascending by row.
 *   Sparse terms: if there are more than {@link BLOCK} documents, first a table of blocks, {@link BLOCK_FIELDS}
 *   32-bit integers a block: its last row, its end in the body, its end in the positions. Then the body, a posting as
 *   variable-length integers: twice the distance to the previous row less one, plus 1 where the frequency is
 *   {@link USUAL_FREQUENCY}; else followed by the frequency.
 *   Dense terms, those of more than {@link BLOCK} documents that are a sixteenth of the segment's or more: 32-bit integers,
 *   row r being bit r mod 32 of integer r div 32; 32-bit integers, the postings before each 256th row; 32-bit integers,
 *   the end in the positions of each {@link BLOCK} postings; bytes, a frequency a posting, up to a multiple of 4; pairs
 *   of 32-bit integers, posting (from 0) and frequency, for those whose byte is 255.
 * - `positions.bin`: per posting, variable-length integers: twice the position plus 1, where there is one; else twice how
 *   many there are, then each as a distance to the one before. Nothing for a term without any.
 * - `lengths.bin`: a 32-bit integer a row: the document's length in half words.
 * - `languages.bin`: a 16-bit integer a row: its language, a number in the list of the segment's manifest.
 */
export const KEYWORD_FILES = {
  terms: "terms.bin",
  postings: "postings.bin",
  positions: "positions.bin",
  lengths: "lengths.bin",
  languages: "languages.bin",
  manifest: "keyword.json",
} as const;

/** Version of the files; other versions are refused. */
export const KEYWORD_FORMAT = 3;
/** Postings per block. */
export const BLOCK = 128;
/** Integers per block in the table of blocks. */
export const BLOCK_FIELDS = 3;
/** Integers in the header of terms.bin. */
export const TERMS_HEADER = 4;
/** The frequency coded in one bit: one word in a field of weight 1. */
export const USUAL_FREQUENCY = 2;

/** 32-bit FNV-1a hash of a range of bytes, with a MurmurHash3 finalizer. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i += 1) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
