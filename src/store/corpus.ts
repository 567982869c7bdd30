import type { RowSet } from "../contract/lake/row-set.js";
import type { Domain, Platform } from "../contract/service/platforms.js";
import type { Metrics, StoredRecord } from "../contract/service/unified-record.js";
import type { RawItem } from "../contract/slice/slice-item.js";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import type { RecordTally } from "./record-tally.js";
import type { RemovedRows } from "./removals/removed-rows.js";

/** Filter of records: every given condition must hold; an absent one does not restrict. */
export interface RecordFilter {
  readonly domains?: readonly Domain[];
  readonly platforms?: readonly string[];
  readonly langs?: readonly string[];
  /** Bounds of `prov.ts` in epoch milliseconds, both inclusive. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** Sort key of a page of records: capture time, id, a metric, or a number of the record. */
export type RecordOrder = "captured" | "id" | keyof Metrics | "price" | "drop_7d" | "sentiment" | "followers";

/** A page of records. Records without the sort value come last; ties are sorted by id, ascending. */
export interface RecordsQuery extends RecordFilter {
  readonly orderBy: RecordOrder;
  readonly descending?: boolean;
  /** Only records that have the sort value. */
  readonly withValue?: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** Filter of raw items: every given condition must hold. */
export interface RawFilter {
  readonly platform: string;
  readonly resource?: string;
  readonly ids?: readonly string[];
  readonly parent?: string;
  /** Id of the answered item; null for top-level items only; absent for both. */
  readonly replyTo?: string | null;
  readonly author?: string;
  readonly lang?: string;
  /** What the item's text, title or name contains, in any case and any canonically equal form: see `foldText`. */
  readonly text?: string;
  /** Bounds of `created_at` in epoch milliseconds, inclusive; they exclude items without it. */
  readonly createdFromMs?: number;
  readonly createdToMs?: number;
  /** Bounds of `captured_at` in epoch milliseconds, inclusive. */
  readonly capturedFromMs?: number;
  readonly capturedToMs?: number;
}

/**
 * Sort key of a page of raw items. `source` is the order of creation within the parent: `created_at`, then id. Items without the
 * value come last; ties are sorted by id, ascending.
 */
export type RawOrder = "source" | "score" | "created" | "captured" | "offset" | "id";

/** A page of raw items. */
export interface RawQuery extends RawFilter {
  readonly orderBy: RawOrder;
  readonly descending?: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** Items of one page, and the number of all matches. */
export interface RawPage {
  readonly items: readonly RawItem[];
  readonly total: number;
}

/** Time unit of {@link Corpus.rawBuckets}; weeks begin on Monday, all in UTC. */
export type BucketUnit = "hour" | "day" | "week" | "month";

/** Items created in one time unit; `start` is ISO 8601 in UTC, `score` the exact sum of the scores, each to six decimals. */
export interface RawBucket {
  readonly start: string;
  readonly count: number;
  readonly score: number;
}

/** Filter of slices; one whose capture window overlaps `fromMs` … `toMs` (inclusive) matches. */
export interface SlicesQuery {
  readonly domain?: Domain;
  readonly platform?: string;
  readonly lang?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly offset: number;
  readonly limit: number;
}

/**
 * The records, raw items and slices of one open generation of a lake. While it is open nothing is added or changed; removals from
 * the lake apply at once. Rows are numbered 0 … `rowCount` − 1. A row whose record was removed, or replaced by a newer slice,
 * keeps its number and never matches.
 */
export interface Corpus {
  /** Number of live records. */
  readonly recordCount: number;
  /** Number of rows, live or not: the size of every {@link RowSet}. */
  readonly rowCount: number;
  /** The live rows. */
  readonly live: RowSet;
  /** How many live records there are of each platform, domain and language. */
  readonly tally: RecordTally;
  /** Newest `prov.ts` that is no mistake (decisions.md, "Time"), in epoch milliseconds; 0 if there are no records. */
  readonly asOfMs: number;
  /**
   * What windows of raw items are measured from: the newest capture of records and raw items that is no mistake, in epoch milliseconds; 0
   * for neither.
   */
  rawAsOfMs(): Promise<number>;
  /** Path of the generation's database, to be opened read-only; it may hold items removed after it was built. */
  readonly database: string;
  /** Tombstones of the removals made after the generation was built. */
  readonly removed: RemovedRows;
  /** Platforms shipped with Mirrorlake, then those of the slices. */
  platforms(): readonly Platform[];
  /** The live rows whose records match. */
  match(filter: RecordFilter): RowSet;
  /** How many records of live rows there are of each platform, domain and language. */
  tallyOf(rows: RowSet): RecordTally;
  /**
   * The records of rows, in the given order.
   * @throws RangeError for a row that does not exist; LakeError `record_removed` for one that was removed from the lake
   */
  records(rows: readonly number[]): Promise<StoredRecord[]>;
  /** The live row of a record id; undefined if there is none. */
  recordRow(id: string): Promise<number | undefined>;
  /** The rows of one page, in order, and the number of all matches. */
  recordsPage(query: RecordsQuery): Promise<{ rows: number[]; total: number }>;
  /** The records of one page, in order, and the number of all matches. @throws LakeError `record_removed` as {@link Corpus.records} */
  listRecords(query: RecordsQuery): Promise<{ records: StoredRecord[]; total: number }>;
  /** The live raw item of a key; undefined if there is none. */
  raw(platform: string, resource: string, id: string): Promise<RawItem | undefined>;
  /** The items of one page, in order, and the number of all matches. */
  rawPage(query: RawQuery): Promise<RawPage>;
  /** Matching items counted by time unit of `created_at`, in time order; items without it are left out. */
  rawBuckets(filter: RawFilter, unit: BucketUnit): Promise<RawBucket[]>;
  /** Manifests sorted by domain, platform, language, window and root, and the number of all matches. */
  slices(query: SlicesQuery): { manifests: readonly SliceManifest[]; total: number };
}
