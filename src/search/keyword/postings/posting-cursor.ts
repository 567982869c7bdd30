import { BLOCK, BLOCK_FIELDS, USUAL_FREQUENCY } from "../format.js";
import type { DensePostings } from "./dense-postings.js";
import { VarintReader } from "./varint.js";

const END = 0xffff_ffff;

/** A forward cursor over the postings of a term in a segment; skips blocks without the target. */
export interface PostingCursor {
  /** Row of the current posting; 2³² − 1 before the first call of `next` or `advance` and after the last posting. */
  readonly row: number;
  /** Frequency of the current posting, in half words. */
  readonly frequency: number;
  /** Number of postings up to and including the current one. */
  readonly ordinal: number;
  /** Moves to the next posting; false after the last. */
  next(): boolean;
  /** Moves to the first posting at `target` or a later row, unless already there; false if there is none. */
  advance(target: number): boolean;
  /** End offset of the positions of a block's postings, in bytes; blocks count from 0. */
  positionsEnd(block: number): number;
}

/** Cursor over dense postings. */
export class DenseCursor implements PostingCursor {
  row = END;
  private from = 0;

  constructor(private readonly postings: DensePostings) {}

  next(): boolean {
    return this.moveTo(this.postings.next(this.from));
  }

  advance(target: number): boolean {
    if (this.from > 0 && this.row >= target) return this.row !== END;
    return this.moveTo(this.postings.next(Math.max(target, this.from)));
  }

  get frequency(): number {
    return this.row === END ? 0 : this.postings.frequency(this.postings.rank(this.row));
  }

  get ordinal(): number {
    return this.postings.rank(this.row) + 1;
  }

  positionsEnd(block: number): number {
    return this.postings.positionsEnd(block);
  }

  private moveTo(row: number): boolean {
    this.row = row < 0 ? END : row;
    this.from = this.row === END ? END : row + 1;
    return row >= 0;
  }
}

/** Cursor over sparse postings. */
export class SparseCursor implements PostingCursor {
  row = END;
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

  advance(target: number): boolean {
    if (this.read > 0 && this.row >= target) return this.row !== END;
    this.skipBlocks(target);
    while (this.next()) if (this.row >= target) return true;
    return false;
  }

  get ordinal(): number {
    return this.read;
  }

  positionsEnd(block: number): number {
    return this.blocks[block * BLOCK_FIELDS + 2]!;
  }

  private skipBlocks(target: number): void {
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
