import { SEARCH_DEFAULTS } from "../defaults.js";
import { byteVectorOf, copyByteVectors } from "./byte-vectors.js";
import type { ByteVectors, FloatVectors, Vectors } from "./vectors.js";

const { dimensions } = SEARCH_DEFAULTS;
const FLOAT = Float32Array.BYTES_PER_ELEMENT;

/**
 * Vectors of several sets, one after another: the rows of a set follow those of the sets before it. They stand as those of the widest set
 * are stored.
 */
class Joined<Part extends Vectors> implements Vectors {
  readonly count: number;
  readonly width: number;
  /** The first row of each part. */
  protected readonly firsts: readonly number[];

  /** @param parts at least one; their owner closes them */
  constructor(protected readonly parts: readonly Part[]) {
    let count = 0;
    this.firsts = parts.map((part) => {
      const first = count;
      count += part.count;
      return first;
    });
    this.count = count;
    this.width = Math.max(0, ...parts.map(({ width }) => width));
  }

  readRun(first: number, count: number, into: Float32Array): void {
    this.each(first, count, (part, from, rows, done) => {
      part.readRun(from, rows, into.subarray(done * dimensions, (done + rows) * dimensions));
    });
  }

  read(row: number): Float32Array {
    const at = this.partOf(row);
    return this.parts[at]!.read(row - this.firsts[at]!);
  }

  close(): void {
    for (const part of this.parts) part.close();
  }

  /**
   * Visits the parts of a run of rows.
   * @throws RangeError past the end
   */
  protected each(
    first: number,
    count: number,
    visit: (part: Part, from: number, rows: number, done: number) => void,
  ): void {
    if (first + count > this.count)
      throw new RangeError(`vector ${first + count - 1} of ${this.count} is past the end`);
    for (let done = 0; done < count; ) {
      const at = this.partOf(first + done);
      const from = first + done - this.firsts[at]!;
      const rows = Math.min(count - done, this.parts[at]!.count - from);
      visit(this.parts[at]!, from, rows, done);
      done += rows;
    }
  }

  /** The last part that begins at a row or before. */
  private partOf(row: number): number {
    let at = this.firsts.length - 1;
    while (this.firsts[at]! > row) at -= 1;
    return at;
  }
}

/** Vectors of signed bytes of several sets as those of one. */
export class JoinedByteVectors extends Joined<ByteVectors> implements ByteVectors {
  readBytes(first: number, count: number, into: Uint8Array, at = 0): void {
    const { width } = this;
    this.each(first, count, (part, from, rows, done) => {
      const place = at + done * byteVectorOf(width);
      if (part.width === width) {
        part.readBytes(from, rows, into, place);
        return;
      }
      const own = new Uint8Array(rows * byteVectorOf(part.width));
      part.readBytes(from, rows, own);
      copyByteVectors(own, part.width, into.subarray(place), width);
    });
  }
}

/** Vectors of floats of several sets as those of one. */
export class JoinedFloatVectors extends Joined<FloatVectors> implements FloatVectors {
  readInto(first: number, count: number, into: Uint8Array, at: number): void {
    const bytes = this.width * FLOAT;
    this.each(first, count, (part, from, rows, done) => {
      const place = at + done * bytes;
      const own = part.width * FLOAT;
      if (own === bytes) {
        part.readInto(from, rows, into, place);
        return;
      }
      const narrow = new Uint8Array(own);
      for (let i = 0; i < rows; i += 1) {
        part.readInto(from + i, 1, narrow, 0);
        into.fill(0, place + i * bytes + own, place + (i + 1) * bytes);
        into.set(narrow, place + i * bytes);
      }
    });
  }

  async readAhead(rows: Uint32Array): Promise<void> {
    await Promise.all(
      this.parts.map((part, at) => {
        const first = this.firsts[at]!;
        const own = rows.filter((row) => row >= first && row < first + part.count);
        return own.length === 0 ? undefined : part.readAhead(own.map((row) => row - first));
      }),
    );
  }
}
