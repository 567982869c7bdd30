import { type FileHandle, open, readFile, writeFile } from "node:fs/promises";
import { Packr } from "msgpackr";
import { OpenFile } from "../../files/open-file.js";
import { DeflatedFile, DeflatedFileWriter } from "./deflated-file.js";
import { RowEnds, RowEndsWriter } from "./row-ends.js";
import { DICTIONARY_BYTES, RowPacker } from "./row-packer.js";
import { RowUnpacker } from "./row-unpacker.js";

const FLUSH_BYTES = 1024 * 1024;
const READ_AHEAD_BYTES = 4 * 1024 * 1024;
const packr = new Packr({ useRecords: false, variableMapSize: true, encodeUndefinedAsNil: false });

/**
 * How a store's rows are written: `packed` for single reads in any order, each compressed against a dictionary of rows like it,
 * `deflated` for rows that are read together or seldom.
 */
export type RowFormat = "packed" | "deflated";

/** A dictionary for packed rows that are like these values. */
export function dictionaryOf(values: readonly unknown[]): Uint8Array {
  const rows = values.map((value) => Buffer.from(packr.pack(value)));
  return Buffer.concat(rows.filter(({ length }) => length < DICTIONARY_BYTES / 8)).subarray(
    0,
    DICTIONARY_BYTES,
  );
}

/**
 * Writes values to be read by row number: `<path>.rows` has them as MessagePack, `<path>.ends` where each ends (see {@link
 * RowEnds}), before compression where the rows are deflated; `<path>.dictionary` is that of packed rows. The same values and
 * dictionary give the same bytes.
 */
export class RowStoreWriter {
  /** Rows written. */
  count = 0;
  private rows: Uint8Array[] = [];
  private readonly ends = new RowEndsWriter();
  private pending = 0;

  private constructor(
    private readonly rowsFile: RowsWriter,
    private readonly endsFile: FileHandle,
    private readonly packer: RowPacker | undefined,
  ) {}

  /** Starts an empty store; none of its files may exist. @param dictionary of packed rows: see {@link dictionaryOf} */
  static async create(
    path: string,
    format: RowFormat = "packed",
    dictionary: Uint8Array = new Uint8Array(),
  ): Promise<RowStoreWriter> {
    const rows = `${path}.rows`;
    const packed = format === "packed";
    if (packed) await writeFile(`${path}.dictionary`, dictionary, { flag: "wx" });
    const rowsFile = packed ? await PlainRowsWriter.create(rows) : await DeflatedFileWriter.create(rows);
    try {
      const endsFile = await open(`${path}.ends`, "wx");
      return new RowStoreWriter(rowsFile, endsFile, packed ? new RowPacker(dictionary) : undefined);
    } catch (error) {
      await rowsFile.close();
      throw error;
    }
  }

  /** Adds JSON-like values, in order. */
  async add(values: readonly unknown[]): Promise<void> {
    for (const value of values) {
      const plain = packr.pack(value);
      const bytes = this.packer?.pack(plain) ?? Buffer.from(plain);
      this.pending += bytes.length;
      this.rows.push(bytes);
      this.ends.add(bytes.length);
      this.count++;
    }
    if (this.pending >= FLUSH_BYTES) await this.flush();
  }

  /** Writes the buffer and closes the files. */
  async finish(): Promise<void> {
    await this.flush();
    await this.rowsFile.finish();
    await this.close();
  }

  /** Closes the files and drops the buffer. */
  async close(): Promise<void> {
    await this.rowsFile.close();
    await this.endsFile.close();
  }

  private async flush(): Promise<void> {
    await this.rowsFile.append(this.rows);
    await this.endsFile.appendFile(this.ends.take());
    this.rows = [];
    this.pending = 0;
  }
}

interface RowsWriter {
  append(pieces: readonly Uint8Array[]): Promise<void>;
  finish(): Promise<void>;
  close(): Promise<void>;
}

class PlainRowsWriter implements RowsWriter {
  private constructor(private readonly file: FileHandle) {}

  static async create(path: string): Promise<PlainRowsWriter> {
    return new PlainRowsWriter(await open(path, "wx"));
  }

  async append(pieces: readonly Uint8Array[]): Promise<void> {
    await this.file.appendFile(Buffer.concat(pieces));
  }

  async finish(): Promise<void> {}

