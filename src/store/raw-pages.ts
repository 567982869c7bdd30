import type { RowSet } from "../contract/lake/row-set.js";
import type { RawItem } from "../contract/slice/slice-item.js";
import type { RawPage, RawQuery } from "./corpus.js";
import type { LaterDatabase } from "./generation/later-database.js";
import { RAW_ORDER_COLUMNS, rawCondition, rawMatches } from "./raw-filter.js";
import { redactRaw } from "./removals/redact.js";
import { type RemovedRows, redactedOf } from "./removals/removed-rows.js";
import type { GroupEntry, GroupSpan } from "./rows/raw-groups.js";
import type { Segment } from "./rows/segment.js";

/** Entries of a group that are put in order in one turn of the event loop, which takes some 10 ms; the engine does it for more. */
const MOST_ENTRIES = 16_384;
/** The same where the items may have to be read for their ids, some 25 µs each. */
const MOST_READ = 512;

/** Pages of raw items: by parent, answered item or author from groups that are not too large; by id from keys; all others by SQL. */
export class RawPages {
  private readonly redactions: ReadonlyMap<number, RemovedRows["redactedRaw"][number]>;

  constructor(
    private readonly segments: readonly Segment[],
    private readonly live: RowSet,
    private readonly db: LaterDatabase,
    private readonly removed: Pick<RemovedRows, "raw" | "redactedRaw">,
  ) {
    this.redactions = new Map(removed.redactedRaw.map((redaction) => [redaction.row, redaction]));
  }

  /** The live items of one page, and the number of all matches. */
  async page(query: RawQuery): Promise<RawPage> {
    if (query.ids !== undefined && query.resource !== undefined && query.text === undefined) {
      return this.byIds(query, query.resource, query.ids);
    }
    if (!isGroupQuery(query)) return this.bySql(query);
    const groups = this.groupsOf(query);
    const entries = groups.reduce((sum, { span }) => sum + span.count, 0);
    const inIdOrder = query.parent !== undefined && groups.length <= 1;
    return entries > (inIdOrder ? MOST_ENTRIES : MOST_READ) ? this.bySql(query) : this.byGroup(query, groups);
  }

  /** The item of a row of the generation. */
  item(row: number): RawItem {
    const item = this.segmentOf(row).raw(row);
    const redaction = this.redactions.get(row);
    return redaction === undefined ? item : redactRaw(item, redactedOf(redaction));
  }

  /** The live item with a key. */
  find(platform: string, resource: string, id: string): RawItem | undefined {
    for (let i = this.segments.length - 1; i >= 0; i--) {
      const segment = this.segments[i]!;
      const row = segment.rawRow(platform, resource, id);
      if (row !== undefined && this.live.has(row)) return this.item(row);
    }
    return undefined;
  }

  private byIds(query: RawQuery, resource: string, ids: readonly string[]): RawPage {
    const { orderBy, descending = false, offset, limit } = query;
    const items = [...new Set(ids)]
      .map((id) => this.find(query.platform, resource, id))
      .filter((item): item is RawItem => item !== undefined && rawMatches(item, query));
    const value = (item: RawItem): number => {
      if (orderBy === "score") return item.score;
      if (orderBy === "captured") return Date.parse(item.captured_at);
      if (orderBy === "offset") return item.offset_s ?? Number.NaN;
      return orderBy === "id" || item.created_at === undefined ? Number.NaN : Date.parse(item.created_at);
    };
    const sign = orderBy === "id" && descending ? -1 : 1;
    items.sort((a, b) => compareValues(value(a), value(b), descending) || sign * compareBytes(a.id, b.id));
    return { items: items.slice(offset, offset + limit), total: items.length };
  }

  /** Where each segment has entries of a group, if it has any. */
  private groupsOf(query: GroupQuery): SegmentGroup[] {
    return this.segments.flatMap((segment) => {
      const span = segment.groups.find(query, (row) => rawMatches(segment.raw(row), groupOf(query)));
      return span === undefined ? [] : [{ segment, span }];
    });
  }

