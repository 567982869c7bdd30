import { drop7d, type TimedPrice } from "../../contract/price-change.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { Database, SqlValue } from "../../duckdb/database.js";
import { columnNames } from "../../slice/column.js";
import { RECORD_COLUMNS, recordOfRow } from "../../slice/record-columns.js";
import { recordHash } from "../../slice/record-hash.js";
import { givenHash } from "./given-hash.js";
import type { PricedProduct } from "./load-tables.js";

/** The derived `price.drop_7d` of a row, and the hash of the record with it. */
export interface PriceChange {
  readonly row: number;
  /** Percent; null for a record without one. */
  readonly drop: number | null;
  /** `prov.hash` of the record as it is shown. */
  readonly hash: string;
}

/** Which records are looked at: all, or those of products with a row that matches. */
export interface PriceChangeScope {
  /** Prefix of the tables: `corpus.` for an attached generation. */
  readonly schema?: string;
  /** SQL of the raw items to leave out, as an anti join over `platform, resource, id`. */
  readonly without?: string;
  /** SQL of `platform, parent` of the products to look at; default: all. */
  readonly touched?: { readonly sql: string; readonly params?: readonly SqlValue[] };
  readonly signal?: AbortSignal | undefined;
}

/** SQL of the platform's own id of a record. */
const OWN_ID = "array_to_string(string_split(id, '_')[3:], '_')";

/**
 * The products that an install touches: those of its records and of its price points.
 * @param left products of points that it replaced
 */
export function productsSince(
  first: { readonly records: number; readonly raw: number },
  left: readonly PricedProduct[],
): NonNullable<PriceChangeScope["touched"]> {
  return {
    sql: `SELECT platform, ${OWN_ID} AS parent FROM records WHERE "row" >= ?
      UNION SELECT platform, parent FROM raw WHERE resource = 'price' AND "row" >= ?
      UNION SELECT unnest(?::VARCHAR[]), unnest(?::VARCHAR[])`,
    params: [
      first.records,
      first.raw,
      left.map(({ platform }) => platform),
      left.map(({ parent }) => parent),
    ],
  };
}

/** A price point of a product: where, when and how much. */
export interface Point {
  readonly location: string | null;
  readonly time: TimedPrice;
}

/**
 * Derives `price.drop_7d` from price points: raw items of the resource `price` whose parent is the product. It is derived where the
 * source says nothing, from all that the lake holds, so the outcome does not depend on which captures came together. Points later than
 * the record's capture do not count.
 *
 * The series is that of the record's `extra.location`, else of the points without a place, else of the place with the newest point,
 * the first by name. Prices differ by place, and a difference between places is not a change.
 * @returns the records whose stored value differs, in row order
 */
export async function findPriceChanges(db: Database, scope: PriceChangeScope = {}): Promise<PriceChange[]> {
  const { schema = "", without = "", touched, signal } = scope;
  const only = touched === undefined ? "" : `SEMI JOIN (${touched.sql}) USING (platform, parent)`;
  const sql = `
    WITH products AS (
      SELECT "row", platform, ${OWN_ID} AS parent, price_currency, price_drop_7d, prov_ts_ms, extra_other->>'$.location' AS place
      FROM ${schema}records WHERE price_current IS NOT NULL AND price_drop_given IS NULL
    ), points AS (
      SELECT platform, parent, id, coalesce(created_ms, captured_ms) AS ms, data->>'$.location' AS location,
        data->>'$.currency' AS currency, TRY_CAST(data->>'$.current' AS DOUBLE) AS price
      FROM ${schema}raw ${without} WHERE resource = 'price' AND parent IS NOT NULL
    )
    SELECT products."row", products.place, points.location, points.ms, points.price
    FROM (FROM products ${only}) products LEFT JOIN points ON points.platform = products.platform AND points.parent = products.parent
      AND points.currency = price_currency AND points.price IS NOT NULL AND points.ms <= prov_ts_ms
    WHERE points.ms IS NOT NULL OR price_drop_7d IS NOT NULL
    ORDER BY products."row", points.ms, points.id`;
  const drops = new Map<number, number | null>();
  let open: { row: number; place: string | null; points: Point[] } | undefined;
  const close = () => {
    if (open === undefined) return;
    const { row, place, points } = open;
    drops.set(row, points.length === 0 ? null : (drop7d(seriesOf(points, place)) ?? null));
  };
  for await (const batch of db.stream<{
    row: number;
    place: string | null;
    location: string | null;
    ms: number | null;
    price: number | null;
  }>(sql, [...(touched?.params ?? [])], signal)) {
    for (const { row, place, location, ms, price } of batch) {
      if (open?.row !== row) {
        close();
        open = { row, place, points: [] };
      }
      // What was derived from points that are there no more goes with the last of them.
      if (ms !== null && price !== null) open.points.push({ location, time: { ms, price } });
    }
  }
  close();
  return differing(db, schema, drops, signal);
}

/** Stores derived values in the tables of a generation that is being built. */
export async function storePriceChanges(db: Database, changes: readonly PriceChange[]): Promise<void> {
  if (changes.length === 0) return;
  await db.run('CREATE TEMP TABLE changes ("row" INTEGER, "drop" DOUBLE, hash VARCHAR)');
  await db.append(
    "changes",
    changes.map(({ row, drop, hash }) => [row, drop, hash]),
  );
  await db.run(
    `UPDATE records SET price_drop_7d = changes."drop", prov_hash = changes.hash, prov_hash_given = ${givenHash("records")}
      FROM changes WHERE records."row" = changes."row"`,
  );
  await db.run("DROP TABLE changes");
}

/** The record with a derived value. */
export function withPriceChange(record: StoredRecord, { drop, hash }: PriceChange): StoredRecord {
  if (record.price === undefined) return record;
  return { ...withDrop(record, drop), prov: { ...record.prov, hash } };
}

/** The prices of the one place that a record's price is compared with; `points` oldest first, not empty. */
export function seriesOf(points: readonly Point[], place: string | null): TimedPrice[] {
  let location = place;
  if (location === null && !points.some((point) => point.location === null)) {
    // Points are in order of time: the newest are last.
    const newest = points.at(-1)!.time.ms;
    location = points
      .filter(({ time }) => time.ms === newest)
      .map((point) => point.location!)
      .sort()[0]!;
  }
  return points.filter((point) => point.location === location).map(({ time }) => time);
}

async function differing(
  db: Database,
  schema: string,
  drops: ReadonlyMap<number, number | null>,
  signal: AbortSignal | undefined,
): Promise<PriceChange[]> {
  const changes: PriceChange[] = [];
  if (drops.size === 0) return changes;
  const sql = `SELECT "row", ${columnNames(RECORD_COLUMNS)}, ${givenHash("stored")} AS given FROM ${schema}records stored WHERE "row" IN (SELECT unnest(?::INTEGER[])) ORDER BY "row"`;
  for await (const batch of db.stream(sql, [[...drops.keys()]], signal)) {
    for (const stored of batch) {
      const row = stored.row as number;
      const drop = drops.get(row)!;
      if (drop === stored.price_drop_7d) continue;
      const { prov: _, ...bare } = withDrop(recordOfRow(stored), drop);
      // Without a derived value it is as its source gave it, by whatever recipe that hashed it.
      changes.push({ row, drop, hash: drop === null ? (stored.given as string) : recordHash(bare) });
    }
  }
  return changes;
}

/** The record with another derived change; null for none. */
export function withDrop(record: StoredRecord, drop: number | null): StoredRecord {
  const { current, currency } = record.price!;
  return { ...record, price: drop === null ? { current, currency } : { current, currency, drop_7d: drop } };
}
