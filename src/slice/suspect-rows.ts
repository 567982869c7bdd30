import { type Column, quoteName } from "./column.js";
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
 * holds. They may hold for sound rows too: the engine looks at all rows fast, and what it suspects is read.
 */
export const SUSPECT_RECORDS: readonly string[] = [
  ...RECORD_COLUMNS.flatMap(byType),
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
  ...RAW_COLUMNS.flatMap(byType),
  "resource IS NULL OR NOT regexp_full_match(resource, '[a-z][a-z0-9_-]{0,39}')",
  "id IS NULL",
  ...["id", "parent", "reply_to", "author"].map((name) => `${name} = '' OR strlen(${name}) > 400`),
  notInstant("captured_at", "captured_ms"),
  `(created_at IS NULL) <> (created_ms IS NULL) OR (created_at IS NOT NULL AND (${notInstant("created_at", "created_ms")}))`,
  `score IS NULL OR abs(score) > ${Number.MAX_SAFE_INTEGER}`,
  "data IS NULL",
];

function byType<T>({ name, type }: Column<T>): string[] {
  const column = quoteName(name);
  if (DERIVED.has(name)) return [];
  const { textBytes } = SLICE_LIMITS;
  switch (type) {
    case "VARCHAR":
      return [`strlen(${column}) > ${textBytes}`];
    case "VARCHAR[]":
      return [
        `len(${column}) <> list_aggregate(${column}, 'count')`,
        `strlen(array_to_string(${column}, '')) > ${textBytes}`,
      ];
    case "BIGINT":
    case "INTEGER":
      return [`${column} < 0 OR ${column} > ${Number.MAX_SAFE_INTEGER}`];
    case "DOUBLE":
      return [`NOT isfinite(${column})${NOT_NEGATIVE.has(name) ? ` OR ${column} < 0` : ""}`];
    case "BOOLEAN":
      return [];
  }
}

/** A condition that holds for every row whose text is no instant of the contract, or is not what the milliseconds say. */
function notInstant(text: string, ms: string): string {
  const time = "([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,3})?(Z|[+-](0\\d|1[0-4]):[0-5]\\d)";
  return `${text} IS NULL OR ${ms} IS NULL OR NOT regexp_full_match(${text}, '\\d{4}-\\d\\d-\\d\\dT${time}')
    OR epoch_ms(try_cast(${text} AS TIMESTAMPTZ)) IS DISTINCT FROM ${ms}`;
}
