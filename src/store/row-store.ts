import { type FileHandle, open, stat } from "node:fs/promises";
import { Packr } from "msgpackr";
import { OpenFile } from "../files/open-file.js";
import { DeflatedFile, DeflatedFileWriter } from "./deflated-file.js";

const FLUSH_BYTES = 1024 * 1024;
const READ_AHEAD_BYTES = 4 * 1024 * 1024;
const packr = new Packr({ useRecords: false, variableMapSize: true, encodeUndefinedAsNil: false });

/** How a store's rows are written: `plain` for single reads in any order, `deflated` for rows that are read together or seldom. */
export type RowFormat = "plain" | "deflated";

/**
 * Writes values to be read by row number: `<path>.rows` has them as MessagePack, `<path>.ends` the end offset of each (float64,
 * little-endian), before compression where the rows are deflated. The same values give the same bytes.
 */
export class RowStoreWriter {
  /** Rows written. */
  count = 0;
  private offset = 0;
  private rows: Buffer[] = [];
  private offsets: number[] = [];
  private pending = 0;

  private constructor(
    private readonly rowsFile: RowsWriter,
    private readonly endsFile: FileHandle,
  ) {}

  /** Starts an empty store; none of its files may exist. */
  static async create(path: string, format: RowFormat = "plain"): Promise<RowStoreWriter> {
    const rows = `${path}.rows`;
    const rowsFile =
      format === "plain" ? await PlainRowsWriter.create(rows) : await DeflatedFileWriter.create(rows);
    try {
      return new RowStoreWriter(rowsFile, await open(`${path}.ends`, "wx"));
    } catch (error) {
      await rowsFile.close();
      throw error;
    }
  }

  /** Adds JSON-like values, in order. */
  async add(values: readonly unknown[]): Promise<void> {
    for (const value of values) {
      const bytes = packr.pack(value);
      this.offset += bytes.length;
      this.pending += bytes.length;
      this.rows.push(Buffer.from(bytes));
      this.offsets.push(this.offset);
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
    await this.endsFile.appendFile(new Uint8Array(Float64Array.from(this.offsets).buffer));
    this.rows = [];
    this.offsets = [];
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

/** Ends of rows that are read at once, 2 kB. */
const ENDS_KEPT = 256;

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
  /** Ends of rows from {@link firstEnd} on: rows that are read together are mostly neighbours. */
  private readonly ends: Float64Array;
  private firstEnd = Number.POSITIVE_INFINITY;

  private constructor(
    /** Number of rows. */
    readonly length: number,
    private readonly rows: RowsFile,
    private readonly offsets: OpenFile,
  ) {
    this.ends = new Float64Array(Math.min(ENDS_KEPT, length));
  }

  /** Opens a store read-only. @throws RangeError if a file is truncated */
  static async open<T>(path: string, format: RowFormat = "plain"): Promise<RowStore<T>> {
    const { size } = await stat(`${path}.ends`);
    const rows = format === "plain" ? OpenFile.open(`${path}.rows`) : DeflatedFile.open(`${path}.rows`);
    let offsets: OpenFile | undefined;
    try {
      offsets = OpenFile.open(`${path}.ends`);
      const store = new RowStore<T>(Math.floor(size / 8), rows, offsets);
      const [, end] = store.length === 0 ? [0, 0] : store.span(store.length - 1);
      if (size % 8 !== 0 || end !== rows.size) {
        throw new RangeError(`${path}.rows does not end at its last row: it is truncated`);
      }
      return store;
    } catch (error) {
      rows.close();
      offsets?.close();
      throw error;
    }
  }

  /** The value of a row. @throws RangeError for a row that does not exist */
  read(row: number): T {
    if (!Number.isInteger(row) || row < 0 || row >= this.length) {
      throw new RangeError(`Row ${row} of a store of ${this.length}`);
    }
    const [start, end] = this.span(row);
    const bytes = Buffer.allocUnsafe(end - start);
    this.rows.read(bytes, start);
    return packr.unpack(bytes) as T;
  }

  /** All values of rows `from` (inclusive) to `to` (exclusive), in batches, with read-ahead. */
  *scan(from = 0, to = this.length, batchRows = 256): Generator<T[], void, void> {
    for (let first = from; first < to; ) {
      const count = Math.min(batchRows, to - first);
      const offsets = new Float64Array(count + 1);
      if (first > 0) this.offsets.read(offsets, (first - 1) * 8);
      else this.offsets.read(offsets.subarray(1), 0);
      let last = 1;
      while (last < count && offsets[last + 1]! - offsets[0]! <= READ_AHEAD_BYTES) last++;
      const bytes = Buffer.allocUnsafe(offsets[last]! - offsets[0]!);
      this.rows.read(bytes, offsets[0]!);
      const values: T[] = [];
      for (let i = 0; i < last; i++) {
        values.push(
          packr.unpack(bytes.subarray(offsets[i]! - offsets[0]!, offsets[i + 1]! - offsets[0]!)) as T,
        );
      }
      yield values;
      first += last;
    }
  }

  /** Closes the files. */
  close(): void {
    this.rows.close();
    this.offsets.close();
  }

  /** Where a row starts and ends. */
  private span(row: number): [number, number] {
    const before = Math.max(0, row - 1);
    if (before < this.firstEnd || row >= this.firstEnd + this.ends.length) {
      this.firstEnd = Number.POSITIVE_INFINITY;
      const first = Math.min(before - (before % (ENDS_KEPT / 2)), this.length - this.ends.length);
      this.offsets.read(this.ends, first * 8);
      this.firstEnd = first;
    }
    return [row === 0 ? 0 : this.ends[before - this.firstEnd]!, this.ends[row - this.firstEnd]!];
  }
}
