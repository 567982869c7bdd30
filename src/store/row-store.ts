import { type FileHandle, open, stat } from "node:fs/promises";
import { Packr } from "msgpackr";
import { OpenFile } from "../files/open-file.js";

const FLUSH_BYTES = 1024 * 1024;
const READ_AHEAD_BYTES = 4 * 1024 * 1024;
const packr = new Packr({ useRecords: false, variableMapSize: true, encodeUndefinedAsNil: false });

/**
 * Writes values, one after another, to be read back by row number: `<path>.rows` holds them as MessagePack,
 * `<path>.ends` the offset (float64, little-endian) at which each ends. The same values give the same bytes.
 */
export class RowStoreWriter {
  /** Rows written. */
  count = 0;
  private offset = 0;
  private rows: Buffer[] = [];
  private ends: number[] = [];
  private pending = 0;

  private constructor(
    private readonly rowsFile: FileHandle,
    private readonly endsFile: FileHandle,
  ) {}

  /** Starts an empty store; neither file may be there. */
  static async create(path: string): Promise<RowStoreWriter> {
    const rowsFile = await open(`${path}.rows`, "wx");
    return new RowStoreWriter(rowsFile, await open(`${path}.ends`, "wx"));
  }

  /** Adds JSON-like values, in order. */
  async add(values: readonly unknown[]): Promise<void> {
    for (const value of values) {
      const bytes = packr.pack(value);
      this.offset += bytes.length;
      this.pending += bytes.length;
      this.rows.push(Buffer.from(bytes));
      this.ends.push(this.offset);
      this.count++;
    }
    if (this.pending >= FLUSH_BYTES) await this.flush();
  }

  /** Writes what is in memory, makes it durable and closes the files. */
  async finish(): Promise<void> {
    await this.flush();
    await this.rowsFile.sync();
    await this.endsFile.sync();
    await this.close();
  }

  /** Closes the files as they are. */
  async close(): Promise<void> {
    await this.rowsFile.close();
    await this.endsFile.close();
  }

  private async flush(): Promise<void> {
    await this.rowsFile.appendFile(Buffer.concat(this.rows));
    await this.endsFile.appendFile(new Uint8Array(Float64Array.from(this.ends).buffer));
    this.rows = [];
    this.ends = [];
    this.pending = 0;
  }
}

/**
 * Reads a store that {@link RowStoreWriter} wrote. A row is read synchronously, by two reads at a known position: it
 * takes microseconds, where a hop to the thread pool takes ten times that.
 */
export class RowStore<T> {
  private readonly bounds = new Float64Array(2);

  private constructor(
    /** Number of rows. */
    readonly length: number,
    private readonly rows: OpenFile,
    private readonly ends: OpenFile,
  ) {}

  /** Opens a store read-only. @throws RangeError where a file of it is truncated */
  static async open<T>(path: string): Promise<RowStore<T>> {
    const { size } = await stat(`${path}.ends`);
    const rows = OpenFile.open(`${path}.rows`);
    let ends: OpenFile | undefined;
    try {
      ends = OpenFile.open(`${path}.ends`);
      const store = new RowStore<T>(Math.floor(size / 8), rows, ends);
      const [, end] = store.length === 0 ? [0, 0] : store.span(store.length - 1, store.length);
      if (size % 8 !== 0 || end !== (await stat(`${path}.rows`)).size) {
        throw new RangeError(`${path}.rows does not end where its last row does: it is truncated`);
      }
      return store;
    } catch (error) {
      rows.close();
      ends?.close();
      throw error;
    }
  }

  /** The value of a row. @throws RangeError for a row that is not one. */
  read(row: number): T {
    if (!Number.isInteger(row) || row < 0 || row >= this.length) {
      throw new RangeError(`Row ${row} of a store of ${this.length}`);
    }
    const [start, end] = this.span(row, row + 1);
    const bytes = Buffer.allocUnsafe(end - start);
    this.rows.read(bytes, start);
    return packr.unpack(bytes) as T;
  }

  /** All values from row `from` up to but without row `to`, in batches, reading far ahead. */
  *scan(from = 0, to = this.length, batchRows = 256): Generator<T[], void, void> {
    for (let first = from; first < to; ) {
      const count = Math.min(batchRows, to - first);
      const ends = new Float64Array(count + 1);
      if (first > 0) this.ends.read(ends, (first - 1) * 8);
      else this.ends.read(ends.subarray(1), 0);
      let last = 1;
      while (last < count && ends[last + 1]! - ends[0]! <= READ_AHEAD_BYTES) last++;
      const bytes = Buffer.allocUnsafe(ends[last]! - ends[0]!);
      this.rows.read(bytes, ends[0]!);
      const values: T[] = [];
      for (let i = 0; i < last; i++) {
        values.push(packr.unpack(bytes.subarray(ends[i]! - ends[0]!, ends[i + 1]! - ends[0]!)) as T);
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

  private span(from: number, to: number): [number, number] {
    if (from === 0) {
      this.ends.read(this.bounds.subarray(1), (to - 1) * 8);
      return [0, this.bounds[1]!];
    }
    this.ends.read(this.bounds, (from - 1) * 8);
    return [this.bounds[0]!, this.bounds[1]!];
  }
}
