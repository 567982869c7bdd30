import { BLOCK, BLOCK_FIELDS, USUAL_FREQUENCY } from "../format.js";
import type { PostingList } from "./posting-list.js";

const END = 0x7fff_ffff;
const NOTHING = new Int32Array(0);

// Both loops decode in local variables: a VarintReader takes 10 to 25 percent longer per posting.
/** Postings of a rare term: distances and frequencies as variable-length integers, in blocks. */
export class SparsePostings implements PostingList {
  private readonly blocks: Uint32Array;
  private readonly body: number;
  private at = 0;
  private left = 0;
  /** The next posting; beyond all rows after the last. */
  private row = -1;
  private frequency = 0;

  /** Reads bytes whose offset in their buffer is a multiple of 4. */
  constructor(
    private readonly bytes: Uint8Array,
    private readonly documents: number,
  ) {
    const count = documents > BLOCK ? Math.ceil(documents / BLOCK) : 0;
    this.blocks = new Uint32Array(bytes.buffer, bytes.byteOffset, count * BLOCK_FIELDS);
    this.body = count * BLOCK_FIELDS * 4;
    this.rewind();
  }

  rewind(): void {
    this.at = this.body;
    this.left = this.documents;
    this.row = -1;
    this.decode(0, NOTHING, NOTHING);
  }

  read(end: number, rows: Int32Array, frequencies: Int32Array): number {
    return this.row < end ? this.decode(end, rows, frequencies) : 0;
  }

  /**
   * Writes the next posting and those after it up to row `end` to the arrays, and decodes the one that follows.
   */
  private decode(end: number, rows: Int32Array, frequencies: Int32Array): number {
    const { bytes } = this;
    let { at, row, frequency, left } = this;
    let count = 0;
    while (true) {
      if (row >= 0) {
        rows[count] = row;
        frequencies[count++] = frequency;
      }
      if (left === 0) {
        row = END;
        break;
      }
      left -= 1;
      let code = bytes[at++]!;
      if (code >= 0x80) {
        code &= 0x7f;
        for (let shift = 7; ; shift += 7) {
          const byte = bytes[at++]!;
          code |= (byte & 0x7f) << shift;
          if (byte < 0x80) break;
        }
      }
      row += (code >>> 1) + 1;
      frequency = USUAL_FREQUENCY;
      if ((code & 1) === 0) {
        frequency = bytes[at++]!;
        if (frequency >= 0x80) {
          frequency &= 0x7f;
          for (let shift = 7; ; shift += 7) {
            const byte = bytes[at++]!;
            frequency |= (byte & 0x7f) << shift;
            if (byte < 0x80) break;
          }
        }
      }
      if (row >= end) break;
    }
    this.at = at;
    this.row = row;
    this.frequency = frequency;
    this.left = left;
    return count;
  }

  lookUp(targets: Int32Array, sums: Int32Array): void {
    const { blocks, documents, body } = this;
    let block = 0;
    for (let i = 0; i < targets.length; ) {
      const target = targets[i]!;
      while (block * BLOCK_FIELDS < blocks.length && blocks[block * BLOCK_FIELDS]! < target) block += 1;
      if (block * BLOCK >= documents) return;
      const before = (block - 1) * BLOCK_FIELDS;
      i = this.lookUpInBlock(
        block === 0 ? body : body + blocks[before + 1]!,
        block === 0 ? -1 : blocks[before]!,
        Math.min(BLOCK, documents - block * BLOCK),
        { targets, from: i, sums },
      );
      block += 1;
    }
  }

  /** Looks rows up in the block at an offset; returns the index of the first target beyond it. */
  private lookUpInBlock(
    offset: number,
    rowBefore: number,
    count: number,
    { targets, from, sums }: { targets: Int32Array; from: number; sums: Int32Array },
  ): number {
    const { bytes } = this;
    let at = offset;
    let row = rowBefore;
    let next = from;
    let target = targets[next]!;
    for (let left = count; left > 0; left -= 1) {
      let code = bytes[at++]!;
      if (code >= 0x80) {
        code &= 0x7f;
        for (let shift = 7; ; shift += 7) {
          const byte = bytes[at++]!;
          code |= (byte & 0x7f) << shift;
          if (byte < 0x80) break;
        }
      }
      row += (code >>> 1) + 1;
      let frequency = USUAL_FREQUENCY;
      if ((code & 1) === 0) {
        frequency = bytes[at++]!;
        if (frequency >= 0x80) {
          frequency &= 0x7f;
          for (let shift = 7; ; shift += 7) {
            const byte = bytes[at++]!;
            frequency |= (byte & 0x7f) << shift;
            if (byte < 0x80) break;
          }
        }
      }
      if (row < target) continue;
      while (target < row) {
        next += 1;
        if (next === targets.length) return next;
        target = targets[next]!;
      }
      if (target > row) continue;
      sums[next]! += frequency;
      next += 1;
      if (next === targets.length) return next;
      target = targets[next]!;
    }
    while (next < targets.length && targets[next]! <= row) next += 1;
    return next;
  }
}
