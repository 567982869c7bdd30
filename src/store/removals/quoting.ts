import { CREATOR_RESOURCE, PART_RESOURCES, type Removal } from "../../contract/lake/removal.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { RawItem } from "../../contract/slice/slice-item.js";
import type { Database } from "../../duckdb/database.js";
import { columnNames } from "../../slice/column.js";
import { RAW_COLUMNS, rawOfRow } from "../../slice/raw-columns.js";
import { RECORD_COLUMNS, recordOfRow } from "../../slice/record-columns.js";
import { type Redacted, redactSamples } from "./redact.js";
import { quotesByRecord } from "./removal-tables.js";

/** An item whose samples quote removed items, its row, and its new samples. */
export interface Quoting<T> {
  /** The value of the table's column `row`. */
  readonly row: unknown;
  readonly item: T;
  readonly redacted: Redacted;
}

/** Records that quote removed items, from a table with a column `row`. Needs `createRemovalTables`. */
export async function quotingRecords(
  db: Database,
  table: string,
  removals: Iterable<Removal>,
  signal?: AbortSignal,
): Promise<Quoting<StoredRecord>[]> {
  const quotes = quotesByRecord(removals);
  if (quotes.size === 0) return [];
  const found: Quoting<StoredRecord>[] = [];
  const sql = `SELECT "row", ${columnNames(RECORD_COLUMNS)} FROM ${table}
    SEMI JOIN removed_quotes USING (id) ANTI JOIN removed_records USING (id) ORDER BY "row", id`;
  for await (const batch of db.stream(sql, [], signal)) {
    for (const row of batch) {
      const item = recordOfRow(row);
      const redacted = redactSamples(item as object as Record<string, unknown>, quotes.get(item.id)!);
      if (redacted !== undefined) found.push({ row: row.row, item, redacted });
    }
  }
  return found;
}

/** Raw items whose data quotes removed items, from a table with a column `row`. Needs `createRemovalTables`. */
export async function quotingRaw(
  db: Database,
  table: string,
  removals: Iterable<Removal>,
  signal?: AbortSignal,
): Promise<Quoting<RawItem>[]> {
  const quotes = quotesByRecord(removals);
  if (quotes.size === 0) return [];
  const found: Quoting<RawItem>[] = [];
  const parts = [...PART_RESOURCES, CREATOR_RESOURCE].map((name) => `'${name}'`).join(", ");
  const sql = `SELECT item."row", thing.record, ${RAW_COLUMNS.map(({ name }) => `item."${name}"`).join(", ")}
    FROM ${table} item JOIN quoted_things thing ON thing.platform = item.platform AND thing.id = item.id
    ANTI JOIN removed_raw gone ON gone.platform = item.platform AND gone.resource = item.resource AND gone.id = item.id
    WHERE item.resource NOT IN (${parts}) AND (contains(data, 'comment_thread') OR contains(data, 'review_sample'))
    ORDER BY item."row", item.resource, item.id`;
  for await (const batch of db.stream(sql, [], signal)) {
    for (const row of batch) {
      const item = rawOfRow(row);
      const redacted = redactSamples(item.data, quotes.get(row.record as string)!);
      if (redacted !== undefined) found.push({ row: row.row, item, redacted });
    }
  }
  return found;
}
