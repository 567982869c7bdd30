import { FIRST_INSTANT_MS, LAST_INSTANT_MS } from "../contract/utc-calendar.js";
import { quoteName } from "../duckdb/quote-sql.js";
import type { Column } from "./column.js";
import { SLICE_LIMITS } from "./defaults.js";
import { RAW_COLUMNS } from "./raw-columns.js";
import { RECORD_COLUMNS } from "./record-columns.js";

/** Columns whose numbers are not below zero. */
const NOT_NEGATIVE: ReadonlySet<string> = new Set([
  "metrics_rating",
  "price_current",
  "extra_video_dur_s",
  "extra_dur_s",
  "extra_danmaku_peak_s",
  "extra_freshness_s",
  "offset_s",
]);

/** Columns that another condition looks at. */
const DERIVED: ReadonlySet<string> = new Set(["prov_ts_ms", "captured_ms", "created_ms"]);

/**
 * SQL conditions of which one holds for every row of `records.parquet` that `recordRowFault` refuses, but for what `extra_other`
 * holds. They may hold for sound rows too: the engine looks at all rows fast, and what it suspects is read. Columns of one type are
 * looked at together: the engine takes longer to plan a condition for each than to look at a thousand rows.
 */
export const SUSPECT_RECORDS: readonly string[] = [
  ...byType(RECORD_COLUMNS.filter(({ name }) => name !== "empty_objects")),
  "id IS NULL OR NOT regexp_full_match(id, '(soc|eco|web)_[a-z0-9]{3}_[!-~]+') OR strlen(id) > 200",
  "prov_hash IS NULL OR NOT regexp_full_match(prov_hash, '0x[0-9a-f]+')",
  notInstant("prov_ts", "prov_ts_ms"),
  "author_uid_hash = '' OR (author_uid_hash IS NULL AND author_followers IS NOT NULL)",
  "(price_current IS NULL) <> (price_currency IS NULL) OR (price_current IS NULL AND price_drop_7d IS NOT NULL)",
  "NOT regexp_full_match(price_currency, '[A-Z]{3}')",
  "(sentiment_score IS NULL) <> (sentiment_label IS NULL)",
  "extra_color_ways <> trunc(extra_color_ways)",
  "empty_objects IS NOT NULL",
];

/** The same for `raw.parquet` and `rawRowFault`, but for what `data` holds. */
export const SUSPECT_RAW: readonly string[] = [
  ...byType(RAW_COLUMNS),
  "resource IS NULL OR NOT regexp_full_match(resource, '[a-z][a-z0-9_-]{0,39}')",
  "id IS NULL",
  ...["id", "parent", "reply_to", "author"].map((name) => `${name} = '' OR strlen(${name}) > 400`),
  notInstant("captured_at", "captured_ms"),
  `(created_at IS NULL) <> (created_ms IS NULL) OR (created_at IS NOT NULL AND (${notInstant("created_at", "created_ms")}))`,
  `score IS NULL OR abs(score) > ${Number.MAX_SAFE_INTEGER}`,
  "data IS NULL",
];

/** Conditions for columns by their types. `least` and `greatest` leave NULLs out, and take NaN for the greatest number. */
function byType<T>(columns: readonly Column<T>[]): string[] {
  const looked = columns.filter(({ name }) => !DERIVED.has(name));
  const of = (...types: readonly string[]) =>
    looked.filter(({ type }) => types.includes(type)).map(({ name }) => quoteName(name));
  const lists = of("VARCHAR[]");
  const lengths = [
    ...of("VARCHAR").map((column) => `strlen(${column})`),
    ...lists.map((column) => `strlen(array_to_string(${column}, ''))`),
  ];
  const numbers = of("DOUBLE");
  const notNegative = [
    ...of("BIGINT", "INTEGER"),
    ...looked.filter(({ name }) => NOT_NEGATIVE.has(name)).map(({ name }) => quoteName(name)),
  ];
  return [
    ...lists.map((column) => `len(${column}) <> list_aggregate(${column}, 'count')`),
    ...someAre(`greatest(?) > ${SLICE_LIMITS.textBytes}`, lengths),
    ...someAre(`greatest(?) > ${Number.MAX_SAFE_INTEGER}`, of("BIGINT", "INTEGER")),
    ...someAre("NOT isfinite(least(?))", numbers),
    ...someAre("NOT isfinite(greatest(?))", numbers),
    ...someAre("least(?) < 0", notNegative),
  ];
}

/** A condition for values that stand where it has a `?`; none for none. */
function someAre(condition: string, values: readonly string[]): string[] {
  return values.length === 0 ? [] : [condition.replace("?", values.join(", "))];
}

/** A condition that holds for every row whose text is no instant of the contract, or is not what the milliseconds say. */
function notInstant(text: string, ms: string): string {
  const time = "([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,3})?(Z|[+-](0\\d|1[0-4]):[0-5]\\d)";
  return `${text} IS NULL OR ${ms} IS NULL OR NOT regexp_full_match(${text}, '\\d{4}-\\d\\d-\\d\\dT${time}')
    OR epoch_ms(try_cast(${text} AS TIMESTAMPTZ)) IS DISTINCT FROM ${ms}
    OR NOT ${ms} BETWEEN ${FIRST_INSTANT_MS} AND ${LAST_INSTANT_MS}`;
}
