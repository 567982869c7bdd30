import { createKernels, type EmbedKernels } from "./kernels.js";

/** Vectors that are made rows of signed bytes, in WebAssembly memory. */
export class ByteRows {
  /** The vector that is measured, and made a row. */
  readonly vector: Float32Array;
  private readonly measured: Float32Array;
  private readonly rowsAt: number;

  private constructor(
    private readonly kernels: EmbedKernels,
    private readonly dims: number,
  ) {
    const { buffer } = kernels.memory;
    this.vector = new Float32Array(buffer, 0, dims);
    this.measured = new Float32Array(buffer, dims * 4, 4);
    this.rowsAt = (dims + 4) * 4;
  }

  /** Room for `rows` rows of `dims` bytes, a multiple of 16. */
  static async create(dims: number, rows: number): Promise<ByteRows> {
    return new ByteRows(await createKernels((dims + 4) * 4 + rows * dims), dims);
  }

  /** The length of the vector and its largest magnitude. */
  measure(): { length: number; largest: number } {
    this.kernels.measure(0, this.dims, this.measured.byteOffset);
    return { length: Math.sqrt(this.measured[0]!), largest: this.measured[1]! };
  }

  /** Makes the vector, times a factor and rounded, a row. */
  narrow(factor: number, row: number): void {
    this.kernels.narrow(0, this.dims, factor, this.rowsAt + row * this.dims);
  }

  /** The first rows. */
  bytes(rows: number): Int8Array {
    return new Int8Array(this.kernels.memory.buffer, this.rowsAt, rows * this.dims);
  }
}
