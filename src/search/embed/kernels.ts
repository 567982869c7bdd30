import { KERNELS_BINARY } from "./kernels-binary.js";

interface KernelExports {
  readonly memory: WebAssembly.Memory;
  gather(rows: number, weights: number, count: number, table: number, dims: number, out: number): void;
  measure(row: number, dims: number, out: number): void;
  narrow(row: number, dims: number, factor: number, out: number): void;
}

const PAGE = 65_536;
/** Rows in one call. */
const LIST = 4096;
const WEIGHTS_AT = LIST * 4;
const VECTOR_AT = 2 * LIST * 4;

/**
 * Sums over rows of a table of signed bytes in WebAssembly memory. Every sum runs in one order in single precision, so the
 * results are the same on every machine.
 */
export class EmbedKernels {
  /** The vector of `dims` floats that the kernels add to, measure and narrow. */
  readonly vector: Float32Array;
  private readonly memory: ArrayBuffer;
  private readonly tableAt: number;
  private readonly lists: Uint32Array;
  private readonly listWeights: Float32Array;
  private readonly measured: Float32Array;

  private constructor(
    private readonly exports: KernelExports,
    private readonly dims: number,
  ) {
    this.memory = exports.memory.buffer;
    this.lists = new Uint32Array(this.memory, 0, LIST);
    this.listWeights = new Float32Array(this.memory, WEIGHTS_AT, LIST);
    this.measured = new Float32Array(this.memory, 0, 2);
    this.vector = new Float32Array(this.memory, VECTOR_AT, dims);
    this.tableAt = VECTOR_AT + dims * 4;
  }

  /**
   * Room for a table of `rows` rows of `dims` signed bytes, a multiple of 16. Throws `RangeError` where that much
   * memory cannot be had.
   */
  static async create(dims: number, rows: number): Promise<EmbedKernels> {
    const { instance } = await WebAssembly.instantiate(Buffer.from(KERNELS_BINARY, "base64"));
    const exports = instance.exports as unknown as KernelExports;
    exports.memory.grow(Math.ceil((VECTOR_AT + dims * (4 + rows)) / PAGE));
    return new EmbedKernels(exports, dims);
  }

  /** The table as signed bytes, `rows` rows of `dims`. */
  bytes(rows: number): Int8Array {
    return new Int8Array(this.memory, this.tableAt, rows * this.dims);
  }

  /** Adds the rows of a table of bytes, each times its weight, to the vector. */
  gather(rows: Uint32Array, weights: Float32Array): void {
    for (let at = 0; at < rows.length; at += LIST) {
      const count = this.#put(rows.subarray(at, at + LIST), weights.subarray(at, at + LIST));
      this.exports.gather(0, WEIGHTS_AT, count, this.tableAt, this.dims, VECTOR_AT);
    }
  }

  /** The length of the vector and its largest magnitude. */
  measure(): { length: number; largest: number } {
    this.exports.measure(VECTOR_AT, this.dims, 0);
    return { length: Math.sqrt(this.measured[0]!), largest: this.measured[1]! };
  }

  /** Makes the vector, times a factor, the row of a table of bytes, rounded. */
  narrow(factor: number, row: number): void {
    this.exports.narrow(VECTOR_AT, this.dims, factor, this.tableAt + row * this.dims);
  }

  #put(rows: Uint32Array, weights: Float32Array): number {
    this.lists.set(rows);
    this.listWeights.set(weights);
    return rows.length;
  }
}
