import { LakeError } from "../../contract/errors.js";
import { RowSet } from "../../contract/lake/row-set.js";
import { type Platform, withShipped } from "../../contract/service/platforms.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { RawItem } from "../../contract/slice/slice-item.js";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import type { Database } from "../../duckdb/database.js";
import { nextTurn } from "../../next-turn.js";
import { compareSlices } from "../../slice/compare-slices.js";
import { sliceMatches } from "../../slice/slice-filter.js";
import { CLOCK_SKEW_MS, newestOf } from "../as-of.js";
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
} from "../corpus.js";
import { type ColumnValues, FilterColumns } from "../filter-columns.js";
import { rawCondition } from "../raw-filter.js";
import { RawPages } from "../raw-pages.js";
import { recordCondition } from "../record-condition.js";
import type { RecordTally } from "../record-tally.js";
import { redactRecord } from "../removals/redact.js";
import { NOTHING_REMOVED, type RemovedRows, redactedOf } from "../removals/removed-rows.js";
import { findGroupFaults, type GroupCheckOptions } from "../rows/check-raw-groups.js";
import type { Segment } from "../rows/segment.js";
import { SCORE_SUM, scoreOfText } from "../score-sums.js";
import type { GenerationManifest } from "./generation-manifest.js";
import type { LaterDatabase } from "./later-database.js";
import { type PriceChange, withPriceChange } from "./price-changes.js";
import { rawAsOfAmong } from "./raw-as-of.js";
import { sortValue } from "./record-order.js";

/** Rows read before the event loop turns. */
const ROWS_AT_ONCE = 500;

/** The {@link Corpus} of a generation on disk. */
export class GenerationCorpus implements Corpus {
  private readonly manifests: readonly SliceManifest[];
  private readonly priceChanges: ReadonlyMap<number, PriceChange>;
  private shown: Shown;

  constructor(
    readonly database: string,
    /** Manifest of the generation. */
    readonly manifest: GenerationManifest,
    slices: readonly SliceManifest[],
    private readonly segments: readonly Segment[],
    /** The generation's database, read-only. */
    readonly db: LaterDatabase,
    private readonly columns: ColumnValues,
    private readonly built: { readonly records: RowSet; readonly raw: RowSet },
    priceChanges: readonly PriceChange[],
    /** The clock's time when it was opened, epoch ms: for a generation that does not say how new its raw items are. */
    private readonly openedMs: number,
  ) {
    this.priceChanges = new Map(priceChanges.map((change) => [change.row, change]));
    this.manifests = slices.toSorted(compareSlices);
    this.shown = this.show(NOTHING_REMOVED);
  }

  get recordCount(): number {
    return this.live.count;
  }

  get rowCount(): number {
    return this.built.records.size;
  }

  /** The rows that no other edition replaced, removed ones included. */
  get shownRows(): RowSet {
    return this.built.records;
  }

  get live(): RowSet {
    return this.shown.live;
  }

  get asOfMs(): number {
    return this.shown.asOfMs;
  }

  async rawAsOfMs(): Promise<number> {
    const { shown, manifest, openedMs, db } = this;
    const built = manifest.liveRaw === 0 ? 0 : manifest.rawAsOfMs;
    if (built !== undefined && shown.removed.raw.length === 0) return Math.max(shown.asOfMs, built);
    shown.rawAsOfMs ??= rawAsOfAmong(db, shown.removed.raw, built ?? openedMs + CLOCK_SKEW_MS);
    try {
      return Math.max(shown.asOfMs, await shown.rawAsOfMs);
    } catch (error) {
      shown.rawAsOfMs = undefined;
      throw error;
    }
  }

  get removed(): RemovedRows {
    return this.shown.removed;
  }

  /** Hides rows removed from the lake after the generation was built; takes effect at once. */
  hide(removed: RemovedRows): void {
    this.shown = this.show(removed);
  }

  private show(removed: RemovedRows): Shown {
    const { built, columns, segments, db } = this;
    const live = without(built.records, removed.records);
    return {
      removed,
      live,
      filters: new FilterColumns(columns, live),
      rawPages: new RawPages(segments, without(built.raw, removed.raw), db, removed),
      priceChanges: new Map(removed.priceChanges.map((change) => [change.row, change])),
      redactions: new Map(removed.redactedRecords.map((redaction) => [redaction.row, redaction])),
      tombstones: removed.records.length === 0 ? undefined : RowSet.of(live.size, removed.records),
      asOfMs: removed.records.length === 0 ? this.manifest.asOfMs : this.asOfAmong(live),
    };
  }

  /** The as-of of the rows that are left: strays count only where nothing else is left. */
  private asOfAmong(live: RowSet): number {
    const { capturedMs } = this.columns;
    const rows = live.rows();
    return (
      newestOf(capturedMs, rows, this.manifest.asOfMs) || newestOf(capturedMs, rows, Number.POSITIVE_INFINITY)
    );
  }

  /** What filters hold a row to be. */
  filterValues(row: number): { platform: string; domain: string; lang: string; capturedMs: number } {
    const { platforms, langs, platform, lang, capturedMs } = this.columns;
    const { slug = "", domain = "" } = platforms[platform[row]!] ?? {};
    return { platform: slug, domain, lang: langs[lang[row]!] ?? "", capturedMs: capturedMs[row]! };
  }

  get tally(): RecordTally {
    return this.shown.filters.tally;
  }

  tallyOf(rows: RowSet): RecordTally {
    return this.shown.filters.tallyOf(rows);
  }

