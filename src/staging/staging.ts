import { join } from "node:path";
import { IngestError } from "../contract/errors.js";
import { PLATFORMS, type Platform } from "../contract/service/platforms.js";
import { type StoredRecord, VECTOR_DIMENSIONS } from "../contract/service/unified-record.js";
import type { HashPolicy, ItemPlace, SliceItem, SourceInfo } from "../contract/slice/slice-item.js";
import { Database, type SqlValue } from "../duckdb/database.js";
import { BUILD_DEFAULTS } from "../duckdb/defaults.js";
import { allFinite } from "../slice/all-finite.js";
import { type Column, columnsSql, type TableRow } from "../slice/column.js";
import { RAW_COLUMNS } from "../slice/raw-columns.js";
import { RECORD_COLUMNS } from "../slice/record-columns.js";
import { checkKind } from "./check-kind.js";
import { STAGING_DEFAULTS } from "./defaults.js";
import { ItemPlaces, PLACE_COLUMNS, placeCells } from "./item-places.js";
import { LongTexts, textBytes } from "./long-texts.js";
import { StagedKeys } from "./staged-keys.js";
import { stagedRaw, stagedRecord } from "./staged-row.js";
import { StagedVectors } from "./staged-vectors.js";

/**
 * Columns added by staging: arrival number, number of the file and line in it, bytes of the row's texts and where its long ones are;
 * of a record also its month of capture and the arrival position of its vector.
 */
const ARRIVAL = `seq BIGINT, ${PLACE_COLUMNS}, bytes BIGINT, long_texts VARCHAR`;
const RECORD_STAGING = `month INTEGER, ${ARRIVAL}, source_row BIGINT`;
const RAW_STAGING = `domain VARCHAR, month INTEGER, ${ARRIVAL}`;
/** Record columns in which each record has a value. */
const ALWAYS: ReadonlySet<string> = new Set(["id", "src", "platform", "lang", "prov_ts_ms"]);
/**
 * Tables in memory, of the rows that are not yet a row group. What is appended to a file is compressed in the caller's thread, a row
 * group at a time, and each append syncs. So rows wait for being a row group, and a statement moves them, in a thread of the engine.
 */
const INBOX = { records: "records_inbox", raw: "raw_inbox" } as const;
type Table = keyof typeof INBOX;

const SET_UP = [
  // The file is never opened again.
  "SET GLOBAL checkpoint_threshold = '1TB'",
  "PRAGMA disable_checkpoint_on_shutdown",
  // What the engine frees goes back to the system soon.
  "SET GLOBAL allocator_flush_threshold = '8MB'",
  "SET GLOBAL allocator_bulk_deallocation_flush_threshold = '8MB'",
];

/**
 * Takes items in any order and stores them on disk: records and raw items as tables of a DuckDB file, vectors as a flat file of
 * floats. Memory is bounded for any number of items.
 */
export class Staging {
  /** Number of items added. */
  items = 0;
  private readonly platforms: ReadonlyMap<string, Platform>;
  private readonly records: SqlValue[][] = [];
  private readonly raw: SqlValue[][] = [];
  /** By column number: 1 if any record has a value in it. */
  private readonly filled = new Uint8Array(RECORD_COLUMNS.length);
  /** Columns of the table of records, once it is there: each takes memory for every row group, and most records have few. */
  private readonly columns = new Set<Column<StoredRecord>>();
  /** Whether a key may be there twice. */
  readonly keys = { records: new StagedKeys(), raw: new StagedKeys() } as const;
  /** Bytes of all texts that the tables have, at least. */
  textBytes = 0;
  /** Bytes of all texts that were added. */
  bytesAdded = 0;
  /** Number of vectors added. */
  vectorsAdded = 0;
  /** Whether so much was added that more than one thread of the engine saves more than it costs. */
  large = false;
  /** Of the inbox of records: its columns, as positions in a staged row, and how many of them are of the record. */
  private inboxColumns: readonly number[] = [];
  private inboxWidth = 0;
  /** Bytes of the texts of rows that are not yet in an inbox, and rows and such bytes in the inboxes. */
  private readonly unsent = { records: 0, raw: 0 };
  private readonly waiting = { records: { rows: 0, bytes: 0 }, raw: { rows: 0, bytes: 0 } };
  private readonly places = new ItemPlaces();

