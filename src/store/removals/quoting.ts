import { CREATOR_RESOURCE, PART_RESOURCES } from "../../contract/lake/removal.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { RawItem } from "../../contract/slice/slice-item.js";
import type { Database } from "../../duckdb/database.js";
import { EventLoopTurn } from "../../event-loop-turn.js";
import { columnNames, type TableRow } from "../../slice/column.js";
import { RAW_COLUMNS, rawOfRow } from "../../slice/raw-columns.js";
import { RECORD_COLUMNS, recordOfRow } from "../../slice/record-columns.js";
import { type Redacted, redactSamples } from "./redact.js";
import { REMOVALS_TURN_MS } from "./removal-list.js";

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
  signal?: AbortSignal,
): Promise<Quoting<StoredRecord>[]> {
  const sql = `SELECT "row", digests, ${columnNames(RECORD_COLUMNS)} FROM ${table}
    JOIN removed_quotes USING (id) ANTI JOIN removed_records USING (id) ORDER BY "row", id`;
  return quoting(db, sql, signal, recordOfRow, (record) => record as object as Record<string, unknown>);
}

/** Raw items whose data quotes removed items, from a table with a column `row`. Needs `createRemovalTables`. */
export async function quotingRaw(
  db: Database,
  table: string,
  signal?: AbortSignal,
): Promise<Quoting<RawItem>[]> {
  const parts = [...PART_RESOURCES, CREATOR_RESOURCE].map((name) => `'${name}'`).join(", ");
  const sql = `SELECT item."row", digests, ${RAW_COLUMNS.map(({ name }) => `item."${name}"`).join(", ")}
    FROM ${table} item JOIN quoted_things thing ON thing.platform = item.platform AND thing.id = item.id
    JOIN removed_quotes quote ON quote.id = thing.record
    ANTI JOIN removed_raw gone ON gone.platform = item.platform AND gone.resource = item.resource AND gone.id = item.id
    WHERE item.resource NOT IN (${parts}) AND (contains(data, 'comment_thread') OR contains(data, 'review_sample'))
    ORDER BY item."row", item.resource, item.id`;
  return quoting(db, sql, signal, rawOfRow, ({ data }) => data);
}

async function quoting<T>(
  db: Database,
  sql: string,
  signal: AbortSignal | undefined,
  itemOf: (row: TableRow) => T,
  samplesOf: (item: T) => Readonly<Record<string, unknown>>,
): Promise<Quoting<T>[]> {
  const [{ n } = { n: 0 }] = await db.rows<{ n: number }>("SELECT count(*) AS n FROM removed_quotes");
  if (n === 0) return [];
  const turn = new EventLoopTurn(REMOVALS_TURN_MS);
  const found: Quoting<T>[] = [];
  for await (const batch of db.stream(sql, [], signal)) {
    for (const row of batch) {
      if (turn.isOver()) await turn.next();
      const item = itemOf(row);
      const redacted = redactSamples(samplesOf(item), new Set(row.digests as string[]));
      if (redacted !== undefined) found.push({ row: row.row, item, redacted });
    }
  }
  return found;
}
