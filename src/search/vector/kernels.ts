import { KERNELS_BINARY, SHARED_KERNELS_BINARY } from "./kernels-binary.js";

/** Exports of kernels.wat. Addresses are byte offsets in its memory. */
interface KernelExports {
  sumColumns(
    planes: number,
    planeBytes: number,
    offsets: number,
    units: number,
    tables: number,
    sums: number,
  ): void;
  sumsFrom(sums: number, count: number, least: number, out: number): number;
  codeRows(
    rows: number,
    first: number,
    dims: number,
    factors: number,
    added: number,
    cells: number,
    desk: number,
    codes: number,
    planeBytes: number,
  ): void;
  scoreBytes(
    bytes: number,
    stride: number,
    rows: number,
    count: number,
    dims: number,
    query: number,
    scores: number,
  ): void;
  readBytes(stored: number, dims: number, out: number): void;
  innerProducts(rows: number, count: number, dims: number, query: number, out: number): void;
  multiply(left: number, rows: number, depth: number, panels: number, columns: number, out: number): void;
}

const PAGE = 65_536;
/** Bytes of room that {@link Kernels.codeRows} needs. */
export const CODING_DESK = 1536;

/** What {@link Kernels.codeRows} makes codes with, as byte addresses. */
export interface CodingPlaces {
  readonly factors: number;
  readonly added: number;
  readonly cells: number;
  readonly desk: number;
}

/** The compiled binaries, which never change: of instances that have memory of their own, and that are given one. */
let compiled: WebAssembly.Module | undefined;
let compiledShared: Promise<WebAssembly.Module> | undefined;

/**
 * WebAssembly SIMD kernels with memory of fixed size, their own or one that threads share. Every sum has a fixed order, and WebAssembly
 * arithmetic is deterministic, so results are the same on every machine.
 */
export class Kernels {
  readonly bytes: Uint8Array;

  private constructor(
    private readonly exports: KernelExports,
    /** Shared memory can be sent to a thread. */
    readonly memory: WebAssembly.Memory,
  ) {
    this.bytes = new Uint8Array(memory.buffer);
  }

  /**
   * Instantiates the kernels with `size` bytes of memory.
   * @throws RangeError if that much memory is not available.
   */
  static create(size: number): Kernels {
    compiled ??= new WebAssembly.Module(Buffer.from(KERNELS_BINARY, "base64"));
    const { exports: made } = new WebAssembly.Instance(compiled);
    const exports = made as unknown as KernelExports & { readonly memory: WebAssembly.Memory };
    const { memory } = exports;
    memory.grow(Math.max(0, Math.ceil(size / PAGE) - memory.buffer.byteLength / PAGE));
    return new Kernels(exports, memory);
  }

