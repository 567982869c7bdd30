import {
  EXTRA_KEYS,
  type Extra,
  METRIC_KEYS,
  type Metrics,
  type StoredRecord,
} from "../contract/service/unified-record.js";
import { canonicalJson } from "../contract/slice/canonical-json.js";
import type { SqlValue } from "../duckdb/database.js";
import type { Column, ColumnType, TableRow } from "./column.js";

type ExtraKey = (typeof EXTRA_KEYS)[number];

/** Column type of each known `extra` key; a value of another type (a stock as text) goes to `extra_other`. */
const EXTRA_TYPES: Readonly<Record<ExtraKey, ColumnType>> = {
  note_type: "VARCHAR",
  topic: "VARCHAR",
  video_dur_s: "DOUBLE",
  dur_s: "DOUBLE",
  channel_type: "VARCHAR",
  partition: "VARCHAR",
  danmaku_peak_s: "DOUBLE",
  shop_type: "VARCHAR",
  stock: "DOUBLE",
  promo: "VARCHAR",
  category: "VARCHAR",
  new_arrival: "BOOLEAN",
  color_ways: "DOUBLE",
  lightning_deal: "BOOLEAN",
  voucher: "VARCHAR",
  freshness_s: "DOUBLE",
  outlet_tier: "DOUBLE",
};

const JS_TYPES: Readonly<Partial<Record<ColumnType, string>>> = {
  VARCHAR: "string",
  DOUBLE: "number",
  BOOLEAN: "boolean",
};

const METRICS = [...METRIC_KEYS.social, ...METRIC_KEYS.ecommerce];

function fitsColumn(key: string, value: unknown): key is ExtraKey {
  const type = (EXTRA_TYPES as Readonly<Record<string, ColumnType | undefined>>)[key];
  return type !== undefined && Object.hasOwn(EXTRA_TYPES, key) && typeof value === JS_TYPES[type];
}

function knownExtra(record: StoredRecord, key: ExtraKey): SqlValue {
  const value = record.extra?.[key];
  return fitsColumn(key, value) ? (value as SqlValue) : null;
}

function otherExtra(record: StoredRecord): string | null {
  if (record.extra === undefined) return null;
  const others = Object.entries(record.extra).filter(
    ([key, value]) => value !== undefined && !fitsColumn(key, value),
  );
  return others.length === 0 ? null : canonicalJson(Object.fromEntries(others));
}

function emptyObjects(record: StoredRecord): string[] | null {
  const empty = (["metrics", "extra"] as const).filter((key) => {
    const value = record[key];
    return value !== undefined && Object.values(value).every((member) => member === undefined);
  });
  return empty.length === 0 ? null : empty;
}

/** The columns of `records.parquet`: one per field; only unknown `extra` keys are JSON. NULL stands for an absent key. */
export const RECORD_COLUMNS: readonly Column<StoredRecord>[] = [
  { name: "id", type: "VARCHAR", of: (r) => r.id },
  { name: "src", type: "VARCHAR", of: (r) => r.src, description: "domain" },
  { name: "platform", type: "VARCHAR", of: (r) => r.platform },
  { name: "lang", type: "VARCHAR", of: (r) => r.lang, description: "BCP-47 tag" },
  { name: "text", type: "VARCHAR", of: (r) => r.text ?? null },
  { name: "title", type: "VARCHAR", of: (r) => r.title ?? null },
  { name: "author_uid_hash", type: "VARCHAR", of: (r) => r.author?.uid_hash ?? null },
  { name: "author_followers", type: "BIGINT", of: (r) => r.author?.followers ?? null },
  ...METRICS.map(
    (key): Column<StoredRecord> => ({
      name: `metrics_${key}`,
      type: key === "rating" ? "DOUBLE" : "BIGINT",
      of: (r) => r.metrics?.[key] ?? null,
    }),
  ),
  { name: "comment_thread", type: "VARCHAR[]", of: (r) => r.comment_thread ?? null },
  { name: "price_current", type: "DOUBLE", of: (r) => r.price?.current ?? null },
  { name: "price_currency", type: "VARCHAR", of: (r) => r.price?.currency ?? null, description: "ISO 4217" },
  {
    name: "price_drop_7d",
    type: "DOUBLE",
    of: (r) => r.price?.drop_7d ?? null,
    description: "percent change over 7 days, negative for a drop",
  },
  { name: "review_sample", type: "VARCHAR[]", of: (r) => r.review_sample ?? null },
  { name: "sentiment_score", type: "DOUBLE", of: (r) => r.sentiment?.score ?? null },
  { name: "sentiment_label", type: "VARCHAR", of: (r) => r.sentiment?.label ?? null },
  { name: "entities", type: "VARCHAR[]", of: (r) => r.entities ?? null },
  ...EXTRA_KEYS.map(
    (key): Column<StoredRecord> => ({
      name: `extra_${key}`,
      type: EXTRA_TYPES[key],
      of: (r) => knownExtra(r, key),
    }),
  ),
  { name: "extra_other", type: "VARCHAR", of: otherExtra, description: "JSON object of the remaining keys" },
  {
    name: "empty_objects",
    type: "VARCHAR[]",
    of: emptyObjects,
    description: "which of metrics and extra are there but have no key",
  },
  { name: "prov_hash", type: "VARCHAR", of: (r) => r.prov.hash },
  { name: "prov_ts", type: "VARCHAR", of: (r) => r.prov.ts, description: "instant of capture, ISO 8601" },
  {
    name: "prov_ts_ms",
    type: "BIGINT",
    of: (r) => Date.parse(r.prov.ts),
    description: "the same in milliseconds since the epoch",
  },
  { name: "prov_source", type: "VARCHAR", of: (r) => r.prov.source ?? null },
];

