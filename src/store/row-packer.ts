/** Length of the shortest match. */
const LEAST_MATCH = 4;
/** The last bytes of a block are literals. */
const TAIL = 5;
const LONGEST_OFFSET = 65_535;
const HASH_BITS = 13;
/** Earlier places with the same four bytes that are compared. */
const TRIED = 6;

/** Most bytes of a dictionary: offsets reach over it and some rows of common length. */
export const DICTIONARY_BYTES = 40 * 1024;

/**
 * Compresses single rows against a dictionary of rows like them: blocks in the LZ4 block format, whose offsets may reach into the
 * dictionary before them. A row is read back in microseconds, without its neighbours. The same row and dictionary give the same bytes.
 */
export class RowPacker {
  private window: Uint8Array;
  /** By hash of four bytes: the latest place, and by place the one before; of the dictionary, and with the row's own. */
  private readonly dictionaryHeads: Int32Array;
  private readonly heads: Int32Array;
  private before: Int32Array;
  private out = new Uint8Array(4096);
  private written = 0;

  constructor(private readonly dictionary: Uint8Array) {
    this.window = Uint8Array.from(dictionary);
    this.before = new Int32Array(dictionary.length);
    this.heads = new Int32Array(1 << HASH_BITS).fill(-1);
    for (let at = 0; at + LEAST_MATCH <= dictionary.length; at += 1) this.enter(at);
    this.dictionaryHeads = this.heads.slice();
  }

  /** Compresses a row; the length before compression is not part of it. */
  pack(row: Uint8Array): Uint8Array {
    const first = this.dictionary.length;
    const end = first + row.length;
    this.room(end);
    this.window.set(row, first);
    this.heads.set(this.dictionaryHeads);
    // A block of literals alone takes a byte more for 255 of them.
    const most = row.length + (row.length >> 7) + 16;
    if (this.out.length < most) this.out = new Uint8Array(most * 2);
    this.written = 0;
    let literals = first;
    const { window, heads, before } = this;
    const last = end - TAIL;
    for (let at = first; at + LEAST_MATCH <= last; ) {
      const hash = hashAt(window, at);
      let place = heads[hash]!;
      before[at] = place;
      heads[hash] = at;
      let length = 0;
      let offset = 0;
      for (let tried = 0; tried < TRIED && place >= 0 && at - place <= LONGEST_OFFSET; tried += 1) {
        // A longer match has the byte after the longest one so far.
        if (window[place + length] === window[at + length]) {
          let same = 0;
          while (at + same < last && window[place + same] === window[at + same]) same += 1;
          if (same > length) {
            length = same;
            offset = at - place;
          }
        }
        place = before[place]!;
      }
      if (length < LEAST_MATCH) {
        at += 1;
        continue;
      }
      this.sequence(literals, at, length, offset);
      const next = at + length;
      for (at += 1; at < next; at += 1) this.enter(at);
      literals = at;
    }
    this.sequence(literals, end);
    return this.out.slice(0, this.written);
  }

  private sequence(from: number, to: number, length = 0, offset = 0): void {
    const { out } = this;
    const count = to - from;
    const more = length - LEAST_MATCH;
    out[this.written++] = (Math.min(count, 15) << 4) | (length === 0 ? 0 : Math.min(more, 15));
    if (count >= 15) this.extend(count - 15);
    for (let i = from; i < to; i += 1) out[this.written++] = this.window[i]!;
    if (length === 0) return;
    out[this.written++] = offset & 255;
    out[this.written++] = offset >> 8;
    if (more >= 15) this.extend(more - 15);
  }

  private extend(rest: number): void {
    let left = rest;
    for (; left >= 255; left -= 255) this.out[this.written++] = 255;
    this.out[this.written++] = left;
  }

  private enter(at: number): void {
    const hash = hashAt(this.window, at);
    this.before[at] = this.heads[hash]!;
    this.heads[hash] = at;
  }

  private room(size: number): void {
    if (size <= this.window.length) return;
    const window = new Uint8Array(size * 2);
    window.set(this.dictionary);
    const before = new Int32Array(size * 2);
    before.set(this.before.subarray(0, this.dictionary.length));
    this.window = window;
    this.before = before;
  }
}

function hashAt(window: Uint8Array, at: number): number {
  const four = window[at]! | (window[at + 1]! << 8) | (window[at + 2]! << 16) | (window[at + 3]! << 24);
  return Math.imul(four, 0x9e3779b1) >>> (32 - HASH_BITS);
}
