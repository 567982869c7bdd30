import { RowSet } from "../../contract/lake/row-set.js";
import { type Platform, withShipped } from "../../contract/service/platforms.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { RawItem } from "../../contract/slice/slice-item.js";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { sliceMatches } from "../../slice/slice-filter.js";
import { asOfRecords } from "../as-of.js";
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
import { ColumnsBuilder, FilterColumns } from "../filter-columns.js";
import { compareBytes, compareValues } from "../raw-pages.js";
import { wordsMatch } from "../raw-words.js";
import type { RecordTally } from "../record-tally.js";
import { NOTHING_REMOVED } from "../removals/removed-rows.js";
import { bucketsOf } from "./buckets.js";
import { withDerivedDrops } from "./derived-drops.js";
import { RawLists } from "./raw-lists.js";
import { sortValue } from "./sort-value.js";

/** Content of a {@link MemoryCorpus}. Keys are unique. */
export interface MemoryContent {
  readonly records: readonly StoredRecord[];
  readonly raw: readonly RawItem[];
  /** Platforms beyond the shipped ones. */
  readonly platforms: readonly Platform[];
  /** The clock's time when the content was taken, epoch ms; see {@link asOfRecords}. */
  readonly nowMs: number;
}

/** A {@link Corpus} of few records and raw items, in memory. It answers as an installed generation of the same items does. */
export class MemoryCorpus implements Corpus {
  /** None: SQL needs a lake on disk. */
  readonly database = "";
  readonly removed = NOTHING_REMOVED;
  readonly live: RowSet;
  readonly asOfMs: number;
  /** Manifests of the slices that the content would be; empty until a lake on disk was made of it. */
  manifests: readonly SliceManifest[] = [];
  private readonly rows: readonly StoredRecord[];
  private readonly rowOf: ReadonlyMap<string, number>;
  private readonly filters: FilterColumns;
  private readonly lists: RawLists;

  constructor(private readonly content: MemoryContent) {
    this.rows = withDerivedDrops(content.records, content.raw);
    this.rowOf = new Map(this.rows.map(({ id }, row) => [id, row]));
    this.lists = new RawLists(content.raw);
    this.live = RowSet.all(this.rows.length);
    const columns = new ColumnsBuilder(undefined, this.rows.length);
    for (const record of this.rows) columns.add(record);
    const values = columns.finish();
    this.filters = new FilterColumns(values, this.live);
    this.asOfMs = asOfRecords(values.capturedMs, this.live, content.nowMs).asOfMs;
  }

  async rawAsOfMs(): Promise<number> {
    const { raw, nowMs } = this.content;
    const capturedMs = Float64Array.from(raw, ({ captured_at }) => Date.parse(captured_at));
    return Math.max(this.asOfMs, asOfRecords(capturedMs, RowSet.all(raw.length), nowMs).asOfMs);
  }

  get recordCount(): number {
    return this.rows.length;
  }

  get rowCount(): number {
    return this.rows.length;
  }

  get tally(): RecordTally {
    return this.filters.tally;
  }

  tallyOf(rows: RowSet): RecordTally {
    return this.filters.tallyOf(rows);
  }

  platforms(): readonly Platform[] {
    const used = new Set([...this.rows, ...this.content.raw].map(({ platform }) => platform));
    return withShipped(this.content.platforms.filter(({ slug }) => used.has(slug)));
  }

  match(filter: RecordFilter): RowSet {
    return this.filters.match(filter);
  }

  async records(rows: readonly number[]): Promise<StoredRecord[]> {
    return rows.map((row) => {
      const record = this.rows[row];
      if (record === undefined) throw new RangeError(`Row ${row} of ${this.rows.length} records`);
      return copyOf(record);
    });
  }

  async recordRow(id: string): Promise<number | undefined> {
    return this.rowOf.get(id);
  }

  async listRecords(query: RecordsQuery): Promise<{ records: StoredRecord[]; total: number }> {
    const { rows, total } = await this.recordsPage(query);
    return { records: await this.records(rows), total };
  }

  async recordsPage(query: RecordsQuery): Promise<{ rows: number[]; total: number }> {
    const { orderBy, descending = false, withValue = false, offset, limit } = query;
    const idOf = (row: number) => this.rows[row]!.id;
    const value = (row: number) => sortValue(this.rows[row]!, orderBy);
    const rows = [...this.match(query).rows()];
    const matching = withValue && orderBy !== "id" ? rows.filter((row) => !Number.isNaN(value(row))) : rows;
    const sign = orderBy === "id" && descending ? -1 : 1;
    matching.sort(
      (a, b) => compareValues(value(a), value(b), descending) || sign * compareBytes(idOf(a), idOf(b)),
    );
    return { rows: matching.slice(offset, offset + limit), total: matching.length };
  }

  async raw(platform: string, resource: string, id: string): Promise<RawItem | undefined> {
    const item = this.lists.find(platform, resource, id);
    return item === undefined ? undefined : copyOf(item);
  }

  async rawPage(query: RawQuery): Promise<RawPage> {
    const { items, total } = this.lists.page(query);
    return { items: items.map(copyOf), total };
  }

  async rawBuckets(filter: RawFilter, unit: BucketUnit): Promise<RawBucket[]> {
    return bucketsOf(
      this.lists.matching(filter).filter((item) => wordsMatch(item, filter.text)),
      unit,
    );
  }

  slices(query: SlicesQuery): { manifests: readonly SliceManifest[]; total: number } {
    const matching = this.manifests.filter(({ mirrorlake }) => sliceMatches(mirrorlake, query));
    return { manifests: matching.slice(query.offset, query.offset + query.limit), total: matching.length };
  }
}

/**
 * A copy, so that what a caller changes in an answer changes no other. By way of JSON: the objects of `structuredClone` are of
 * another realm in test runners that give each file its own.
 */
function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