  close(): Promise<void> {
    return this.file.close();
  }
}

/** What rows are read from. */
interface RowsFile {
  readonly size: number;
  read(into: Uint8Array, position: number): void;
  close(): void;
}

/**
 * Reads a store of {@link RowStoreWriter}. A row is read synchronously, at a known position: this takes microseconds, ten times
 * less than a hop to the thread pool.
 */
export class RowStore<T> {
  /** Made when the first packed row is read. */
  private unpacker: RowUnpacker | undefined;
  /** What {@link peek} read last. */
  private peeked: { readonly row: number; readonly value: T } | undefined;

  private constructor(
    private readonly rows: RowsFile,
    private readonly ends: RowEnds,
    /** Bytes of all rows. */
    private readonly size: number,
    /** That of packed rows. */
    readonly dictionary: Uint8Array | undefined,
  ) {}

  /** Opens a store read-only. @throws RangeError if a file is truncated */
  static async open<T>(path: string, format: RowFormat = "packed"): Promise<RowStore<T>> {
    const dictionary = format === "packed" ? await readFile(`${path}.dictionary`) : undefined;
    const rows = format === "packed" ? OpenFile.open(`${path}.rows`) : DeflatedFile.open(`${path}.rows`);
    let ends: RowEnds | undefined;
    try {
      ends = RowEnds.open(`${path}.ends`);
      if (ends.total !== rows.size) {
        throw new RangeError(`${path}.rows does not end at its last row: it is truncated`);
      }
      return new RowStore<T>(rows, ends, ends.total, dictionary);
    } catch (error) {
      rows.close();
      ends?.close();
      throw error;
    }
  }

  /** Number of rows. */
  get length(): number {
    return this.ends.length;
  }

  /** The value of a row, for a look at it: the next {@link read} of the row gives the same value without reading it again. */
  peek(row: number): T {
    const value = this.read(row);
    this.peeked = { row, value };
    return value;
  }

  /** The value of a row. @throws RangeError for a row that does not exist, or is damaged */
  read(row: number): T {
    if (this.peeked?.row === row) {
      // Given once: a caller may change what it was given.
      const { value } = this.peeked;
      this.peeked = undefined;
      return value;
    }
    if (!Number.isInteger(row) || row < 0 || row >= this.length) {
      throw new RangeError(`Row ${row} of a store of ${this.length}`);
    }
    const [start, end] = this.ends.span(row);
    if (end > this.size) throw new RangeError(`Row ${row} ends at byte ${end} of ${this.size}`);
    const read = (into: Uint8Array) => this.rows.read(into, start);
    const { unpacking } = this;
    if (unpacking !== undefined) return packr.unpack(unpacking.unpackFrom(end - start, read)) as T;
    const bytes = Buffer.allocUnsafe(end - start);
    read(bytes);
    return packr.unpack(bytes) as T;
  }

  /** All values of rows `from` (inclusive) to `to` (exclusive), in batches, with read-ahead. */
  *scan(from = 0, to = this.length, batchRows = 256): Generator<T[], void, void> {
    for (let first = from; first < to; ) {
      const count = Math.min(batchRows, to - first);
      const offsets = this.ends.ends(first, count);
      let last = 1;
      while (last < count && offsets[last + 1]! - offsets[0]! <= READ_AHEAD_BYTES) last++;
      if (offsets[last]! > this.size) throw new RangeError(`A row ends past the ${this.size} bytes of all`);
      const bytes = Buffer.allocUnsafe(offsets[last]! - offsets[0]!);
      this.rows.read(bytes, offsets[0]!);
      const values: T[] = [];
      for (let i = 0; i < last; i++) {
        values.push(this.valueOf(bytes.subarray(offsets[i]! - offsets[0]!, offsets[i + 1]! - offsets[0]!)));
      }
      yield values;
      first += last;
    }
  }

  /** Closes the files. */
  close(): void {
    this.rows.close();
    this.ends.close();
  }

  private valueOf(bytes: Uint8Array): T {
    return packr.unpack(this.unpacking?.unpack(bytes) ?? bytes) as T;
  }

  /** What unpacks packed rows. */
  private get unpacking(): RowUnpacker | undefined {
    if (this.dictionary !== undefined) this.unpacker ??= new RowUnpacker(this.dictionary);
    return this.unpacker;
  }
}