  /**
   * Instantiates the kernels with `size` bytes of memory that threads share.
   * @throws RangeError if that much memory is not available.
   */
  static share(size: number): Promise<Kernels> {
    const pages = Math.max(1, Math.ceil(size / PAGE));
    return Kernels.attach(new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }));
  }

  /** Instantiates the kernels with the memory of others, which {@link Kernels.share} made. */
  static async attach(memory: WebAssembly.Memory): Promise<Kernels> {
    compiledShared ??= WebAssembly.compile(Buffer.from(SHARED_KERNELS_BINARY, "base64"));
    const { exports } = await WebAssembly.instantiate(await compiledShared, { shared: { memory } });
    return new Kernels(exports as unknown as KernelExports, memory);
  }

  /** A view of `length` floats at an address that is a multiple of 4. */
  floats(address: number, length: number): Float32Array {
    return new Float32Array(this.bytes.buffer, address, length);
  }

  /** A view of `length` doubles at an address that is a multiple of 8. */
  doubles(address: number, length: number): Float64Array {
    return new Float64Array(this.bytes.buffer, address, length);
  }

  /** A view of `length` 32-bit integers at an address that is a multiple of 4. */
  integers(address: number, length: number): Int32Array {
    return new Int32Array(this.bytes.buffer, address, length);
  }

  /** A view of `length` 16-bit integers at an even address. */
  shorts(address: number, length: number): Int16Array {
    return new Int16Array(this.bytes.buffer, address, length);
  }

  /** A view of `length` unsigned 16-bit integers at an even address. */
  sums(address: number, length: number): Uint16Array {
    return new Uint16Array(this.bytes.buffer, address, length);
  }

  /**
   * Sums one of 16 table entries per unit: one unsigned 16-bit sum per row. A unit is two planes with 2 bits per row, of which the
   * first has the lower bits of the entry's number. Of each plane `bytes` (a multiple of 16) are read. `offsets` holds the byte
   * offsets of both from `planes`, `tables` the entries, 16 bytes per unit, of a multiple of four units. Sums of each four are at
   * most 255, of all 65535.
   */
  sumColumns(
    { planes, bytes }: { readonly planes: number; readonly bytes: number },
    { offsets, units, tables }: { readonly offsets: number; readonly units: number; readonly tables: number },
    sums: number,
  ): void {
    this.exports.sumColumns(planes, bytes, offsets, units, tables, sums);
  }

  /**
   * Codes `dims` dimensions from `first` on, multiples of 16, of 64 stored vectors of signed bytes at `rows`: what the 64 bytes at `cells`
   * have for ⌊byte × scale × factor + added⌋ within 0 to 63, in single precision; `factors` and `added` hold a number of each dimension.
   * The upper two bits of dimension 0 go to 16 bytes at `codes`, in which byte i has those of rows i, 16 + i, 32 + i and 48 + i, the lower
   * two `planeBytes` further, those of the next dimension twice as far. `desk` is {@link CODING_DESK} bytes of room for this.
   */
  codeRows(
    rows: number,
    { first, dims }: { readonly first: number; readonly dims: number },
    { factors, added, cells, desk }: CodingPlaces,
    { codes, planeBytes }: { readonly codes: number; readonly planeBytes: number },
  ): void {
    this.exports.codeRows(rows, first, dims, factors, added, cells, desk, codes, planeBytes);
  }

  /**
   * Finds the unsigned 16-bit sums that are at least `least` (0 to 65535) among `count` (a multiple of 8).
   * Writes their ascending positions as 32-bit integers at `out` and returns their number.
   */
  sumsFrom(sums: number, count: number, least: number, out: number): number {
    return this.exports.sumsFrom(sums, count, least, out);
  }

  /**
   * Dot products of a 16-bit query with the signed bytes (`dims` per vector, a multiple of 16) of the `count` vectors (a multiple
   * of 4) whose numbers are at `rows`, each times the 32-bit float behind the bytes; one double per vector. A vector stands every
   * `stride` bytes.
   */
  scoreBytes(
    { bytes, stride, dims }: { readonly bytes: number; readonly stride: number; readonly dims: number },
    rows: number,
    count: number,
    query: number,
    scores: number,
  ): void {
    this.exports.scoreBytes(bytes, stride, rows, count, dims, query, scores);
  }

  /** Makes floats at `out` of the vector of signed bytes at `stored` (`dims` of them, a multiple of 16), each times the float behind them. */
  readBytes(stored: number, dims: number, out: number): void {
    this.exports.readBytes(stored, dims, out);
  }

  /**
   * Inner products of `count` vectors of `dims` floats (a multiple of 8) with one vector of doubles, in double
   * precision.
   */
  innerProducts(rows: number, count: number, dims: number, query: number, out: number): void {
    this.exports.innerProducts(rows, count, dims, query, out);
  }

  /**
   * Multiplies `rows` (a multiple of 4) × `depth` floats by a matrix in panels of 8 columns; see {@link
   * packPanels}.
   */
  multiply(left: number, rows: number, depth: number, panels: number, columns: number, out: number): void {
    this.exports.multiply(left, rows, depth, panels, columns, out);
  }
}

/**
 * Packs a row-major matrix of `depth` × `columns` (a multiple of 8) into panels of 8 columns, the layout that
 * `multiply` reads.
 */
export function packPanels(matrix: Float32Array, depth: number, columns: number, into: Float32Array): void {
  for (let column = 0; column < columns; column += 8) {
    for (let k = 0; k < depth; k += 1) {
      const from = k * columns + column;
      into.set(matrix.subarray(from, from + 8), column * depth + k * 8);
    }
  }
}
