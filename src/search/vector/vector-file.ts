import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { SearchError } from "../../contract/errors.js";
import { SEARCH_DEFAULTS } from "../defaults.js";

const WIDTH = SEARCH_DEFAULTS.dimensions * Float32Array.BYTES_PER_ELEMENT;

/**
 * A flat file of 1536-d vectors, 32-bit little-endian floats, read by position. Reads are synchronous on purpose: from the
 * page cache one takes microseconds, a tenth of what a round through the thread pool costs.
 */
export class VectorFile {
  readonly count: number;

  private constructor(
    private readonly descriptor: number,
    size: number,
  ) {
    this.count = size / WIDTH;
  }

  /** Opens the file. Throws `SearchError` `vectors_truncated` where its size is not a whole number of vectors. */
  static open(path: string): VectorFile {
    const descriptor = openSync(path, "r");
    const { size } = fstatSync(descriptor);
    if (size % WIDTH === 0) return new VectorFile(descriptor, size);
    closeSync(descriptor);
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
    for (let done = 0; done < count * WIDTH; ) {
      const read = readSync(this.descriptor, into, at + done, count * WIDTH - done, first * WIDTH + done);
      if (read === 0) throw new RangeError(`vector ${first + count - 1} of ${this.count} is past the end`);
      done += read;
    }
  }

  /** The vector at a position, in an array of its own. */
  read(position: number): Float32Array {
    const vector = new Float32Array(SEARCH_DEFAULTS.dimensions);
    this.readRun(position, 1, vector);
    return vector;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}
