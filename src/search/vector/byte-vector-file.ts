import { SearchError } from "../../contract/errors.js";
import { OpenFile } from "../../files/open-file.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { ByteVectorReader } from "./byte-vector-reader.js";
import { byteVectorOf } from "./byte-vectors.js";
import type { ByteVectors } from "./vectors.js";

const { dimensions } = SEARCH_DEFAULTS;
/** Vectors read at a time. */
const BLOCK = 256;

/** A flat file of vectors of signed bytes, each with its scale, read by position. */
export class ByteVectorFile implements ByteVectors {
  readonly count: number;
  private readonly bytes: number;
  /** Made when the first vector is read as numbers. */
  private made: ByteVectorReader | undefined;

  private constructor(
    private readonly file: OpenFile,
    size: number,
    readonly width: number,
  ) {
    this.bytes = byteVectorOf(width);
    this.count = size / this.bytes;
  }

  /**
   * Opens the file.
   * @param width numbers of a vector
   * @throws SearchError `vectors_truncated` if the size is not a whole number of vectors.
   */
  static open(path: string, width: number = dimensions): ByteVectorFile {
    const file = OpenFile.open(path);
    const { size } = file;
    if (size % byteVectorOf(width) === 0) return new ByteVectorFile(file, size, width);
    file.close();
    throw new SearchError("vectors_truncated", `the vectors file is not whole: ${size} bytes`, {
      value: path,
      remedy: "rebuild the index with `mirrorlake install <lake>/slices --lake <lake> --rebuild`",
    });
  }

  readRun(first: number, count: number, into: Float32Array): void {
    const { bytes, reader } = this;
    const stored = new Uint8Array(Math.min(BLOCK, count) * bytes);
    for (let done = 0; done < count; done += BLOCK) {
      const run = Math.min(BLOCK, count - done);
      this.readBytes(first + done, run, stored);
      for (let i = 0; i < run; i += 1) {
        reader.stored.set(stored.subarray(i * bytes, (i + 1) * bytes));
        reader.readInto(into.subarray((done + i) * dimensions, (done + i + 1) * dimensions));
      }
    }
  }

  readBytes(first: number, count: number, into: Uint8Array, at = 0): void {
    if (first + count > this.count)
      throw new RangeError(`vector ${first + count - 1} of ${this.count} is past the end`);
    const { bytes } = this;
    this.file.read(into.subarray(at, at + count * bytes), first * bytes);
  }

  read(position: number): Float32Array {
    this.readBytes(position, 1, this.reader.stored);
    return this.reader.read();
  }

  close(): void {
    this.file.close();
  }

  private get reader(): ByteVectorReader {
    this.made ??= new ByteVectorReader(this.width);
    return this.made;
  }
}
