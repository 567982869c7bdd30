import { enlarge, PAST, rowKernels } from "./row-kernels.js";

const HEADS = 1 << 13;
/** Room for a row at first. */
const ROOM = 16 * 1024;
const WORD = Int32Array.BYTES_PER_ELEMENT;

/** Most bytes of a dictionary: offsets reach over it and some rows of common length. */
export const DICTIONARY_BYTES = 40 * 1024;

/**
 * Compresses single rows against a dictionary of rows like them: blocks in the LZ4 block format, whose offsets may reach into the
 * dictionary before them. A row is read back in microseconds, without its neighbours. The same row and dictionary give the same bytes.
 * In WebAssembly, which compares eight bytes at a time.
 */
export class RowPacker {
  private readonly kernels = rowKernels();
  /** The dictionary's chains: by hash of four bytes the latest place, and by place the one before. */
  private readonly heads = new Int32Array(HEADS).fill(-1);
  private readonly before: Int32Array;
  private room = 0;
  private at = { before: 0, window: 0, out: 0 };

  constructor(private readonly dictionary: Uint8Array) {
    this.before = new Int32Array(dictionary.length);
    this.makeRoom(ROOM);
    const { memory } = this.kernels;
    new Int32Array(memory.buffer, 0, HEADS).set(this.heads);
    this.kernels.enter(0, dictionary.length - WORD + 1, 0, this.at.before, this.at.window);
    this.heads.set(new Int32Array(memory.buffer, 0, HEADS));
    this.before.set(new Int32Array(memory.buffer, this.at.before, dictionary.length));
  }

  /** Compresses a row; the length before compression is not part of it. */
  pack(row: Uint8Array): Uint8Array {
    if (row.length > this.room) this.makeRoom(row.length * 2);
    const { kernels, at } = this;
    const first = this.dictionary.length;
    const bytes = new Uint8Array(kernels.memory.buffer);
    bytes.set(row, at.window + first);
    new Int32Array(kernels.memory.buffer, 0, HEADS).set(this.heads);
    const end = kernels.pack(first, first + row.length, 0, at.before, at.window, at.out);
    return bytes.slice(at.out, end);
  }

  /** Places the chains, the dictionary with room for a row behind it, and room for its block in memory. */
  private makeRoom(room: number): void {
    const { dictionary, kernels } = this;
    const places = dictionary.length + room;
    const before = HEADS * WORD;
    const window = before + places * WORD;
    const out = window + places + PAST;
    // A block of literals alone takes a byte more for 255 of them.
    enlarge(kernels.memory, out + room + (room >> 7) + 2 * PAST);
    this.room = room;
    this.at = { before, window, out };
    new Int32Array(kernels.memory.buffer, before, dictionary.length).set(this.before);
    new Uint8Array(kernels.memory.buffer).set(dictionary, window);
  }
}