/** Column of `records.parquet` with the 0-based position of a record's vector in `vectors.arrow`. */
export const VECTOR_ROW = { name: "vector_row", type: "INTEGER" } as const;

const EXTRA_COLUMNS = EXTRA_KEYS.map((key) => [key, `extra_${key}`] as const);
const METRIC_COLUMNS = METRICS.map((key) => [key, `metrics_${key}`] as const);

/** Restores the record of a row of `records.parquet`, exactly as written, keys in the order of service.md section 2.3. */
export function recordOfRow(row: TableRow): StoredRecord {
  const empty = row.empty_objects as string[] | null;
  const record: Record<string, unknown> = {
    id: row.id,
    src: row.src,
    platform: row.platform,
    lang: row.lang,
  };
  if (row.text !== null) record.text = row.text;
  if (row.title !== null) record.title = row.title;
  if (row.author_uid_hash !== null) {
    record.author = {
      uid_hash: row.author_uid_hash,
      ...(row.author_followers === null ? {} : { followers: row.author_followers }),
    };
  }
  const metrics = collect(row, METRIC_COLUMNS);
  if (metrics !== undefined || empty?.includes("metrics")) record.metrics = (metrics ?? {}) as Metrics;
  if (row.comment_thread !== null) record.comment_thread = row.comment_thread;
  if (row.price_current !== null) {
    record.price = {
      current: row.price_current,
      currency: row.price_currency,
      ...(row.price_drop_7d === null ? {} : { drop_7d: row.price_drop_7d }),
    };
  }
  if (row.review_sample !== null) record.review_sample = row.review_sample;
  if (row.sentiment_label !== null) {
    record.sentiment = { score: row.sentiment_score, label: row.sentiment_label };
  }
  if (row.entities !== null) record.entities = row.entities;
  const known = collect(row, EXTRA_COLUMNS);
  const other = row.extra_other === null ? undefined : (JSON.parse(row.extra_other as string) as Extra);
  if (known !== undefined || other !== undefined || empty?.includes("extra")) {
    record.extra = { ...known, ...other };
  }
  record.prov = {
    hash: row.prov_hash,
    ts: row.prov_ts,
    ...(row.prov_source === null ? {} : { source: row.prov_source }),
  };
  return record as StoredRecord;
}

/** A record as {@link recordOfRow} restores it once it is written: the same content, keys in the same order. */
export function asRestored(record: StoredRecord): StoredRecord {
  return recordOfRow(Object.fromEntries(RECORD_COLUMNS.map(({ name, of }) => [name, of(record)])));
}

function collect(
  row: TableRow,
  columns: readonly (readonly [key: string, column: string])[],
): Record<string, unknown> | undefined {
  let members: Record<string, unknown> | undefined;
  for (const [key, column] of columns) {
    const value = row[column];
    if (value === null) continue;
    members ??= {};
    members[key] = value;
  }
  return members;
}
