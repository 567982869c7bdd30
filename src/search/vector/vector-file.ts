import { performance } from "node:perf_hooks";
import { SearchError } from "../../contract/errors.js";
import { OpenFile } from "../../files/open-file.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { FloatVectors } from "./vectors.js";

const { dimensions } = SEARCH_DEFAULTS;
const FLOAT = Float32Array.BYTES_PER_ELEMENT;
/**
 * Number of reads in the moving average of read time: several searches, since reads after a read-ahead are
 * fast.
 */
const RECENT = 1024;

/**
 * A flat file of vectors of little-endian 32-bit floats, as many of each, read by position. Reads are synchronous on
 * purpose: from the page cache one takes microseconds, a tenth of a round trip through the thread pool.
 */
export class VectorFile implements FloatVectors {
  readonly count: number;
  /** Bytes of a vector. */
  private readonly bytes: number;
  /** Moving average of the time to read a vector, ms. */
  private pace = 0;

  private constructor(
    private readonly file: OpenFile,
    size: number,
    readonly width: number,
    private readonly slowRead: number,
  ) {
    this.bytes = width * FLOAT;
    this.count = size / this.bytes;
  }

  /**
   * Opens the file.
   * @param width numbers of a vector
   * @param slowRead read time, ms, from which reads count as served by the disk
   * @throws SearchError `vectors_truncated` if the size is not a whole number of vectors.
   */
  static open(
    path: string,
    width: number = dimensions,
    slowRead: number = SEARCH_DEFAULTS.vector.slowRead,
  ): VectorFile {
    const file = OpenFile.open(path);
    const { size } = file;
    if (size % (width * FLOAT) === 0) return new VectorFile(file, size, width, slowRead);
    file.close();
    throw new SearchError("vectors_truncated", `the vectors file is not whole: ${size} bytes`, {
      value: path,
      remedy: "rebuild the index with `mirrorlake install <lake>/slices --lake <lake> --rebuild`",
    });
  }

  /**
   * Reads `count` consecutive vectors from `first` on into `into` (`count` × 1536 numbers).
   * @throws RangeError past the end of the file.
   */
  readRun(first: number, count: number, into: Float32Array): void {
    const { width, bytes } = this;
    this.readInto(first, count, new Uint8Array(into.buffer, into.byteOffset, count * bytes), 0);
    if (width === dimensions) return;
    // From the last on: none is written over before it has moved.
    for (let i = count - 1; i >= 0; i -= 1) {
      into.copyWithin(i * dimensions, i * width, (i + 1) * width);
      into.fill(0, i * dimensions + width, (i + 1) * dimensions);
    }
  }

  readInto(first: number, count: number, into: Uint8Array, at: number): void {
    if (first + count > this.count)
      throw new RangeError(`vector ${first + count - 1} of ${this.count} is past the end`);
    const began = performance.now();
    this.file.read(into.subarray(at, at + count * this.bytes), first * this.bytes);
    this.pace += ((performance.now() - began) / count - this.pace) / RECENT;
  }

  /**
   * Where recent reads were slow, reads rows into the page cache through the thread pool, since a disk serves
   * parallel reads as fast as one. Otherwise does nothing. Resolves when all rows are read.
   */
  async readAhead(rows: Uint32Array): Promise<void> {
    if (this.pace < this.slowRead) return;
    const { bytes } = this;
    const unused = new Uint8Array(bytes);
    await Promise.all(Array.from(rows, (row) => this.file.readAhead(unused, row * bytes)));
  }

  /** Returns the vector at a position in a new array. */
  read(position: number): Float32Array {
    const vector = new Float32Array(dimensions);
    this.readRun(position, 1, vector);
    return vector;
  }

  close(): void {
    this.file.close();
  }
}
