import type { RowSet } from "../contract/lake/row-set.js";
import type { Domain, Platform } from "../contract/service/platforms.js";
import type { Metrics, StoredRecord } from "../contract/service/unified-record.js";
import type { RawItem } from "../contract/slice/slice-item.js";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import type { RemovedRows } from "./removals/removed-rows.js";

/** Which records: every given condition must hold, an absent one does not restrict. */
export interface RecordFilter {
  readonly domains?: readonly Domain[];
  readonly platforms?: readonly string[];
  readonly langs?: readonly string[];
  /** Bounds of `prov.ts` in epoch milliseconds, both inclusive. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** What a page of records is ordered by: capture instant, id, a metric, or a number of the record. */
export type RecordOrder = "captured" | "id" | keyof Metrics | "price" | "drop_7d" | "sentiment" | "followers";

/** A page of records. Records without the value that orders them come last; ties by id, ascending. */
export interface RecordsQuery extends RecordFilter {
  readonly orderBy: RecordOrder;
  readonly descending?: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** Which raw items: every given condition must hold. */
export interface RawFilter {
  readonly platform: string;
  readonly resource?: string;
  readonly ids?: readonly string[];
  readonly parent?: string;
  /** The item that is answered; null for top-level items only; absent for both. */
  readonly replyTo?: string | null;
  readonly author?: string;
  readonly lang?: string;
  /** Case-insensitive substring of the item's text, title or name. */
  readonly text?: string;
  /** Bounds of `created_at` in epoch milliseconds, both inclusive; items without one are then left out. */
  readonly createdFromMs?: number;
  readonly createdToMs?: number;
  /** Bounds of `captured_at` in epoch milliseconds, both inclusive. */
  readonly capturedFromMs?: number;
  readonly capturedToMs?: number;
}

/**
 * What a page of raw items is ordered by. `source` is the order within their parent in which the items came to be:
 * `created_at`, then id. Items without the value come last; ties by id, ascending.
 */
export type RawOrder = "source" | "score" | "created" | "captured" | "offset" | "id";

/** A page of raw items. */
export interface RawQuery extends RawFilter {
  readonly orderBy: RawOrder;
  readonly descending?: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** Items of one page, and how many there are in all. */
export interface RawPage {
  readonly items: readonly RawItem[];
  readonly total: number;
}

/** Unit of time that {@link Corpus.rawBuckets} counts by; weeks begin on Monday, all in UTC. */
export type BucketUnit = "hour" | "day" | "week" | "month";

/** Items that came to be in one unit of time; `start` is ISO 8601 in UTC, `score` the exact sum of the items' scores, each to six decimals. */
export interface RawBucket {
  readonly start: string;
  readonly count: number;
  readonly score: number;
}

/** Which slices; a slice whose window of capture overlaps `fromMs` … `toMs` (inclusive) is one. */
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
 * The records, raw items and slices of one open generation of a lake. While it is open, nothing comes to it and nothing
 * changes; what is removed from the lake goes from it at once. Rows are numbers 0 … `rowCount` − 1; a row whose record a
 * newer slice replaced, or that was removed, stays in the numbering and is never matched.
 */
export interface Corpus {
  /** Records that can be found. */
  readonly recordCount: number;
  /** Rows, found or replaced: the size of every {@link RowSet}. */
  readonly rowCount: number;
  /** The rows that can be found. */
  readonly live: RowSet;
  /** The newest `prov.ts` in epoch milliseconds, 0 when there is no record. */
  readonly asOfMs: number;
  /** Path of the database of the generation, to be opened read-only; it may hold what was removed since it was built. */
  readonly database: string;
  /** What was removed since the generation was built. */
  readonly removed: RemovedRows;
  /** Platforms that ship with Mirrorlake, then those that the slices bring. */
  platforms(): readonly Platform[];
  /** The live rows whose records match. */
  match(filter: RecordFilter): RowSet;
  /**
   * The records of the given rows, in the order given.
   * @throws RangeError for a row that is not one; LakeError `record_removed` for one that was removed from the lake
   */
  records(rows: readonly number[]): Promise<StoredRecord[]>;
  /** The live row of a record id; undefined when there is none. */
  recordRow(id: string): Promise<number | undefined>;
  /** The rows of one page, in its order, and how many records match in all. */
  recordsPage(query: RecordsQuery): Promise<{ rows: number[]; total: number }>;
  /** The live raw item of a key; undefined when there is none. */
  raw(platform: string, resource: string, id: string): Promise<RawItem | undefined>;
  /** The items of one page, in its order, and how many match in all. */
  rawPage(query: RawQuery): Promise<RawPage>;
  /** Items that match by the unit of time of their `created_at`, in order of time; those without one are left out. */
  rawBuckets(filter: RawFilter, unit: BucketUnit): Promise<RawBucket[]>;
  /** Manifests by domain, platform, language, window and root, and how many match in all. */
  slices(query: SlicesQuery): { manifests: readonly SliceManifest[]; total: number };
}
