import { join } from "node:path";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { RawItem } from "../../contract/slice/slice-item.js";
import type { Database } from "../../duckdb/database.js";
import { makeFolder } from "../../files/make-folder.js";
import { columnNames } from "../../slice/column.js";
import { RAW_COLUMNS, rawOfRow } from "../../slice/raw-columns.js";
import { RECORD_COLUMNS, recordOfRow } from "../../slice/record-columns.js";
import { KeyTable, KeyTableWriter } from "./key-table.js";
import { RawGroups, writeRawGroups } from "./raw-groups.js";
import { dictionaryOf, type RowFormat, RowStore, RowStoreWriter } from "./row-store.js";

/** First rows of a segment. */
export interface SegmentStart {
  readonly record: number;
  readonly raw: number;
}

/** Raw items are read a page at a time, and neighbours of a page are stored together. */
export const RAW_FORMAT: RowFormat = "deflated";

/** Records of a dictionary, and of how many at least one is taken. */
const SAMPLED = 64;
const SAMPLED_OF = 16;

/** Key of a raw item. */
export function rawKey(platform: string, resource: string, id: string): string {
  return `${platform}\u0000${resource}\u0000${id}`;
}

/**
 * Writes the database's records from row `first` on to the folder of a segment, as a row store and a table of keys, which answer
 * look-ups in microseconds and are immutable. Returns their number.
 * @param onRecords called with each batch, in row order
 */
export async function writeSegmentRecords(
  db: Database,
  dir: string,
  first: number,
  onRecords: (records: readonly StoredRecord[]) => void,
  signal?: AbortSignal,
): Promise<number> {
  await makeFolder(dir);
  return writeRows(db, recordsPath(dir), {
    format: "packed",
    table: "records",
    sql: `SELECT "row", ${columnNames(RECORD_COLUMNS)} FROM records WHERE "row" >= ?`,
    first,
    read: recordOfRow,
    keyOf: (record) => record.id,
    onValues: onRecords,
    signal,
  });
}

/**
 * Writes the database's raw items from row `first` on to the folder of a segment, as {@link writeSegmentRecords} does, and their
 * groups. Returns their number.
 * @param onRaw called with the size of each batch
 */
export async function writeSegmentRaw(
  db: Database,
  dir: string,
  first: number,
  onRaw: (items: number) => void,
  signal?: AbortSignal,
): Promise<number> {
  const raw = await writeRows(db, join(dir, "raw"), {
    format: RAW_FORMAT,
    table: "raw",
    sql: `SELECT "row", ${columnNames(RAW_COLUMNS)} FROM raw WHERE "row" >= ?`,
    first,
    read: rawOfRow,
    keyOf: (item) => rawKey(item.platform, item.resource, item.id),
    onValues: (items) => onRaw(items.length),
    signal,
  });
  await writeRawGroups(db, join(dir, "groups"), first, signal);
  return raw;
}

/** Path of the row store of a segment's records. */
export function recordsPath(dir: string): string {
  return join(dir, "records");
}

interface Rows<T> {
  readonly format: RowFormat;
  readonly table: "records" | "raw";
  /** The rows of the table from `first` on. */
  readonly sql: string;
  readonly first: number;
  readonly read: (row: Record<string, unknown>) => T;
  readonly keyOf: (value: T) => string;
  readonly onValues: (values: readonly T[]) => void;
  readonly signal: AbortSignal | undefined;
}

