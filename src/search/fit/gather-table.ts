import { attachKernels, createKernels, type EmbedKernels } from "../embed/kernels.js";

/** Dimensions of a block; one row of a block fills a cache line. */
export const BLOCK = 64;

/** Largest integer weight, and largest sum of a list's weights: times a byte it fits in 31 bits. */
const LARGEST_WEIGHT = 2 ** 15 - 1;
const LARGEST_SUM = 2 ** 24;

/** Capacity of a {@link GatherTable}. */
export interface GatherRoom {
  /** Dimensions of a row, a multiple of 64. */
  readonly dims: number;
  readonly rows: number;
  /** Most lists in a batch, and most entries of all of them. */
  readonly lists: number;
  readonly entries: number;
}

/** Where a {@link GatherTable} is in shared memory: its rows, which others have too, and what is its own. */
export interface SharedPlace {
  readonly memory: WebAssembly.Memory;
  readonly rowsAt: number;
  readonly ownAt: number;
}

/**
 * Weighted sums of a table's rows, signed bytes in WebAssembly memory: a list of rows and weights gives a
 * vector. Weights are rounded to 15 bits of the list's largest, or fewer to bound the sum. Lists are summed in
 * batches, 64 dimensions at a time, so that the active part of the table stays in the cache.
 */
export class GatherTable {
  /** Input of {@link place}. */
  readonly vector: Float32Array;
  private readonly starts: Uint32Array;
  private readonly scales: Float32Array;
  private readonly rows: Uint32Array;
  private readonly weights: Uint16Array;
  private readonly sums: Float32Array;
  private lists = 0;
  private pairs = 0;

  private constructor(
    private readonly kernels: EmbedKernels,
    private readonly room: GatherRoom,
    private readonly tableAt: number,
    ownAt: number,
  ) {
    const { buffer } = kernels.memory;
    const { dims, lists, entries } = room;
    this.vector = new Float32Array(buffer, ownAt, dims);
    this.sums = new Float32Array(buffer, end(this.vector), lists * dims);
    this.starts = new Uint32Array(buffer, end(this.sums), lists + 1);
    this.scales = new Float32Array(buffer, end(this.starts), lists);
    this.rows = new Uint32Array(buffer, end(this.scales), padded(entries, lists));
    this.weights = new Uint16Array(buffer, end(this.rows), padded(entries, lists));
  }

  /**
   * Allocates a table of zeros.
   * @throws RangeError if that much memory is not available.
   */
  static async create(room: GatherRoom): Promise<GatherTable> {
    const own = ownBytes(room);
    return new GatherTable(await createKernels(own + room.dims * room.rows), room, own, 0);
  }

  /** Opens a table in memory that threads share. Its rows may be read by several at a time, and filled by one each. */
  static async at({ memory, rowsAt, ownAt }: SharedPlace, room: GatherRoom): Promise<GatherTable> {
    return new GatherTable(await attachKernels(memory), room, rowsAt, ownAt);
  }

  /** Writes the vector, scaled and rounded, to a row of the table. */
  place(row: number, factor: number): void {
    for (let first = 0; first < this.room.dims; first += BLOCK)
      this.kernels.narrow(first * 4, BLOCK, factor, this.blockAt(first) + row * BLOCK);
  }

  /**
   * Fills rows of the table, at most as many as a batch has lists, with the bytes that `read` writes, `dims`
   * per row.
   */
  fill(rows: Uint32Array, read: (bytes: Int8Array) => void): void {
    const { dims } = this.room;
    const { buffer, byteOffset } = this.sums; // free while there is no batch, as the lists' rows are
    read(new Int8Array(buffer, byteOffset, rows.length * dims));
    this.rows.set(rows);
    const stride = this.room.rows * BLOCK;
    this.kernels.deal(byteOffset, rows.length, dims, this.rows.byteOffset, this.blockAt(0), stride);
  }

  /** Returns the bytes of all rows in 64 dimensions from `first` on, as a view of the table. */
  block(first: number): Int8Array {
    return new Int8Array(this.kernels.memory.buffer, this.blockAt(first), this.room.rows * BLOCK);
  }

  /**
   * Adds a list with nonnegative weights to the batch. Returns false if the batch is full.
   * @throws RangeError if the list exceeds an empty batch.
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

  /**
   * Returns the sums of the batch's lists, `dims` floats each, valid until the next call, and empties the
   * batch.
   */
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

/** Bytes of a table besides its rows: a multiple of {@link BLOCK}. */
export function ownBytes({ dims, lists, entries }: GatherRoom): number {
  const bytes = dims * 4 * (1 + lists) + (lists * 2 + 1) * 4 + padded(entries, lists) * 6;
  return Math.ceil(bytes / BLOCK) * BLOCK;
}

/** Factor that scales weights to integers, as large as the sum allows. */
function wholeFactor(weights: Float32Array): number {
  let largest = 0;
  let sum = 0;
  for (let i = 0; i < weights.length; i += 1) {
    const weight = weights[i]!;
    sum += weight;
    if (weight > largest) largest = weight;
  }
  if (largest === 0) return 1;
  // Each weight may be rounded up by a half.
  return Math.min(LARGEST_WEIGHT / largest, (LARGEST_SUM - weights.length) / sum);
}

/** Number of entries with lists padded to pairs. */
function padded(entries: number, lists: number): number {
  return entries + lists + ((entries + lists) % 2);
}

function end({ byteOffset, byteLength }: ArrayBufferView): number {
  return byteOffset + byteLength;
}
