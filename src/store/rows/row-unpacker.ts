import { enlarge, PAST, type RowKernels, rowKernels } from "./row-kernels.js";

/** Where the dictionary stands; results below it are no addresses. */
const DICTIONARY = 16;
const DAMAGED = 0;
const NO_ROOM = 1;

/**
 * Reads what a `RowPacker` with the same dictionary made: blocks in the LZ4 block format. In WebAssembly, whose copies of sixteen bytes
 * unpack long texts several times as fast as a loop over bytes.
 */
export class RowUnpacker {
  private readonly exports: RowKernels;
  /** A buffer, as the rows of other stores are: what reads them is compiled for one kind of bytes. */
  private memory: Buffer;
  /** Where unpacked rows stand: behind the dictionary. */
  private readonly first: number;

  constructor(dictionary: Uint8Array) {
    this.exports = rowKernels();
    this.memory = Buffer.from(this.exports.memory.buffer);
    this.first = DICTIONARY + dictionary.length;
    this.enlarge(this.first);
    this.memory.set(dictionary, DICTIONARY);
  }

  /**
   * Returns a row, valid until the next call.
   * @throws RangeError if it is damaged.
   */
  unpack(packed: Uint8Array): Uint8Array {
    return this.unpackFrom(packed.length, (into) => into.set(packed));
  }

  /**
   * As {@link RowUnpacker.unpack}, of bytes that are written where they are unpacked, which spares a copy.
   * @param write fills a view with the packed row
   */
  unpackFrom(length: number, write: (into: Uint8Array) => void): Uint8Array {
    const { first, exports } = this;
    const least = first + length + 3 * PAST;
    if (this.memory.length < least) this.enlarge(least);
    // The packed row stands at the end, so that there is most room for what comes of it.
    let at = this.memory.length - PAST - length;
    write(this.memory.subarray(at, at + length));
    for (;;) {
      const end = exports.unpack(at, at + length, DICTIONARY, first, at - PAST);
      if (end === DAMAGED) throw new RangeError("a row is not whole: it is damaged");
      if (end !== NO_ROOM) return this.memory.subarray(first, end);
      const from = at;
      this.enlarge(this.memory.length * 2);
      at = this.memory.length - PAST - length;
      this.memory.copyWithin(at, from, from + length);
    }
  }

  private enlarge(size: number): void {
    const { memory } = this.exports;
    enlarge(memory, size);
    this.memory = Buffer.from(memory.buffer);
  }
}
