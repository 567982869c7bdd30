import { VarintReader, writeVarint } from "./varint.js";

/**
 * The positions of a posting: a variable-length integer that is twice the position plus 1 where there is one, as of most; else twice
 * their number, followed by each as a distance to the one before.
 */
export class PositionsReader {
  private readonly reader: VarintReader;

  constructor(bytes: Uint8Array) {
    this.reader = new VarintReader(bytes);
  }

  /** Offset of the next posting's positions. */
  get offset(): number {
    return this.reader.offset;
  }

  set offset(offset: number) {
    this.reader.offset = offset;
  }

  /** Skips the positions of a posting. */
  skip(): void {
    const code = this.reader.next();
    if ((code & 1) === 1) return;
    for (let left = code >>> 1; left > 0; left -= 1) this.reader.next();
  }

  /** Reads the positions of a posting. */
  read(): number[] {
    const code = this.reader.next();
    if ((code & 1) === 1) return [code >>> 1];
    const positions: number[] = [];
    for (let left = code >>> 1, position = 0; left > 0; left -= 1) {
      position += this.reader.next();
      positions.push(position);
    }
    return positions;
  }
}

/** Writes what comes before the distances of `count` positions, of which the first is given; returns the offset after it. */
export function writePositionCount(bytes: Uint8Array, offset: number, count: number, first: number): number {
  return writeVarint(bytes, offset, count === 1 ? first * 2 + 1 : count * 2);
}