  private constructor(
    readonly db: Database,
    private readonly vectors: StagedVectors,
    private readonly longTexts: LongTexts,
    private readonly info: SourceInfo,
    private readonly hashes: HashPolicy,
  ) {
    this.platforms = new Map([...PLATFORMS, ...info.platforms].map((platform) => [platform.slug, platform]));
  }

  /** Opens an empty staging area in a folder. */
  static async open(dir: string, info: SourceInfo, hashes: HashPolicy): Promise<Staging> {
    const db = await Database.openKept(join(dir, "staging.duckdb"), {
      memoryLimit: `${BUILD_DEFAULTS.stagingMemory}B`,
      threads: 1,
      rowGroupRows: BUILD_DEFAULTS.stagingRowGroupRows,
      tempDirectory: join(dir, "spill"),
      setUp: SET_UP,
    });
    try {
      await db.run(`CREATE TABLE raw (${columnsSql(RAW_COLUMNS)}, ${RAW_STAGING})`);
      return new Staging(db, await StagedVectors.open(dir), await LongTexts.open(dir), info, hashes);
    } catch (error) {
      await db.close();
      throw error;
    }
  }

  /**
   * Adds items. @throws IngestError for an unknown platform, an id or domain of another platform, a field that no slice may hold
   * (`item_invalid`), an invalid time, a vector that is not 1536 finite numbers or has no named model; SliceError `hash_mismatch`
   */
  async add(items: readonly SliceItem[]): Promise<void> {
    for (const item of items) {
      checkKind(item);
      if (item.kind === "record") {
        const [row, month] = stagedRecord(item.record, this.platform(item.record.platform), this.hashes);
        for (let i = 0; i < row.length; i++) if (row[i] !== null) this.filled[i] = 1;
        row.push(month, ...(await this.arrival("records", RECORD_COLUMNS, row, item.at)));
        row.push(item.vector === undefined ? null : await this.addVector(item.record.id, item.vector));
        this.keys.records.add(item.record.id);
        this.records.push(row);
      } else {
        const platform = this.platform(item.raw.platform);
        const [row, month] = stagedRaw(item.raw);
        row.push(platform.domain, month, ...(await this.arrival("raw", RAW_COLUMNS, row, item.at)));
        this.raw.push(row);
        this.keys.raw.add(JSON.stringify([item.raw.platform, item.raw.resource, item.raw.id]));
      }
      this.items++;
      const table = item.kind === "record" ? "records" : "raw";
      const full = this.unsent[table] >= STAGING_DEFAULTS.appendBytes;
      if (full || this[table].length >= BUILD_DEFAULTS.appendRows) await this.flush(table);
    }
  }

  /** Writes what waits in memory. */
  async finish(): Promise<void> {
    await this.addColumns(RECORD_COLUMNS.filter(isAlways));
    for (const table of ["records", "raw"] as const) {
      await this.flush(table);
      if (this.waiting[table].rows > 0) await this.move(table);
    }
    await this.vectors.flush();
    await this.longTexts.flush();
  }

  /** The vector with arrival number `sourceRow`. */
  vector(sourceRow: number): Float32Array {
    return this.vectors.read(sourceRow);
  }

  /** Bytes of the longest texts of one row; 0 if none is long. */
  get longestTexts(): number {
    return this.longTexts.longest;
  }

  /** A staged row with its long texts. */
  whole(row: TableRow): TableRow {
    return this.longTexts.restore(row);
  }

  /** The place of an item, of its staged row; undefined where none was given. */
  placeOf(row: TableRow): ItemPlace | undefined {
    return this.places.of(placeCells(row));
  }

  /** Columns in which any added record has a value (usually few), and those that are always written. */
  get filledColumns(): readonly Column<StoredRecord>[] {
    return RECORD_COLUMNS.filter((column, i) => this.filled[i] === 1 || isAlways(column));
  }

  /** The platform with a slug. @throws IngestError `platform_unknown` */
  platform(slug: string): Platform {
    const platform = this.platforms.get(slug);
    if (platform === undefined) {
      throw new IngestError("platform_unknown", `Unknown platform "${slug}"`, {
        value: slug,
        remedy:
          "name a platform that ships with Mirrorlake, or declare it (slug, domain, code, name) in the mapping",
      });
    }
    return platform;
  }

  /** Closes the files without removing them. */
  async close(): Promise<void> {
    await this.vectors.close();
    await this.longTexts.close();
    await this.db.close();
  }

