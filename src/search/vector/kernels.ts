import { KERNELS_BINARY } from "./kernels-binary.js";

/** What kernels.wat exports; addresses and counts are those of its memory. */
interface KernelExports {
  readonly memory: WebAssembly.Memory;
  sumTables(codes: number, blocks: number, groups: number, tables: number, sums: number): void;
  sumsFrom(sums: number, count: number, least: number, out: number): number;
  scoreRows(codes: number, rows: number, count: number, dims: number, query: number, scores: number): void;
  innerProducts(rows: number, count: number, dims: number, query: number, out: number): void;
  project(vector: number, depth: number, matrix: number, columns: number, out: number): void;
  multiply(left: number, rows: number, depth: number, panels: number, columns: number, out: number): void;
}

const PAGE = 65_536;

/**
 * WebAssembly SIMD kernels over a memory of their own, of a size fixed at creation. The order of every sum is fixed, and
 * WebAssembly arithmetic is the same on every machine, so are the results.
 */
export class Kernels {
  readonly bytes: Uint8Array;

  private constructor(private readonly exports: KernelExports) {
    this.bytes = new Uint8Array(exports.memory.buffer);
  }

  /** Instantiates the kernels with `size` bytes of memory. Throws `RangeError` where that much cannot be had. */
  static async create(size: number): Promise<Kernels> {
    const { instance } = await WebAssembly.instantiate(Buffer.from(KERNELS_BINARY, "base64"));
    const exports = instance.exports as unknown as KernelExports;
    exports.memory.grow(Math.max(0, Math.ceil(size / PAGE) - exports.memory.buffer.byteLength / PAGE));
    return new Kernels(exports);
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

  /** Sums of one entry of 16 a group, by 4-bit codes in blocks of 32 rows; one unsigned 16-bit sum a row. */
  sumTables(codes: number, blocks: number, groups: number, tables: number, sums: number): void {
    this.exports.sumTables(codes, blocks, groups, tables, sums);
  }

  /**
   * Places, ascending, of the unsigned 16-bit sums that are `least` (0 to 65535) or more, of `count` (a multiple of 8): how many
   * there are, as 32-bit integers at `out`.
   */
  sumsFrom(sums: number, count: number, least: number, out: number): number {
    return this.exports.sumsFrom(sums, count, least, out);
  }

  /**
   * Dot products of a 16-bit query with the codes of `count` rows (a multiple of 4), `dims` numbers of 4 bits each (a multiple
   * of 32), whose numbers stand at `rows`; one 32-bit integer a row.
   */
  scoreRows(codes: number, rows: number, count: number, dims: number, query: number, scores: number): void {
    this.exports.scoreRows(codes, rows, count, dims, query, scores);
  }

  /** Inner products, in double precision, of `count` vectors of `dims` floats (a multiple of 8) with one of doubles. */
  innerProducts(rows: number, count: number, dims: number, query: number, out: number): void {
    this.exports.innerProducts(rows, count, dims, query, out);
  }

  /** A vector of `depth` doubles times a row-major matrix of `columns` (a multiple of 4) floats a row, in double precision. */
  project(vector: number, depth: number, matrix: number, columns: number, out: number): void {
    this.exports.project(vector, depth, matrix, columns, out);
  }

  /** `rows` (a multiple of 4) by `depth` floats times a matrix in panels of 8 columns; see {@link packPanels}. */
  multiply(left: number, rows: number, depth: number, panels: number, columns: number, out: number): void {
    this.exports.multiply(left, rows, depth, panels, columns, out);
  }
}

/** Lays a row-major matrix of `depth` × `columns` (a multiple of 8) out in panels of 8 columns, as `multiply` reads it. */
export function packPanels(matrix: Float32Array, depth: number, columns: number, into: Float32Array): void {
  for (let column = 0; column < columns; column += 8) {
    for (let k = 0; k < depth; k += 1) {
      const from = k * columns + column;
      into.set(matrix.subarray(from, from + 8), column * depth + k * 8);
    }
  }
}
