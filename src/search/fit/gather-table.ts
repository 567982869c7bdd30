import { createKernels, type EmbedKernels } from "../embed/kernels.js";

/** Dimensions of a block: a row of one is a line of the processor's cache. */
export const BLOCK = 64;

/** The largest weight in whole numbers, and the largest sum of a list's weights: times a byte it stays within 31 bits. */
const LARGEST_WEIGHT = 2 ** 15 - 1;
const LARGEST_SUM = 2 ** 24;

/** Room of a {@link GatherTable}. */
export interface GatherRoom {
  /** Numbers in a row: a multiple of 64. */
  readonly dims: number;
  readonly rows: number;
  /** Lists in a batch, and entries of all of them together, at most. */
  readonly lists: number;
  readonly entries: number;
}

/**
 * Sums of a table's rows, which are signed bytes in WebAssembly memory: a list of rows with weights gives a vector. Weights are
 * rounded to 15 bits of the list's largest, or as many as its sum leaves room for. Lists are summed a batch at a time, 64 dimensions
 * of all of them after another, so that the part of the table in use stays in the cache.
 */
export class GatherTable {
  /** Floats that {@link place} makes a row. */
  readonly vector: Float32Array;
  private readonly starts: Uint32Array;
  private readonly scales: Float32Array;
  private readonly rows: Uint32Array;
  private readonly weights: Uint16Array;
  private readonly sums: Float32Array;
  private readonly tableAt: number;
  private lists = 0;
  private pairs = 0;

  private constructor(
    private readonly kernels: EmbedKernels,
    private readonly room: GatherRoom,
  ) {
    const { buffer } = kernels.memory;
    const { dims, lists, entries } = room;
    this.vector = new Float32Array(buffer, 0, dims);
    this.sums = new Float32Array(buffer, this.vector.byteLength, lists * dims);
    this.starts = new Uint32Array(buffer, end(this.sums), lists + 1);
    this.scales = new Float32Array(buffer, end(this.starts), lists);
    this.rows = new Uint32Array(buffer, end(this.scales), padded(entries, lists));
    this.weights = new Uint16Array(buffer, end(this.rows), padded(entries, lists));
    this.tableAt = Math.ceil(end(this.weights) / BLOCK) * BLOCK;
  }

  /** A table of zeros. Throws `RangeError` where that much memory cannot be had. */
  static async create(room: GatherRoom): Promise<GatherTable> {
    const { dims, rows, lists, entries } = room;
    const bytes = dims * (4 + lists * 4 + rows) + (lists * 2 + 1) * 4 + padded(entries, lists) * 6 + BLOCK;
    return new GatherTable(await createKernels(bytes), room);
  }

  /** Makes the vector, times a factor and rounded, a row of the table. */
  place(row: number, factor: number): void {
    for (let first = 0; first < this.room.dims; first += BLOCK)
      this.kernels.narrow(first * 4, BLOCK, factor, this.blockAt(first) + row * BLOCK);
  }

  /** Fills rows of the table, at most as many as lists are in a batch, with the bytes that `read` writes, `dims` a row. */
  fill(rows: Uint32Array, read: (bytes: Int8Array) => void): void {
    const { dims } = this.room;
    const { buffer, byteOffset } = this.sums; // free while there is no batch, as the lists' rows are
    read(new Int8Array(buffer, byteOffset, rows.length * dims));
    this.rows.set(rows);
    const stride = this.room.rows * BLOCK;
    this.kernels.deal(byteOffset, rows.length, dims, this.rows.byteOffset, this.blockAt(0), stride);
  }

  /** The bytes of all rows in 64 dimensions, from `first` on, in the table itself. */
  block(first: number): Int8Array {
    return new Int8Array(this.kernels.memory.buffer, this.blockAt(first), this.room.rows * BLOCK);
  }

  /**
   * Adds a list, whose weights are not negative, to the batch. Returns false where there is no room for it. Throws `RangeError`
   * where there would be none in an empty batch.
   */
  add(rows: Uint32Array, weights: Float32Array): boolean {
    const pairs = Math.ceil(rows.length / 2);
    if (this.lists === this.room.lists || (this.pairs + pairs) * 2 > this.rows.length) {
      if (this.lists === 0) throw new RangeError(`a list of ${rows.length} rows is too long`);
      return false;
    }
    const factor = wholeFactor(weights);
    const first = this.pairs * 2;
    this.rows.set(rows, first);
    for (let i = 0; i < rows.length; i += 1) this.weights[first + i] = Math.round(weights[i]! * factor);
    if (rows.length % 2 === 1) {
      this.rows[first + rows.length] = 0;
      this.weights[first + rows.length] = 0;
    }
    this.starts[this.lists] = this.pairs;
    this.scales[this.lists] = 1 / factor;
    this.pairs += pairs;
    this.lists += 1;
    this.starts[this.lists] = this.pairs;
    return true;
  }

  /** The sums of the batch's lists, `dims` floats each, valid until the next call; the batch is empty again. */
  gather(): Float32Array {
    const { dims } = this.room;
    for (let first = 0; first < dims; first += BLOCK) {
      this.kernels.gather(
        this.starts.byteOffset,
        this.lists,
        this.rows.byteOffset,
        this.weights.byteOffset,
        this.scales.byteOffset,
        this.blockAt(first),
        this.sums.byteOffset + first * 4,
        dims * 4,
      );
    }
    const sums = this.sums.subarray(0, this.lists * dims);
    this.lists = 0;
    this.pairs = 0;
    return sums;
  }

  private blockAt(first: number): number {
    return this.tableAt + first * this.room.rows;
  }
}

/** What makes weights whole numbers: as large as a list's sums allow. */
function wholeFactor(weights: Float32Array): number {
  let largest = 0;
  let sum = 0;
  for (let i = 0; i < weights.length; i += 1) {
    const weight = weights[i]!;
    sum += weight;
    if (weight > largest) largest = weight;
  }
  if (largest === 0) return 1;
  // Each of the weights may be rounded up by a half.
  return Math.min(LARGEST_WEIGHT / largest, (LARGEST_SUM - weights.length) / sum);
}

/** Entries that lists take which are padded to pairs. */
function padded(entries: number, lists: number): number {
  return entries + lists + ((entries + lists) % 2);
}

function end({ byteOffset, byteLength }: ArrayBufferView): number {
  return byteOffset + byteLength;
}