  platforms(): readonly Platform[] {
    return withShipped(this.manifests.map(({ mirrorlake }) => mirrorlake.platform));
  }

  match(filter: RecordFilter): RowSet {
    return this.shown.filters.match(filter);
  }

  async records(rows: readonly number[]): Promise<StoredRecord[]> {
    const records: StoredRecord[] = [];
    for (const [i, row] of rows.entries()) {
      if (i > 0 && i % ROWS_AT_ONCE === 0) await nextTurn();
      records.push(this.record(row));
    }
    return records;
  }

  private record(row: number): StoredRecord {
    if (this.shown.tombstones?.has(row)) {
      throw new LakeError("record_removed", `Row ${row} was removed from the lake`, {
        value: row,
        remedy: "query again: this row is from a result older than the removal",
      });
    }
    const stored = this.segmentOf(row).record(row);
    const change = this.shown.priceChanges.get(row) ?? this.priceChanges.get(row);
    const record = change === undefined ? stored : withPriceChange(stored, change);
    const redaction = this.shown.redactions.get(row);
    return redaction === undefined ? record : redactRecord(record, redactedOf(redaction));
  }

  async recordRow(id: string): Promise<number | undefined> {
    for (const segment of this.segments.toReversed()) {
      const row = segment.recordRow(id);
      if (row !== undefined && this.live.has(row)) return row;
    }
    return undefined;
  }

  async listRecords(query: RecordsQuery): Promise<{ records: StoredRecord[]; total: number }> {
    const { rows, total } = await this.recordsPage(query);
    return { records: await this.records(rows), total };
  }

  async recordsPage(query: RecordsQuery): Promise<{ rows: number[]; total: number }> {
    const total = query.withValue === true ? undefined : this.match(query).count;
    const value = sortValue(query.orderBy, this.shown.priceChanges);
    const condition = recordCondition(query, this.removed.records);
    const from = `FROM (SELECT "row", id, ${value.sql} AS value FROM records WHERE ${condition.sql})${
      total === undefined ? " WHERE value IS NOT NULL" : ""
    }`;
    const params = [...value.params, ...condition.params];
    const direction = query.descending ? "DESC" : "ASC";
    const [rows, counted] = await Promise.all([
      this.db.page<{ row: number }>(
        `SELECT "row" ${from} ORDER BY value ${direction} NULLS LAST, id`,
        params,
        query,
      ),
      total === undefined ? this.db.rows<{ total: number }>(`SELECT count(*) AS total ${from}`, params) : [],
    ]);
    // Drops rows removed while the query ran.
    const shown = rows.map(({ row }) => row).filter((row) => this.live.has(row));
    return { rows: shown, total: total ?? counted[0]!.total };
  }

  async raw(platform: string, resource: string, id: string): Promise<RawItem | undefined> {
    return this.shown.rawPages.find(platform, resource, id);
  }

  async rawPage(query: RawQuery): Promise<RawPage> {
    return this.shown.rawPages.page(query);
  }

  async rawBuckets(filter: RawFilter, unit: BucketUnit): Promise<RawBucket[]> {
    const { sql, params } = rawCondition(filter, this.removed.raw);
    const buckets = await this.db.rows<{ start: number; count: number; sum: string }>(
      `SELECT epoch_ms(date_trunc(?, make_timestamp(created_ms * 1000))) AS start, count(*) AS count, ${SCORE_SUM} AS sum
      FROM raw WHERE ${sql} AND created_ms IS NOT NULL GROUP BY start ORDER BY start`,
      [unit, ...params],
    );
    return buckets.map(({ start, count, sum }) => ({
      start: new Date(start).toISOString(),
      count,
      score: scoreOfText(sum),
    }));
  }

  slices(query: SlicesQuery): { manifests: readonly SliceManifest[]; total: number } {
    const matching = this.manifests.filter(({ mirrorlake }) => sliceMatches(mirrorlake, query));
    return {
      manifests: matching.slice(query.offset, query.offset + query.limit),
      total: matching.length,
    };
  }

  /** What is wrong with the groups of raw items, by the raw items of a database of this generation. */
  groupFaults(db: Database, options: GroupCheckOptions = {}): AsyncIterable<string> {
    return findGroupFaults(db, this.segments, this.built.raw, options);
  }

  /** Number of entries of all groups of raw items, hidden and replaced ones too. */
  get groupEntries(): number {
    return this.segments.reduce((sum, { groups }) => sum + groups.entryCount, 0);
  }

  /** Closes every file. */
  async close(): Promise<void> {
    for (const segment of this.segments) segment.close();
    await this.db.close();
  }

  private segmentOf(row: number): Segment {
    for (let i = this.segments.length - 1; i > 0; i--) {
      if (row >= this.segments[i]!.start.record) return this.segments[i]!;
    }
    return this.segments[0]!;
  }
}

/** Visible state of a generation. */
interface Shown {
  readonly removed: RemovedRows;
  readonly live: RowSet;
  readonly filters: FilterColumns;
  readonly rawPages: RawPages;
  readonly priceChanges: ReadonlyMap<number, PriceChange>;
  readonly redactions: ReadonlyMap<number, RemovedRows["redactedRecords"][number]>;
  readonly tombstones: RowSet | undefined;
  readonly asOfMs: number;
  /** The as-of of raw items alone, once it was asked for. */
  rawAsOfMs?: Promise<number> | undefined;
}

function without(rows: RowSet, removed: readonly number[]): RowSet {
  return removed.length === 0 ? rows : rows.minus(RowSet.of(rows.size, removed));
}
