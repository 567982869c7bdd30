import { BLOCK } from "../format.js";
import type { PostingList } from "./posting-list.js";

/** Most rows per posting of a term whose postings are a bitmap. */
const DENSE = 16;
/** Rows between two rank entries; a multiple of 32. */
const RANK_ROWS = 256;
const RANK_WORDS = RANK_ROWS / 32;
/** Marks a frequency that does not fit in a byte. */
const ESCAPE = 0xff;

/**
 * Whether the postings of a term that occurs in `documents` of `rows` rows are a bitmap: no larger than a list,
 * and faster.
 */
export function isDense(documents: number, rows: number): boolean {
  return documents > BLOCK && documents * DENSE >= rows;
}

/**
 * Sections of a dense posting list: the bitmap, ranks and position offsets as 32-bit integers, frequencies as
 * bytes.
 */
class DenseParts {
  readonly bitmap: Uint32Array;
  readonly ranks: Uint32Array;
  readonly positionEnds: Uint32Array;
  readonly frequencies: Uint8Array;
  /** Pairs of posting ordinal and frequency, for frequencies of 255 and more. */
  readonly escaped: Uint32Array;

  /**
   * Views bytes whose offset in their buffer is a multiple of 4. There are no escaped frequencies if the bytes
   * end before them.
   */
  constructor(bytes: Uint8Array, documents: number, rows: number) {
    let at = bytes.byteOffset;
    const integers = (count: number) => {
      const part = new Uint32Array(bytes.buffer, at, count);
      at += count * 4;
      return part;
    };
    this.bitmap = integers(Math.ceil(rows / 32));
    this.ranks = integers(Math.ceil(rows / RANK_ROWS));
    this.positionEnds = integers(Math.ceil(documents / BLOCK));
    this.frequencies = new Uint8Array(bytes.buffer, at, documents);
    at += Math.ceil(documents / 4) * 4;
    this.escaped = integers((bytes.byteOffset + bytes.length - at) >>> 2);
  }
}

/** Bytes of dense postings without escaped frequencies. */
function denseBytes(documents: number, rows: number): number {
  const integers =
    Math.ceil(rows / 32) +
    Math.ceil(rows / RANK_ROWS) +
    Math.ceil(documents / BLOCK) +
    Math.ceil(documents / 4);
  return integers * 4;
}

/** Builds the postings of a term as a bitmap (see {@link KEYWORD_FILES}). */
export class DensePostingsBuilder {
  private readonly bytes: Uint8Array;
  private readonly parts: DenseParts;
  private readonly escaped: number[] = [];
  private count = 0;

  constructor(documents: number, rows: number) {
    this.bytes = new Uint8Array(denseBytes(documents, rows));
    this.parts = new DenseParts(this.bytes, documents, rows);
  }

  /** Adds the next posting, ascending by row, and the end offset of its positions. */
  add(row: number, frequency: number, positionsEnd: number): void {
    const { bitmap, frequencies, positionEnds } = this.parts;
    bitmap[row >>> 5]! |= 1 << (row & 31);
    frequencies[this.count] = Math.min(frequency, ESCAPE);
    if (frequency >= ESCAPE) this.escaped.push(this.count, frequency);
    positionEnds[Math.floor(this.count / BLOCK)] = positionsEnd;
    this.count += 1;
  }

  /** Returns the bytes of the posting list. */
  build(): Uint8Array {
    const { bitmap, ranks } = this.parts;
    let count = 0;
    bitmap.forEach((word, i) => {
      if (i % RANK_WORDS === 0) ranks[i / RANK_WORDS] = count;
      count += ones(word);
    });
    if (this.escaped.length === 0) return this.bytes;
    const escaped = Uint32Array.from(this.escaped);
    const bytes = new Uint8Array(this.bytes.length + escaped.byteLength);
    bytes.set(this.bytes);
    bytes.set(new Uint8Array(escaped.buffer), this.bytes.length);
    return bytes;
  }
}

/** Postings of a frequent term: one bit per row, and one frequency byte per posting. */
export class DensePostings implements PostingList {
  private readonly parts: DenseParts;
  private word = 0;
  private ordinal = 0;

  /** Reads bytes whose offset in their buffer is a multiple of 4. */
  constructor(
    bytes: Uint8Array,
    documents: number,
    private readonly rows: number,
  ) {
    this.parts = new DenseParts(bytes, documents, rows);
  }

  rewind(): void {
    this.word = 0;
    this.ordinal = 0;
  }

  /** `end` must be a multiple of 32, or the number of rows. */
  read(end: number, rows: Int32Array, frequencies: Int32Array): number {
    const { bitmap, frequencies: bytes } = this.parts;
    const words = (end + 31) >>> 5;
    let { ordinal } = this;
    let count = 0;
    for (let word = this.word; word < words; word += 1) {
      const last = (word << 5) + 31;
      for (let rest = bitmap[word]!; rest !== 0; ) {
        const low = rest & -rest;
        rows[count] = last - Math.clz32(low);
        const frequency = bytes[ordinal]!;
        frequencies[count++] = frequency === ESCAPE ? this.escaped(ordinal) : frequency;
        ordinal += 1;
        rest ^= low;
      }
    }
    this.word = words;
    this.ordinal = ordinal;
    return count;
  }

  lookUp(targets: Int32Array, sums: Int32Array): void {
    const { bitmap, frequencies } = this.parts;
    for (let i = 0; i < targets.length; i += 1) {
      const row = targets[i]!;
      if (((bitmap[row >>> 5]! >>> (row & 31)) & 1) === 0) continue;
      const ordinal = this.rank(row);
      const frequency = frequencies[ordinal]!;
      sums[i]! += frequency === ESCAPE ? this.escaped(ordinal) : frequency;
    }
  }

  /** Number of postings before a row. */
  rank(row: number): number {
    const { bitmap, ranks } = this.parts;
    const end = row >>> 5;
    let count = ranks[Math.floor(row / RANK_ROWS)]!;
    for (let word = end - (end % RANK_WORDS); word < end; word += 1) count += ones(bitmap[word]!);
    return count + ones(bitmap[end]! & ((1 << (row & 31)) - 1));
  }

  /** The first row from `row` on that contains the term, within the segment; −1 if there is none. */
  next(row: number): number {
    const { bitmap } = this.parts;
    if (row >= this.rows) return -1;
    let word = row >>> 5;
    let rest = bitmap[word]! & (-1 << (row & 31));
    while (rest === 0) {
      word += 1;
      if (word >= bitmap.length) return -1;
      rest = bitmap[word]!;
    }
    return (word << 5) + 31 - Math.clz32(rest & -rest);
  }

  /** Frequency of the posting with an ordinal, from 0. */
  frequency(ordinal: number): number {
    const frequency = this.parts.frequencies[ordinal]!;
    return frequency === ESCAPE ? this.escaped(ordinal) : frequency;
  }

  /** End offset of the positions of a block's postings, in bytes; blocks count from 0. */
  positionsEnd(block: number): number {
    return this.parts.positionEnds[block]!;
  }

  private escaped(ordinal: number): number {
    const { escaped } = this.parts;
    let low = 0;
    let high = escaped.length / 2 - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (escaped[middle * 2]! < ordinal) low = middle + 1;
      else high = middle;
    }
    return escaped[low * 2 + 1]!;
  }
}

/** Number of bits set in an integer. */
function ones(value: number): number {
  let v = value - ((value >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
