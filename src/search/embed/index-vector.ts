import { SEARCH_DEFAULTS } from "../defaults.js";
import { type Feature, rehash } from "./features.js";
import { createKernels, type EmbedKernels } from "./kernels.js";

const { dimensions } = SEARCH_DEFAULTS;
const { positions } = SEARCH_DEFAULTS.embed;

/** Magnitude of the entries of an index vector of unit length. */
export const INDEX_ENTRY = Math.fround(1 / Math.sqrt(positions));

const SIGN = 0x8000;
const FLOAT = 4;
/** Index vectors added per call. */
const CALL = 1024;

/**
 * The index vectors of random indexing (Kanerva, Kristofersson, Holst 2000) of a list of features: each a few signed
 * entries at places that the feature's hash says. Adds them up in WebAssembly memory, with entries of ±1, in one order and in
 * single precision.
 */
export class IndexVectors {
  /** The sum, 1536 floats. */
  readonly vector: Float32Array;
  /** The vector that {@link blend} adds. */
  readonly other: Float32Array;
  private readonly measured: Float32Array;
  private readonly rows: Uint32Array;
  private readonly weights: Float32Array;
  private readonly entries: Uint16Array;

  private constructor(
    private readonly kernels: EmbedKernels,
    features: number,
  ) {
    const { buffer } = kernels.memory;
    this.vector = new Float32Array(buffer, 0, dimensions);
    this.other = new Float32Array(buffer, end(this.vector), dimensions);
    this.measured = new Float32Array(buffer, end(this.other), 4);
    this.rows = new Uint32Array(buffer, end(this.measured), CALL);
    this.weights = new Float32Array(buffer, end(this.rows), CALL);
    this.entries = new Uint16Array(buffer, end(this.weights), features * positions);
  }

  /**
   * Allocates a list of `features` features.
   * @throws RangeError if that much memory is not available.
   */
  static async create(features: number): Promise<IndexVectors> {
    const bytes = (dimensions * 2 + 4 + CALL * 2) * FLOAT + features * positions * 2;
    return new IndexVectors(await createKernels(bytes), features);
  }

  /** Sets the list of features. */
  list(features: Uint32Array): void {
    for (let row = 0; row < features.length; row += 1) {
      const feature = features[row]!;
      for (let i = 0; i < positions; i += 1) this.entries[row * positions + i] = entryOf(feature, i);
    }
  }

  /** Sets the vector to the weighted sum of index vectors of features, by index in the list. */
  sum(rows: Uint32Array, weights: Float32Array): void {
    this.vector.fill(0);
    for (let first = 0; first < rows.length; first += CALL) {
      const part = rows.subarray(first, first + CALL);
      this.rows.set(part);
      this.weights.set(weights.subarray(first, first + part.length));
      this.kernels.scatter(
        this.entries.byteOffset,
        this.rows.byteOffset,
        this.weights.byteOffset,
        part.length,
        this.vector.byteOffset,
      );
    }
  }

  /** Scales the vector and adds {@link other}. */
  blend(factor: number): void {
    this.kernels.blend(this.vector.byteOffset, dimensions, factor, this.other.byteOffset);
  }

  /** Returns the vector's length and its largest magnitude. */
  measure(): { length: number; largest: number } {
    this.kernels.measure(this.vector.byteOffset, dimensions, this.measured.byteOffset);
    return { length: Math.sqrt(this.measured[0]!), largest: this.measured[1]! };
  }
}

function entryOf(feature: Feature, number: number): number {
  const hash = rehash(feature, number);
  return (hash % dimensions) * FLOAT + (hash >= 0x8000_0000 ? SIGN : 0);
}

function end({ byteOffset, byteLength }: ArrayBufferView): number {
  return byteOffset + byteLength;
}
