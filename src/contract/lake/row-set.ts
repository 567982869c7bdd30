/**
 * An immutable bitset of row numbers 0 … size − 1 of an open generation: the matches of a filter, or the candidates of a
 * ranking.
 */
export class RowSet {
  /** Number of rows of the generation. */
  readonly size: number;
  /** Number of rows in the set. */
  readonly count: number;
  /** Row `r` is in the set when bit `r & 31` of word `r >>> 5` is set; bits beyond `size` are zero. */
  readonly bits: Uint32Array;

  private constructor(size: number, bits: Uint32Array) {
    this.size = size;
    this.bits = bits;
    this.count = countBits(bits);
  }

  /** Creates the set of all rows. */
  static all(size: number): RowSet {
    const bits = new Uint32Array(wordsFor(size)).fill(0xffffffff);
    const rest = size & 31;
    if (rest !== 0) bits[bits.length - 1] = (1 << rest) - 1;
    return new RowSet(size, bits);
  }

  /** Creates the empty set. */
  static none(size: number): RowSet {
    return new RowSet(size, new Uint32Array(wordsFor(size)));
  }

  /** Creates a set of the given rows, in any order. @throws RangeError for a row outside 0 … size − 1. */
  static of(size: number, rows: Iterable<number>): RowSet {
    const bits = new Uint32Array(wordsFor(size));
    for (const row of rows) {
      if (!Number.isInteger(row) || row < 0 || row >= size) {
        throw new RangeError(`Row ${row} is outside 0 to ${size - 1}`);
      }
      bits[row >>> 5]! |= 1 << (row & 31);
    }
    return new RowSet(size, bits);
  }

  /** Creates the set of rows for which `predicate` returns true. It is called once per row, in order. */
  static fromPredicate(size: number, predicate: (row: number) => boolean): RowSet {
    const bits = new Uint32Array(wordsFor(size));
    for (let row = 0; row < size; row++) {
      if (predicate(row)) bits[row >>> 5]! |= 1 << (row & 31);
    }
    return new RowSet(size, bits);
  }

  /**
   * Creates a set from a copied bitset. @throws RangeError if the length does not fit `size` rows, or a bit beyond
   * `size` is set.
   */
  static fromBits(size: number, bits: Uint32Array): RowSet {
    const rest = size & 31;
    if (bits.length !== wordsFor(size) || (rest !== 0 && bits[bits.length - 1]! >>> rest !== 0)) {
      throw new RangeError(`A bitset of ${bits.length} words does not fit ${size} rows`);
    }
    return new RowSet(size, bits.slice());
  }

  /** Whether `row` is in the set; false outside 0 … size − 1. */
  has(row: number): boolean {
    return row >= 0 && row < this.size && ((this.bits[row >>> 5]! >>> (row & 31)) & 1) === 1;
  }

  /** The rows of the set, ascending. */
  rows(): Uint32Array {
    return rowsOfBits(this.bits, this.count);
  }

  /** Rows that are in both sets. @throws RangeError for a set over another number of rows. */
  and(other: RowSet): RowSet {
    return this.combine(other, (a, b) => a & b);
  }

  /** Rows that are in either set. @throws RangeError for a set over another number of rows. */
  or(other: RowSet): RowSet {
    return this.combine(other, (a, b) => a | b);
  }

  /** Rows of this set that are not in the other. @throws RangeError for a set over another number of rows. */
  minus(other: RowSet): RowSet {
    return this.combine(other, (a, b) => a & ~b);
  }

  private combine(other: RowSet, word: (a: number, b: number) => number): RowSet {
    if (other.size !== this.size) throw new RangeError(`Row sets over ${this.size} and ${other.size} rows`);
    return new RowSet(
      this.size,
      this.bits.map((bits, i) => word(bits, other.bits[i]!)),
    );
  }
}

function wordsFor(size: number): number {
  if (!Number.isInteger(size) || size < 0) throw new RangeError(`Not a number of rows: ${size}`);
  return (size + 31) >>> 5;
}

/** The numbers of the bits that are set, ascending. @param count how many are set */
export function rowsOfBits(bits: Uint32Array, count: number): Uint32Array {
  const rows = new Uint32Array(count);
  let next = 0;
  for (let word = 0; word < bits.length; word++) {
    let rest = bits[word]!;
    while (rest !== 0) {
      const low = rest & -rest;
      rows[next++] = (word << 5) + 31 - Math.clz32(low);
      rest ^= low;
    }
  }
  return rows;
}

/** How many bits are set. */
export function countBits(bits: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < bits.length; i++) {
    let v = bits[i]!;
    v -= (v >>> 1) & 0x55555555;
    v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
    count += Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}
