import { join } from "node:path";
import { ByteVectorFile } from "./byte-vector-file.js";
import { VectorFile } from "./vector-file.js";
import { VECTOR_FILES } from "./vector-files.js";

/**
 * How a set stores its vectors. `float32`: as they came. `int8`: signed bytes and a scale per vector; the vector is what these
 * say, exactly.
 */
export type VectorNumbers = "float32" | "int8";

/** The folder of a set of vectors, and how they are stored. */
export interface VectorSource {
  readonly dir: string;
  readonly numbers: VectorNumbers;
}

/** The vectors of a set, 1536 numbers each, read by position. */
export interface Vectors {
  readonly count: number;
  /**
   * Reads `count` consecutive vectors from `first` on into `into` (`count` × 1536 numbers).
   * @throws RangeError past the end of the file.
   */
  readRun(first: number, count: number, into: Float32Array): void;
  /** Returns the vector at a position in a new array. */
  read(position: number): Float32Array;
  close(): void;
}

/** Vectors of signed bytes, each with its scale. */
export interface ByteVectors extends Vectors {
  /**
   * Reads `count` consecutive vectors from `first` on as they are stored, to a byte offset in `into`.
   * @throws RangeError past the end.
   */
  readBytes(first: number, count: number, into: Uint8Array, at?: number): void;
}

/** Vectors of 32-bit floats. */
export interface FloatVectors extends Vectors {
  /**
   * Reads `count` consecutive vectors from `first` on as bytes, to a byte offset in `into`.
   * @throws RangeError past the end.
   */
  readInto(first: number, count: number, into: Uint8Array, at: number): void;
  /** Reads rows into the page cache, where reads are slow; resolves when it has. */
  readAhead(rows: Uint32Array): Promise<void>;
}

/**
 * Opens the vectors of a set.
 * @throws SearchError `vectors_truncated` if the file is not whole.
 */
export function openVectors({ dir, numbers }: VectorSource): Vectors {
  return numbers === "int8"
    ? ByteVectorFile.open(join(dir, VECTOR_FILES.byteVectors))
    : VectorFile.open(join(dir, VECTOR_FILES.vectors));
}
