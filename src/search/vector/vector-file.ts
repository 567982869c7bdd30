import { SearchError } from "../../contract/errors.js";
import { OpenFile } from "../../files/open-file.js";
import { SEARCH_DEFAULTS } from "../defaults.js";

const WIDTH = SEARCH_DEFAULTS.dimensions * Float32Array.BYTES_PER_ELEMENT;
/** Reads that the mean time of a read is of: of several searches, since those that were read ahead are fast. */
const RECENT = 1024;

/**
 * A flat file of 1536-d vectors, 32-bit little-endian floats, read by position. Reads are synchronous on purpose: from the
 * page cache one takes microseconds, a tenth of what a round through the thread pool costs.
 */
export class VectorFile {
  readonly count: number;
  /** What reading a vector took of late, ms. */
  private pace = 0;

  private constructor(
    private readonly file: OpenFile,
    size: number,
    private readonly slowRead: number,
  ) {
    this.count = size / WIDTH;
  }

  /**
   * Opens the file. Throws `SearchError` `vectors_truncated` where its size is not a whole number of vectors.
   *
   * @param slowRead time of a read, ms, from which it is the disk that answers
   */
  static open(path: string, slowRead: number = SEARCH_DEFAULTS.vector.slowRead): VectorFile {
    const file = OpenFile.open(path);
    const { size } = file;
    if (size % WIDTH === 0) return new VectorFile(file, size, slowRead);
    file.close();
    throw new SearchError("vectors_truncated", `the vectors file is not whole: ${size} bytes`, {
      value: path,
      remedy: "rebuild the index with `mirrorlake install <lake>/slices --lake <lake> --rebuild`",
    });
  }

  /** Reads `count` consecutive vectors from `first` on into `into`, which holds `count` × 1536 numbers. */
  readRun(first: number, count: number, into: Float32Array): void {
    this.readInto(first, count, new Uint8Array(into.buffer, into.byteOffset, count * WIDTH), 0);
  }

  /** The same, as bytes to a place in `into`. */
  readInto(first: number, count: number, into: Uint8Array, at: number): void {
    if (first + count > this.count)
      throw new RangeError(`vector ${first + count - 1} of ${this.count} is past the end`);
    const began = performance.now();
    this.file.read(into.subarray(at, at + count * WIDTH), first * WIDTH);
    this.pace += ((performance.now() - began) / count - this.pace) / RECENT;
  }

  /**
   * Where reads were slow of late, has the thread pool read rows that the caller reads next, for a disk answers many readers as
   * fast as one; the system keeps what it has read. Does nothing where they were not. Resolves when all are read.
   */
  async readAhead(rows: Uint32Array): Promise<void> {
    if (this.pace < this.slowRead) return;
    const unused = new Uint8Array(WIDTH);
    await Promise.all(Array.from(rows, (row) => this.file.readAhead(unused, row * WIDTH)));
  }

  /** The vector at a position, in an array of its own. */
  read(position: number): Float32Array {
    const vector = new Float32Array(SEARCH_DEFAULTS.dimensions);
    this.readRun(position, 1, vector);
    return vector;
  }

  close(): void {
    this.file.close();
  }
}
