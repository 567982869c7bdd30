import { SEARCH_DEFAULTS } from "../defaults.js";
import { createKernels, type EmbedKernels } from "../embed/kernels.js";

/** The largest entry of a vector as a signed byte. */
export const LARGEST_BYTE = 127;

/** Quantizes feature vectors to rows of signed bytes, in WebAssembly memory. */
export class ByteRows {
  /** The input vector. */
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

  /** Allocates `rows` rows of `dims` bytes, a multiple of 16. */
  static async create(dims: number, rows: number): Promise<ByteRows> {
    return new ByteRows(await createKernels((dims + 4) * 4 + rows * dims), dims);
  }

  /**
   * Quantizes the vector to a row, its largest magnitude 127.
   *
   * @returns the scale that gives the row the length of the reflection share; 0 for a zero vector
   */
  make(row: number): number {
    this.kernels.measure(0, this.dims, this.measured.byteOffset);
    const length = Math.sqrt(this.measured[0]!);
    const largest = this.measured[1]!;
    const factor = largest === 0 ? 0 : LARGEST_BYTE / largest;
    this.kernels.narrow(0, this.dims, factor, this.rowsAt + row * this.dims);
    return largest === 0 ? 0 : SEARCH_DEFAULTS.embed.reflection / (length * factor);
  }

  /** The first rows. */
  bytes(rows: number): Int8Array {
    return new Int8Array(this.kernels.memory.buffer, this.rowsAt, rows * this.dims);
  }
}
