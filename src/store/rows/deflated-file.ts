import { type FileHandle, open } from "node:fs/promises";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { OpenFile } from "../../files/open-file.js";
import { lastAtMost } from "../last-at-most.js";

/** Bytes of a block before compression, at least: some fifty comments, inflated in a tenth of a millisecond. */
const BLOCK_BYTES = 16 * 1024;
/** Inflated blocks that are kept, the latest ones asked for: a megabyte. */
const KEPT_BLOCKS = 64;
const LEVEL = 4;

/**
 * Writes bytes in blocks, each compressed by DEFLATE (RFC 1951), to be read by their positions before compression. `<path>` has the
 * blocks, `<path>.blocks` where each starts and the last one ends, first before compression, then after it (float64, little-endian).
 */
export class DeflatedFileWriter {
  private readonly starts = { plain: [0], stored: [0] };
  private pieces: Uint8Array[] = [];
  private pending = 0;

  private constructor(
    private readonly blocks: FileHandle,
    private readonly index: FileHandle,
  ) {}

  /** Starts an empty file; it may not exist. */
  static async create(path: string): Promise<DeflatedFileWriter> {
    const blocks = await open(path, "wx");
    return new DeflatedFileWriter(blocks, await open(`${path}.blocks`, "wx"));
  }

  /** Adds pieces; none of them is divided among blocks. */
  async append(pieces: readonly Uint8Array[]): Promise<void> {
    for (const piece of pieces) {
      this.pieces.push(piece);
      this.pending += piece.length;
      if (this.pending >= BLOCK_BYTES) await this.flush();
    }
  }

  /** Writes what is left. */
  async finish(): Promise<void> {
    if (this.pending > 0) await this.flush();
    await this.index.appendFile(
      new Uint8Array(Float64Array.from([...this.starts.plain, ...this.starts.stored]).buffer),
    );
  }

  /** Closes the files. */
  async close(): Promise<void> {
    await this.blocks.close();
    await this.index.close();
  }

  private async flush(): Promise<void> {
    const block = deflateRawSync(Buffer.concat(this.pieces), { level: LEVEL });
    await this.blocks.appendFile(block);
    const { plain, stored } = this.starts;
    plain.push(plain.at(-1)! + this.pending);
    stored.push(stored.at(-1)! + block.length);
    this.pieces = [];
    this.pending = 0;
  }
}

/** Reads a file of {@link DeflatedFileWriter} by positions before compression, synchronously. */
export class DeflatedFile {
  private readonly kept = new Map<number, Uint8Array>();

  private constructor(
    private readonly file: OpenFile,
    /** By block, and for the end: where it starts before compression, and in the file. */
    private readonly plain: Float64Array,
    private readonly stored: Float64Array,
  ) {}

  /** Opens a file. @throws RangeError if it is truncated */
  static open(path: string): DeflatedFile {
    const file = OpenFile.open(path);
    try {
      const numbers = readIndex(`${path}.blocks`);
      const plain = numbers.subarray(0, numbers.length / 2);
      const stored = numbers.subarray(numbers.length / 2);
      if (stored.at(-1) !== file.size)
        throw new RangeError(`${path} does not end at its last block: it is truncated`);
      return new DeflatedFile(file, plain, stored);
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** Bytes before compression. */
  get size(): number {
    return this.plain.at(-1)!;
  }

  /** Fills a view from a position on. @throws RangeError past the end */
  read(into: Uint8Array, position: number): void {
    for (let done = 0; done < into.length; ) {
      const at = position + done;
      if (at >= this.size) throw new RangeError(`position ${at} of ${this.size} bytes`);
      const block = lastAtMost(this.plain, at);
      const from = at - this.plain[block]!;
      const piece = this.block(block).subarray(from, from + into.length - done);
      into.set(piece, done);
      done += piece.length;
    }
  }

  /** Closes the file. */
  close(): void {
    this.kept.clear();
    this.file.close();
  }

  private block(number: number): Uint8Array {
    const known = this.kept.get(number);
    if (known !== undefined) {
      this.kept.delete(number);
      this.kept.set(number, known);
      return known;
    }
    const bytes = new Uint8Array(this.stored[number + 1]! - this.stored[number]!);
    this.file.read(bytes, this.stored[number]!);
    const inflated = inflateRawSync(bytes, { maxOutputLength: this.lengthOf(number) });
    if (inflated.length !== this.lengthOf(number))
      throw new RangeError(`block ${number} of ${this.file.path} is not whole`);
    if (this.kept.size === KEPT_BLOCKS) this.kept.delete(this.kept.keys().next().value!);
    this.kept.set(number, inflated);
    return inflated;
  }

  private lengthOf(block: number): number {
    return this.plain[block + 1]! - this.plain[block]!;
  }
}

function readIndex(path: string): Float64Array {
  const file = OpenFile.open(path);
  try {
    if (file.size < 16 || file.size % 16 !== 0)
      throw new RangeError(`${path} is truncated: ${file.size} bytes`);
    const numbers = new Float64Array(file.size / 8);
    file.read(numbers, 0);
    return numbers;
  } finally {
    file.close();
  }
}
