import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { ByteVectorFile } from "./byte-vector-file.js";
import { VectorFile } from "./vector-file.js";
import { VECTOR_FILES } from "./vector-files.js";

/** Stored numbers are a multiple of this. */
const TOGETHER = 32;

/**
 * How a set stores its vectors. `float32`: as they came. `int8`: signed bytes and a scale per vector; the vector is what these
 * say, exactly.
 */
export type VectorNumbers = "float32" | "int8";

/** The folder of a set of vectors, and how they are stored. */
export interface VectorSource {
  readonly dir: string;
  readonly numbers: VectorNumbers;
  /** Numbers of a vector that are stored; those behind them are zeros. Default: all 1536. */
  readonly width?: number | undefined;
}

/**
 * Stored numbers of vectors of so many dimensions: a multiple of 32, as codes and sums take them. Undefined where all 1536 are: of as
 * many dimensions, or where it is not known how many they are.
 */
export function storedWidth(dims: number | undefined): number | undefined {
  if (dims === undefined || !Number.isInteger(dims) || dims < 1) return undefined;
  const width = Math.ceil(dims / TOGETHER) * TOGETHER;
  return width < SEARCH_DEFAULTS.dimensions ? width : undefined;
}

/** The vectors of a set, 1536 numbers each, read by position. */
export interface Vectors {
  readonly count: number;
  /** Numbers of a vector that are stored; those behind them are zeros. */
  readonly width: number;
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
   * Reads `count` consecutive vectors from `first` on as they are stored, `width` signed bytes and a scale each, to a byte offset in `into`.
   * @throws RangeError past the end.
   */
  readBytes(first: number, count: number, into: Uint8Array, at?: number): void;
}

/** Vectors of 32-bit floats. */
export interface FloatVectors extends Vectors {
  /**
   * Reads `count` consecutive vectors from `first` on as they are stored, `width` floats each, to a byte offset in `into`.
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
export function openVectors({ dir, numbers, width }: VectorSource): Vectors {
  return numbers === "int8"
    ? ByteVectorFile.open(join(dir, VECTOR_FILES.byteVectors), width)
    : VectorFile.open(join(dir, VECTOR_FILES.vectors), width);
}
