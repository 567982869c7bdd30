import { SEARCH_DEFAULTS } from "../../defaults.js";
import { BYTE_VECTOR, byteVectorOf, copyByteVectors } from "../byte-vectors.js";
import type { StoredVectors } from "../load-vectors.js";
import { type CodeKernels, createCodeKernels } from "./code-kernels.js";
import type { CodeSpace } from "./code-space.js";

/** Rows scored per call of the kernel. */
export const SCORED_ROWS = 1024;
/** Vectors coded per call. */
const CODED_ROWS = 16;
const LEVELS = 16;
const CELLS = 64;

/** Where things stand in the kernels' memory, as byte addresses. */
export interface CodePlaces {
  /** Levels, cells, and numbers by dimension; see {@link headBytes}. */
  readonly head: number;
  /** Room for the work of one thread; see {@link deskBytes}. */
  readonly desk: number;
  readonly codes: number;
}

/** Bytes of what says what codes mean. */
export function headBytes(dims: number): number {
  return LEVELS + CELLS + 4 * dims * Float32Array.BYTES_PER_ELEMENT;
}

/** Bytes for the work of one thread: weights of a query, row numbers, sums, vectors to code. */
export function deskBytes(dims: number): number {
  const bytes = dims * 2 + 2 * (SCORED_ROWS + 2) * 4 + CODED_ROWS * BYTE_VECTOR;
  return Math.ceil(bytes / 16) * 16;
}

/** Bytes of a row's codes. */
export function codeBytes(dims: number): number {
  return dims / 2;
}

/**
 * The 4-bit codes of a set's vectors in WebAssembly memory, row by row, so that any row is scored by itself: what graphs and filters
 * need. Made of the vectors' signed bytes.
 */
export class RowCodes implements StoredVectors {
  /** Numbers of rows to score: {@link SCORED_ROWS} at most. */
  readonly rows: Int32Array;
  /** Their sums, in the same order. */
  readonly sums: Int32Array;
  /** Address of the query's weights. */
  readonly weights: number;
  private readonly bytes: Uint8Array;
  private readonly stride: number;
  private readonly vectors: number;

  constructor(
    readonly kernels: CodeKernels,
    readonly count: number,
    readonly dims: number,
    private readonly places: CodePlaces,
  ) {
    const { buffer } = kernels.memory;
    this.bytes = new Uint8Array(buffer);
    this.stride = codeBytes(dims);
    this.weights = places.desk;
    const rows = this.weights + dims * 2;
    const sums = rows + (SCORED_ROWS + 2) * 4;
    this.vectors = sums + (SCORED_ROWS + 2) * 4;
    this.rows = new Int32Array(buffer, rows, SCORED_ROWS + 2);
    this.sums = new Int32Array(buffer, sums, SCORED_ROWS + 2);
  }

  /**
   * Makes room for the codes of `count` rows.
   * @throws RangeError if that much memory is not available.
   */
  static async create(count: number, space: CodeSpace): Promise<RowCodes> {
    const desk = headBytes(space.dims);
    const codes = desk + deskBytes(space.dims);
    const kernels = await createCodeKernels(codes + count * codeBytes(space.dims));
    const rows = new RowCodes(kernels, count, space.dims, { head: 0, desk, codes });
    rows.describe(space);
    return rows;
  }

  /** Writes what the codes mean to the memory. */
  describe({ levels, cells, factors, added, ofRows, dims }: CodeSpace): void {
    const { head } = this.places;
    this.bytes.set(new Uint8Array(levels.buffer), head);
    this.bytes.set(cells, head + LEVELS);
    const numbers = [factors, added, ofRows.bases, ofRows.slopes];
    const into = new Float32Array(this.bytes.buffer, head + LEVELS + CELLS, 4 * dims);
    for (const [i, values] of numbers.entries()) into.set(values, i * dims);
  }

  put(stored: Uint8Array, first: number, width: number): void {
    const { dims } = this;
    const head = this.places.head + LEVELS;
    const own = byteVectorOf(width);
    for (let done = 0; done < stored.length; done += CODED_ROWS * own) {
      const some = stored.subarray(done, done + CODED_ROWS * own);
      copyByteVectors(some, width, this.bytes.subarray(this.vectors), SEARCH_DEFAULTS.dimensions);
      this.kernels.codeVectors(
        this.vectors,
        some.length / own,
        BYTE_VECTOR,
        dims,
        head + CELLS,
        head + CELLS + dims * 4,
        head,
        this.address(first + done / own),
      );
    }
  }

  /** Makes weights the query's. */
  setQuery(weights: Int16Array): void {
    new Int16Array(this.bytes.buffer, this.weights, this.dims).set(weights);
  }

  /** Makes a row's codes weights of a query, at an address, in the unit of all rows. */
  weighRow(row: number, into: number): void {
    const numbers = this.places.head + LEVELS + CELLS;
    const { dims } = this;
    this.kernels.weighCodes(
      this.address(row),
      this.stride,
      this.places.head,
      numbers + 2 * dims * 4,
      numbers + 3 * dims * 4,
      into,
    );
  }

  /** Scores the first `count` of {@link rows} by weights at an address: to {@link sums}. */
  score(count: number, weights: number): void {
    const { places, rows } = this;
    // Two rows are scored at a time.
    if (count % 2 === 1) rows[count] = rows[count - 1]!;
    this.kernels.scoreCodes(
      places.codes,
      this.stride,
      rows.byteOffset,
      count + (count % 2),
      weights,
      places.head,
      this.sums.byteOffset,
    );
  }

  private address(row: number): number {
    return this.places.codes + row * this.stride;
  }
}
