import type { RowSet } from "../contract/lake/row-set.js";
import { type Platform, withShipped } from "../contract/service/platforms.js";
import type { StoredRecord } from "../contract/service/unified-record.js";
import type { RawItem } from "../contract/slice/slice-item.js";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import { compareSlices } from "../slice/compare-slices.js";
import { sliceMatches } from "../slice/slice-filter.js";
import { asOfRecords, newestTrue } from "../store/as-of.js";
import type {
  BucketUnit,
  Corpus,
  RawBucket,
  RawFilter,
  RawPage,
  RawQuery,
  RecordFilter,
  RecordsQuery,
  SlicesQuery,
} from "../store/corpus.js";
import { type ColumnValues, FilterColumns } from "../store/filter-columns.js";
import type { RecordTally } from "../store/record-tally.js";
import { NOTHING_REMOVED, type RemovedRows } from "../store/removals/removed-rows.js";
import type { Load } from "./committed-loads.js";
import type { Connection } from "./connection.js";
import { CLICKHOUSE_DEFAULTS } from "./defaults.js";
import type { Conditions } from "./query/conditions.js";
import { pageSql, readPage } from "./query/counted-page.js";
import type { Redactions } from "./query/redactions.js";
import type { RowPlaces } from "./query/row-places.js";
import { RawQueries } from "./raw-queries.js";
import { refuseRemoved } from "./refuse-removed.js";
import { SqlParameters } from "./sql-text.js";
import { countingSlices } from "./superseded.js";

/** What every record has a value of. */
const ALWAYS: ReadonlySet<string> = new Set(["id", "captured"]);

/** Parts of a {@link ClickHouseCorpus}. */
export interface ClickHouseCorpusParts {
  readonly connection: Connection;
  readonly loads: readonly Load[];
  readonly places: RowPlaces;
  readonly conditions: Conditions;
  readonly columns: ColumnValues;
  readonly live: RowSet;
  /** Rows that were removed from the lake. */
  readonly removed: RowSet;
  readonly redactions: Redactions;
}

/**
 * The {@link Corpus} of the complete loads of a lake on ClickHouse. What filters ask is kept in memory, 12 bytes a record; records and
 * raw items stay on the server.
 */
export class ClickHouseCorpus implements Corpus {
  /** None: there is no file that another process could open. */
  readonly database = "";
  /** Rows that were removed are of no load that answers; and no slice has its files here, so that none can be handed out. */
  readonly removed: RemovedRows;
  readonly asOfMs: number;
  private readonly manifests: readonly SliceManifest[];
  private readonly filters: FilterColumns;
  private readonly rawQueries: RawQueries;
  private readonly nowMs: number;
  private rawAsOf: Promise<number> | undefined;

  constructor(private readonly parts: ClickHouseCorpusParts) {
    const { columns, live, loads, connection, conditions } = parts;
    this.filters = new FilterColumns(columns, live);
    this.manifests = countingSlices(loads).toSorted(compareSlices);
    const roots = this.manifests.map(({ mirrorlake }) => [mirrorlake.root, { records: 0, raw: 0 }]);
    this.removed = { ...NOTHING_REMOVED, slices: Object.fromEntries(roots) };
    const nowMs = Math.max(...loads.map((load) => load.nowMs));
    this.nowMs = nowMs;
    this.asOfMs = asOfRecords(columns.capturedMs, live, nowMs).asOfMs;
    this.rawQueries = new RawQueries(connection, conditions, parts.redactions.raw);
  }

  async rawAsOfMs(): Promise<number> {
    this.rawAsOf ??= newestTrue(this.rawQueries.captures(), this.nowMs);
    try {
      return Math.max(this.asOfMs, await this.rawAsOf);
    } catch (error) {
      this.rawAsOf = undefined;
      throw error;
    }
  }

  get live(): RowSet {
    return this.parts.live;
  }

  get recordCount(): number {
    return this.live.count;
  }

  get rowCount(): number {
    return this.live.size;
  }

  get tally(): RecordTally {
    return this.filters.tally;
  }

  tallyOf(rows: RowSet): RecordTally {
    return this.filters.tallyOf(rows);
  }

  platforms(): readonly Platform[] {
    return withShipped(this.manifests.map(({ mirrorlake }) => mirrorlake.platform));
  }

  match(filter: RecordFilter): RowSet {
    const rows = this.filters.match(filter);
    // The live rows are one set, whatever filter they all pass.
    this.parts.conditions.note(rows, rows === this.live ? {} : filter);
    return rows;
  }

  async records(rows: readonly number[]): Promise<StoredRecord[]> {
    const records: StoredRecord[] = [];
    for (let first = 0; first < rows.length; first += CLICKHOUSE_DEFAULTS.recordsAtOnce) {
      const some = rows.slice(first, first + CLICKHOUSE_DEFAULTS.recordsAtOnce);
      for (const record of await this.readRecords(some)) records.push(record);
    }
    return records;
  }

