import { BLOCK, BLOCK_FIELDS, USUAL_FREQUENCY } from "./format.js";
import type { PostingList } from "./posting-list.js";

/** The postings of a term in few rows: distances and frequencies as variable-length integers, in blocks. */
export class SparsePostings implements PostingList {
  private readonly blocks: Uint32Array;
  private readonly body: number;
  private at: number;
  private left: number;
  private row: number;

  /** Of bytes whose offset in their buffer is a multiple of 4; rows are counted from `first`. */
  constructor(
    private readonly bytes: Uint8Array,
    private readonly documents: number,
    private readonly first: number,
  ) {
    const count = documents > BLOCK ? Math.ceil(documents / BLOCK) : 0;
    this.blocks = new Uint32Array(bytes.buffer, bytes.byteOffset, count * BLOCK_FIELDS);
    this.body = count * BLOCK_FIELDS * 4;
    this.at = this.body;
    this.left = documents;
    this.row = first - 1;
  }

  read(rows: Int32Array, frequencies: Int32Array): number {
    const { bytes } = this;
    const count = Math.min(this.left, rows.length);
    let { at, row } = this;
    for (let i = 0; i < count; i += 1) {
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
      rows[i] = row;
      if ((code & 1) === 1) {
        frequencies[i] = USUAL_FREQUENCY;
        continue;
      }
      let frequency = bytes[at++]!;
      if (frequency >= 0x80) {
        frequency &= 0x7f;
        for (let shift = 7; ; shift += 7) {
          const byte = bytes[at++]!;
          frequency |= (byte & 0x7f) << shift;
          if (byte < 0x80) break;
        }
      }
      frequencies[i] = frequency;
    }
    this.at = at;
    this.row = row;
    this.left -= count;
    return count;
  }

  lookUp(wanted: Int32Array, sums: Int32Array): void {
    const { blocks, documents, body, first } = this;
    let block = 0;
    for (let i = 0; i < wanted.length; ) {
      const target = wanted[i]! - first;
      while (block * BLOCK_FIELDS < blocks.length && blocks[block * BLOCK_FIELDS]! < target) block += 1;
      if (block * BLOCK >= documents) return;
      const before = (block - 1) * BLOCK_FIELDS;
      i = this.#lookUpInBlock(
        block === 0 ? body : body + blocks[before + 1]!,
        block === 0 ? first - 1 : first + blocks[before]!,
        Math.min(BLOCK, documents - block * BLOCK),
        { wanted, from: i, sums },
      );
      block += 1;
    }
  }

  /** Looks rows up in the block that begins at an offset; returns the first of them that is beyond it. */
  #lookUpInBlock(
    offset: number,
    rowBefore: number,
    count: number,
    { wanted, from, sums }: { wanted: Int32Array; from: number; sums: Int32Array },
  ): number {
    const { bytes } = this;
    let at = offset;
    let row = rowBefore;
    let next = from;
    let target = wanted[next]!;
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
        if (next === wanted.length) return next;
        target = wanted[next]!;
      }
      if (target > row) continue;
      sums[row]! += frequency;
      next += 1;
      if (next === wanted.length) return next;
      target = wanted[next]!;
    }
    while (next < wanted.length && wanted[next]! <= row) next += 1;
    return next;
  }
}
