import { BLOCK, BLOCK_FIELDS, USUAL_FREQUENCY } from "./format.js";
import { VarintReader } from "./varint.js";

const END = 0xffff_ffff;

/**
 * All postings of a term in a segment at once: rows, counted from `first`, and frequencies, into arrays that hold them. Several
 * times as fast as a {@link PostingCursor} where most of them are wanted.
 */
export function decodePostings(
  bytes: Uint8Array,
  documents: number,
  first: number,
  rows: Int32Array,
  frequencies: Int32Array,
): void {
  let at = documents > BLOCK ? Math.ceil(documents / BLOCK) * BLOCK_FIELDS * 4 : 0;
  let row = first - 1;
  for (let i = 0; i < documents; i += 1) {
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
}

/** Walks the postings of a term in a segment, forward only, over blocks that hold nothing asked for. */
export class PostingCursor {
  /** Row of the current posting; 2³² − 1 before the first call of `next` or `advance` and after the last posting. */
  row = END;
  /** Frequency of the current posting, in half words. */
  frequency = 0;
  private readonly reader: VarintReader;
  private readonly blocks: Uint32Array;
  private readonly body: number;
  private previous = -1;
  private read = 0;

  constructor(
    bytes: Uint8Array,
    private readonly documents: number,
  ) {
    const count = documents > BLOCK ? Math.ceil(documents / BLOCK) : 0;
    this.blocks = new Uint32Array(bytes.buffer, bytes.byteOffset, count * BLOCK_FIELDS);
    this.body = count * BLOCK_FIELDS * 4;
    this.reader = new VarintReader(bytes, this.body);
  }

  /** Steps to the next posting; false after the last. */
  next(): boolean {
    if (this.read >= this.documents) {
      this.row = END;
      return false;
    }
    const code = this.reader.next();
    this.previous += (code >>> 1) + 1;
    this.row = this.previous;
    this.frequency = (code & 1) === 1 ? USUAL_FREQUENCY : this.reader.next();
    this.read += 1;
    return true;
  }

  /** Steps to the first posting of `target` or a later row, if not there already; false where there is none. */
  advance(target: number): boolean {
    if (this.read > 0 && this.row >= target) return this.row !== END;
    this.#skipBlocks(target);
    while (this.next()) if (this.row >= target) return true;
    return false;
  }

  /** Postings up to the current one, which is included. */
  get ordinal(): number {
    return this.read;
  }

  /** Where the positions of a block's postings end, in bytes; blocks count from 0. */
  positionsEnd(block: number): number {
    return this.blocks[block * BLOCK_FIELDS + 2]!;
  }

  #skipBlocks(target: number): void {
    const count = this.blocks.length / BLOCK_FIELDS;
    const current = Math.floor(this.read / BLOCK);
    if (current >= count || this.blocks[current * BLOCK_FIELDS]! >= target) return;
    let low = current + 1;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.blocks[middle * BLOCK_FIELDS]! < target) low = middle + 1;
      else high = middle;
    }
    const before = (low - 1) * BLOCK_FIELDS;
    this.previous = this.blocks[before]!;
    this.reader.offset = this.body + this.blocks[before + 1]!;
    this.read = Math.min(low * BLOCK, this.documents);
  }
}