  async recordRow(id: string): Promise<number | undefined> {
    // It would reach the server as U+FFFD, which an id may have.
    if (!id.isWellFormed()) return undefined;
    const { connection, conditions, places } = this.parts;
    const [found] = await connection.rows<[number, number]>(
      `SELECT load, ordinal FROM records WHERE ${conditions.liveOf("records", "id = {id:String}")} LIMIT 1`,
      { id },
    );
    return found === undefined ? undefined : places.rowOf(...found);
  }

  async recordsPage(query: RecordsQuery): Promise<{ rows: number[]; total: number }> {
    const { places } = this.parts;
    const { rows, total } = await this.page<readonly [load: number, ordinal: number]>(query);
    return { rows: rows.map(([load, ordinal]) => places.rowOf(load, ordinal)), total };
  }

  async listRecords(query: RecordsQuery): Promise<{ records: StoredRecord[]; total: number }> {
    // The server reads the texts of all rows up to the end of a page; what is shown otherwise is found by its place.
    if (this.parts.redactions.records || query.offset + query.limit > CLICKHOUSE_DEFAULTS.recordsAtOnce) {
      const { rows, total } = await this.recordsPage(query);
      return { records: await this.records(rows), total };
    }
    const { rows, total } = await this.page<readonly [number, number, record: string]>(query, ", record");
    return { records: rows.map(([, , record]) => JSON.parse(record) as StoredRecord), total };
  }

  raw(platform: string, resource: string, id: string): Promise<RawItem | undefined> {
    return this.rawQueries.find(platform, resource, id);
  }

  rawPage(query: RawQuery): Promise<RawPage> {
    return this.rawQueries.page(query);
  }

  rawBuckets(filter: RawFilter, unit: BucketUnit): Promise<RawBucket[]> {
    return this.rawQueries.buckets(filter, unit);
  }

  slices(query: SlicesQuery): { manifests: readonly SliceManifest[]; total: number } {
    const matching = this.manifests.filter(({ mirrorlake }) => sliceMatches(mirrorlake, query));
    return { manifests: matching.slice(query.offset, query.offset + query.limit), total: matching.length };
  }

  private async readRecords(rows: readonly number[]): Promise<StoredRecord[]> {
    if (rows.length === 0) return [];
    const { connection, conditions, places, redactions, removed } = this.parts;
    refuseRemoved(rows, removed);
    const parameters = new SqlParameters();
    const named = conditions.named(rows, parameters);
    const read = (sql: string) => connection.rows<[number, number, string]>(sql, parameters.values);
    const [found, shown] = await Promise.all([
      read(`SELECT load, ordinal, record FROM records WHERE ${named}`),
      redactions.records
        ? read(`SELECT at_load, at_ordinal, text FROM (${redactions.newest("records", named)})`)
        : [],
    ]);
    const texts = new Map(
      [...found, ...shown].map(([load, ordinal, text]) => [places.rowOf(load, ordinal), text]),
    );
    return rows.map((row) => {
      const text = texts.get(row);
      if (text === undefined) throw new RangeError(`Row ${row} of ${this.rowCount} records`);
      return JSON.parse(text) as StoredRecord;
    });
  }

  /** The places of a page's records, with further columns. */
  private async page<Row extends readonly unknown[]>(
    query: RecordsQuery,
    more = "",
  ): Promise<{ rows: Row[]; total: number }> {
    const { connection, conditions } = this.parts;
    const matching = this.match(query).count;
    const parameters = new SqlParameters();
    const { place, from, value } = this.valued(query, conditions.matches(query, parameters));
    const { offset, limit } = query;
    const order = `${value} ${query.descending ? "DESC" : "ASC"} NULLS LAST, id`;
    const page = { columns: `${place}${more}`, from, order, offset, limit };
    const isCounted = query.withValue === true && !ALWAYS.has(query.orderBy);
    if (isCounted) return readPage<Row>(connection, page, parameters.values);
    return { rows: await connection.rows<Row>(pageSql(page), parameters.values), total: matching };
  }

  /** SQL of the records that match: where they come from, their place, and the value that they are sorted by. */
  private valued({ orderBy, withValue }: RecordsQuery, where: string) {
    const { redactions } = this.parts;
    const column = orderBy === "captured" ? "captured_ms" : orderBy === "id" ? "id" : `by_${orderBy}`;
    if (orderBy !== "drop_7d" || !redactions.records) {
      const valued = withValue === true ? `AND ${column} IS NOT NULL` : "";
      return { place: "load, ordinal", from: `records WHERE (${where}) ${valued}`, value: column };
    }
    const value = `if(priced = 1, drop, ${column})`;
    const from = `(SELECT load, ordinal, id, ${column} FROM records WHERE ${where}) AS stored
      GLOBAL ANY LEFT JOIN (${redactions.newest("records")}) AS shown ON at_load = stored.load AND at_ordinal = stored.ordinal
      ${withValue === true ? `WHERE ${value} IS NOT NULL` : ""}`;
    return { place: "stored.load, stored.ordinal", from, value };
  }
}
