import { SEARCH_DEFAULTS } from "../defaults.js";
import { byteVectorOf } from "./byte-vectors.js";
import { Kernels } from "./kernels.js";

const { dimensions } = SEARCH_DEFAULTS;
const NUMBERS = 0;
const STORED = NUMBERS + dimensions * Float32Array.BYTES_PER_ELEMENT;

/**
 * Reads stored vectors of signed bytes: the numbers of `readByteVector`, made in WebAssembly in half the time that a loop over numbers
 * and a new array take.
 */
export class ByteVectorReader {
  /** Where a vector is put as it is stored, to be read. */
  readonly stored: Uint8Array;
  private readonly kernels: Kernels;
  private readonly numbers: Float32Array;

  /** @param width numbers of a stored vector */
  constructor(private readonly width: number) {
    this.kernels = Kernels.create(STORED + byteVectorOf(width));
    this.stored = this.kernels.bytes.subarray(STORED, STORED + byteVectorOf(width));
    this.numbers = this.kernels.floats(NUMBERS, dimensions);
  }

  /** The vector, 1536 numbers, in a new array. */
  read(): Float32Array {
    return this.made().slice();
  }

  /** Writes the vector to `into` (1536 numbers). */
  readInto(into: Float32Array): void {
    into.set(this.made());
  }

  private made(): Float32Array {
    this.kernels.readBytes(STORED, this.width, NUMBERS);
    return this.numbers;
  }
}