async function writeRows<T>(db: Database, path: string, rows: Rows<T>): Promise<number> {
  const [counted] = await db.rows<{ count: number }>(
    `SELECT count(*)::INTEGER AS count FROM ${rows.table} WHERE "row" >= ?`,
    [rows.first],
  );
  const { count } = counted!;
  const keys = new KeyTableWriter(count);
  const dictionary = rows.format === "packed" ? await dictionaryFor(db, rows, count) : undefined;
  const store = await RowStoreWriter.create(path, rows.format, dictionary);
  try {
    for await (const batch of db.stream(rows.sql, [rows.first], rows.signal)) {
      batch.forEach((row, i) => {
        const expected = rows.first + store.count + i;
        if (row.row !== expected)
          throw new RangeError(`Row ${row.row} came where row ${expected} was expected`);
      });
      const values = batch.map(rows.read);
      for (const [i, value] of values.entries()) keys.add(rows.keyOf(value), store.count + i);
      await store.add(values);
      rows.onValues(values);
    }
    await store.finish();
  } catch (error) {
    await store.close().catch(() => {});
    throw error;
  }
  await keys.write(`${path}.keys`);
  return count;
}

/** A dictionary of rows that are evenly spread; without any where there are few. */
async function dictionaryFor<T>(
  db: Database,
  { sql, first, read }: Rows<T>,
  count: number,
): Promise<Uint8Array> {
  const sampled = Math.min(SAMPLED, Math.floor(count / SAMPLED_OF));
  if (sampled === 0) return new Uint8Array();
  const apart = Math.floor(count / sampled);
  const rows = await db.rows(`SELECT * FROM (${sql}) WHERE ("row" - ?) % ? = 0 ORDER BY "row" LIMIT ?`, [
    first,
    first,
    apart,
    sampled,
  ]);
  return dictionaryOf(rows.map(read));
}

/** An open segment. Row numbers are those of the generation, from {@link SegmentStart} on. */
export class Segment {
  private constructor(
    readonly start: SegmentStart,
    private readonly records: RowStore<StoredRecord>,
    private readonly recordKeys: KeyTable,
    private readonly raws: RowStore<RawItem>,
    private readonly rawKeys: KeyTable,
    readonly groups: RawGroups,
  ) {}

  /** Opens a segment read-only. @param groupsFrom the row of its first raw item when it was written; default: as now */
  static async open(dir: string, start: SegmentStart, groupsFrom = start.raw): Promise<Segment> {
    const closers: { close(): void }[] = [];
    const opened = async <T extends { close(): void }>(opening: Promise<T>): Promise<T> => {
      const part = await opening;
      closers.push(part);
      return part;
    };
    try {
      return new Segment(
        start,
        await opened(RowStore.open<StoredRecord>(join(dir, "records"))),
        await opened(KeyTable.open(join(dir, "records.keys"))),
        await opened(RowStore.open<RawItem>(join(dir, "raw"), RAW_FORMAT)),
        await opened(KeyTable.open(join(dir, "raw.keys"))),
        await opened(RawGroups.open(join(dir, "groups"), groupsFrom - start.raw)),
      );
    } catch (error) {
      for (const part of closers) part.close();
      throw error;
    }
  }

  /** Numbers of records and raw items. */
  get length(): { records: number; raw: number } {
    return { records: this.records.length, raw: this.raws.length };
  }

  /** The record of a generation row in this segment. */
  record(row: number): StoredRecord {
    return this.records.read(row - this.start.record);
  }

  /** The raw item of a generation row in this segment. */
  raw(row: number): RawItem {
    return this.raws.read(row - this.start.raw);
  }

  /** Generation row of a record id in this segment. */
  recordRow(id: string): number | undefined {
    const local = this.recordKeys.find(id, (n) => this.records.peek(n).id === id);
    return local === undefined ? undefined : local + this.start.record;
  }

  /** Generation row of a raw item in this segment. */
  rawRow(platform: string, resource: string, id: string): number | undefined {
    const local = this.rawKeys.find(rawKey(platform, resource, id), (n) => {
      const item = this.raws.peek(n);
      return item.id === id && item.platform === platform && item.resource === resource;
    });
    return local === undefined ? undefined : local + this.start.raw;
  }

  /** All records, in batches. */
  scanRecords(): Generator<StoredRecord[], void, void> {
    return this.records.scan();
  }

  /** Closes its files. */
  close(): void {
    for (const part of [this.records, this.recordKeys, this.raws, this.rawKeys, this.groups]) part.close();
  }
}
