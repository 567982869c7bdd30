import type { RemovedRows } from "../store/removals/removed-rows.js";

/** The statements that create `live_records` and `live_raw`, the base of every view, without removed rows. */
export function liveViewsSql({ records, raw, redactedRecords, priceChanges }: RemovedRows): string[] {
  const without = (table: string, removed: readonly number[]) =>
    `corpus.${table} item${removed.length === 0 ? "" : ` WHERE item."row" NOT IN (FROM removed_${table}_rows)`}`;
  const kept = (column: string) =>
    `if(redacted.${column}_changed, redacted.${column}, item.${column}) AS ${column}`;
  return [
    redactedRecords.length + priceChanges.length === 0
      ? `CREATE VIEW live_records AS SELECT item.* FROM ${without("records", records)}`
      : `CREATE VIEW live_records AS SELECT item.* REPLACE (${kept("comment_thread")}, ${kept("review_sample")},
          ${kept("price_drop_7d")},
          coalesce(redacted.prov_hash, item.prov_hash) AS prov_hash)
          FROM (SELECT item.* FROM ${without("records", records)}) item
          LEFT JOIN redacted_records redacted ON redacted.redacted_row = item."row"`,
    `CREATE VIEW live_raw AS SELECT item.* FROM ${without("raw", raw)}`,
  ];
}

/** The tables read by {@link liveViewsSql}. */
export const REMOVED_TABLES_SQL = [
  "CREATE TABLE removed_records_rows (gone INTEGER)",
  "CREATE TABLE removed_raw_rows (gone INTEGER)",
  `CREATE TABLE redacted_records (redacted_row INTEGER, comment_thread_changed BOOLEAN, comment_thread VARCHAR[],
    review_sample_changed BOOLEAN, review_sample VARCHAR[], price_drop_7d_changed BOOLEAN, price_drop_7d DOUBLE,
    prov_hash VARCHAR)`,
] as const;

/** The rows of `redacted_records`: records that removals left with other samples, or another price change. */
export function redactedRows({ redactedRecords, priceChanges }: RemovedRows) {
  const redactions = new Map(redactedRecords.map((redaction) => [redaction.row, redaction]));
  const changes = new Map(priceChanges.map((change) => [change.row, change]));
  return [...new Set([...redactions.keys(), ...changes.keys()])].map((row) => {
    const [redaction, change] = [redactions.get(row), changes.get(row)];
    return [
      row,
      redaction?.comment_thread !== undefined,
      redaction?.comment_thread ?? null,
      redaction?.review_sample !== undefined,
      redaction?.review_sample ?? null,
      change !== undefined,
      change?.drop ?? null,
      redaction?.hash ?? change!.hash,
    ];
  });
}