  private async flush(table: Table): Promise<void> {
    const rows = this[table].splice(0);
    if (rows.length === 0) return;
    const waiting = this.waiting[table];
    if (table === "raw" && waiting.rows === 0) {
      await this.db.run(`CREATE TEMP TABLE ${INBOX.raw} (${columnsSql(RAW_COLUMNS)}, ${RAW_STAGING})`);
    }
    await this.db.append(INBOX[table], table === "raw" ? rows : await this.narrowed(rows));
    waiting.rows += rows.length;
    waiting.bytes += this.unsent[table];
    this.unsent[table] = 0;
    const full = waiting.bytes >= STAGING_DEFAULTS.inboxBytes;
    if (!full && waiting.rows < BUILD_DEFAULTS.stagingRowGroupRows) return;
    if (!this.large) await this.db.set({ threads: BUILD_DEFAULTS.threads });
    this.large = true;
    await this.move(table);
  }

  /** The rows without the columns in which no record has a value, which most are; the inbox has the others. */
  private async narrowed(rows: readonly SqlValue[][]): Promise<SqlValue[][]> {
    const columns = this.filledColumns;
    if (columns.length !== this.inboxWidth) {
      if (this.inboxWidth > 0) await this.move("records");
      await this.addColumns(columns);
      await this.db.run(`CREATE TEMP TABLE ${INBOX.records} (${columnsSql(columns)}, ${RECORD_STAGING})`);
      const numbers = columns.map((column) => RECORD_COLUMNS.indexOf(column));
      this.inboxColumns = [
        ...numbers,
        ...RECORD_STAGING.split(", ").map((_, i) => RECORD_COLUMNS.length + i),
      ];
      this.inboxWidth = columns.length;
    }
    return rows.map((row) => this.inboxColumns.map((number) => row[number]!));
  }

  /** Creates the table of records, or the columns that it does not have. */
  private async addColumns(columns: readonly Column<StoredRecord>[]): Promise<void> {
    const missing = columns.filter((column) => !this.columns.has(column));
    if (this.columns.size === 0)
      await this.db.run(`CREATE TABLE records (${columnsSql(missing)}, ${RECORD_STAGING})`);
    else
      for (const column of missing)
        await this.db.run(`ALTER TABLE records ADD COLUMN ${columnsSql([column])}`);
    for (const column of missing) this.columns.add(column);
  }

  private async move(table: Table): Promise<void> {
    await this.db.run(`INSERT INTO ${table} BY NAME FROM ${INBOX[table]}`);
    // The long texts of a table that is emptied would stay in memory.
    await this.db.run(`DROP TABLE ${INBOX[table]}`);
    if (table === "records") this.inboxWidth = 0;
    Object.assign(this.waiting[table], { rows: 0, bytes: 0 });
  }

  /** The cells of {@link ARRIVAL}; takes the long texts out of the row. */
  private async arrival<T>(
    table: Table,
    columns: readonly Column<T>[],
    row: SqlValue[],
    at: ItemPlace | undefined,
  ): Promise<SqlValue[]> {
    let long: string | null = null;
    let bytes = bytesOfTexts(row);
    this.bytesAdded += bytes;
    if (bytes > STAGING_DEFAULTS.longBytes) {
      long = await this.longTexts.take(columns, row);
      bytes = bytesOfTexts(row);
    }
    this.unsent[table] += bytes;
    this.textBytes += bytes;
    return [this.items, ...this.places.cells(at), bytes, long];
  }

  private async addVector(id: string, vector: Float32Array): Promise<number> {
    if (this.info.vectorModel === undefined) {
      throw new IngestError("vector_model_missing", `Record ${id} has a vector, but its model is not named`, {
        value: id,
        remedy: "name the model (vectorModel) in the mapping's source",
      });
    }
    if (vector.length !== VECTOR_DIMENSIONS || !allFinite(vector)) {
      throw new IngestError(
        "vector_invalid",
        `The vector of ${id} is not ${VECTOR_DIMENSIONS} finite numbers`,
        {
          value: vector.length,
          remedy: "leave the vector out, or correct it in the source",
        },
      );
    }
    this.vectorsAdded++;
    return this.vectors.add(vector);
  }
}

function isAlways({ name }: Column<StoredRecord>): boolean {
  return ALWAYS.has(name);
}

/** The bytes of a row's texts. */
function bytesOfTexts(row: readonly SqlValue[]): number {
  let bytes = 0;
  for (const value of row) bytes += textBytes(value);
  return bytes;
}