  private byGroup(query: GroupQuery, groups: readonly SegmentGroup[]): RawPage {
    const { orderBy, descending = false, offset, limit } = query;
    const entries: GroupEntry[] = [];
    for (const { segment, span } of groups)
      for (const entry of segment.groups.entriesOf(span)) if (this.live.has(entry.row)) entries.push(entry);
    const value = (entry: GroupEntry): number => {
      if (orderBy === "score") return entry.score;
      if (orderBy === "offset") return entry.offset;
      return orderBy === "id" ? Number.NaN : entry.created;
    };
    const sign = orderBy === "id" && descending ? -1 : 1;
    const compareIds = this.idOrder(query);
    entries.sort((a, b) => compareValues(value(a), value(b), descending) || sign * compareIds(a.row, b.row));
    return {
      items: entries.slice(offset, offset + limit).map(({ row }) => this.item(row)),
      total: entries.length,
    };
  }

  private async bySql(query: RawQuery): Promise<RawPage> {
    const { sql, params } = rawCondition(query, this.removed.raw);
    const direction = query.descending ? "DESC" : "ASC";
    const order = `${RAW_ORDER_COLUMNS[query.orderBy]} ${direction} NULLS LAST, id, resource`;
    const [[total], rows] = await Promise.all([
      this.db.rows<{ total: number }>(`SELECT count(*) AS total FROM raw WHERE ${sql}`, params),
      this.db.page<{ row: number }>(`SELECT "row" FROM raw WHERE ${sql} ORDER BY ${order}`, params, query),
    ]);
    return { items: rows.map(({ row }) => this.item(row)), total: total!.total };
  }

  private segmentOf(row: number): Segment {
    for (let i = this.segments.length - 1; i > 0; i--) {
      if (row >= this.segments[i]!.start.raw) return this.segments[i]!;
    }
    return this.segments[0]!;
  }

  /**
   * Compares rows of a group by their items' ids. Within a segment, rows of one parent are in id order; for other groups and across
   * segments the ids are read, each once.
   */
  private idOrder({ parent }: GroupQuery): (a: number, b: number) => number {
    const ids = new Map<number, string>();
    const idOf = (segment: Segment, row: number): string => {
      const id = ids.get(row) ?? segment.raw(row).id;
      ids.set(row, id);
      return id;
    };
    return (a, b) => {
      const [x, y] = [this.segmentOf(a), this.segmentOf(b)];
      return x === y && parent !== undefined ? a - b : compareBytes(idOf(x, a), idOf(y, b));
    };
  }
}

interface SegmentGroup {
  readonly segment: Segment;
  readonly span: GroupSpan;
}

type GroupQuery = RawQuery & { readonly resource: string };

/**
 * Whether groups alone can evaluate a query: it names a resource and either an author, or a parent or an answered item, and has
 * no other condition.
 */
function isGroupQuery(query: RawQuery): query is GroupQuery {
  const placed = query.parent !== undefined || typeof query.replyTo === "string";
  const byAuthor = query.author !== undefined && query.parent === undefined && query.replyTo === undefined;
  const bare =
    query.ids === undefined &&
    query.lang === undefined &&
    query.text === undefined &&
    query.createdFromMs === undefined &&
    query.createdToMs === undefined &&
    query.capturedFromMs === undefined &&
    query.capturedToMs === undefined;
  const anchored = byAuthor || (placed && query.author === undefined);
  return query.resource !== undefined && anchored && bare && query.orderBy !== "captured";
}

function groupOf({ platform, resource, author, parent, replyTo }: GroupQuery) {
  return {
    platform,
    resource,
    author,
    parent,
    replyTo,
  };
}

/** Compares numbers; NaN (no value) comes last in both directions. */
export function compareValues(a: number, b: number, descending: boolean): number {
  const [missingA, missingB] = [Number.isNaN(a), Number.isNaN(b)];
  if (missingA || missingB) return Number(missingA) - Number(missingB);
  return descending ? b - a : a - b;
}

/** Compares texts by their UTF-8 bytes, as the database does. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8"));
}
