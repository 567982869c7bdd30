import { EXTRA_KEYS } from "../../contract/service/unified-record.js";
import { RECORD_COLUMNS } from "../../slice/record-columns.js";
import {
  convertedMember,
  instantSql,
  jsonMember,
  jsonText,
  jsonTexts,
  quoteClickHouse,
  quoteColumn,
} from "./json-sql.js";

/** A column of a view: its name, and its SQL over the view's table. */
export interface ColumnSql {
  readonly name: string;
  readonly sql: string;
}

/** Column of the JSON text of an item in the tables that views read. */
export const ITEM = "shown_item";

const TYPES = { VARCHAR: "String", BIGINT: "Int64", DOUBLE: "Float64", BOOLEAN: "Bool" } as const;
const MADE_OTHERWISE = new Set(["empty_objects", "prov_ts_ms", "extra_other"]);
const EXTRA_TYPES = new Map(
  RECORD_COLUMNS.filter(({ name }) => name.startsWith("extra_")).map(({ name, type }) => [
    name.slice("extra_".length),
    type,
  ]),
);

/** Where a record has the value of a column. */
function pathOf(name: string): string[] {
  const [, group, key] = /^(author|metrics|price|sentiment|prov)_(.+)$/.exec(name) ?? [];
  return group === undefined ? [name] : [group, key!];
}

function recordColumn({ name, type }: { readonly name: string; readonly type: string }): ColumnSql {
  if (["id", "src", "platform", "lang"].includes(name)) return { name, sql: `toString(${name})` };
  if (name.startsWith("extra_")) return { name, sql: knownExtra(name.slice("extra_".length), type) };
  if (type === "VARCHAR[]") return { name, sql: jsonTexts(ITEM, ...pathOf(name)) };
  return { name, sql: jsonMember(ITEM, TYPES[type as keyof typeof TYPES], ...pathOf(name)) };
}

/** Types of JSON values, as the server names them, that a known key of `extra` has in its column; another type is in `extra_other`. */
const JSON_TYPES: Readonly<Record<string, string>> = {
  VARCHAR: "'String'",
  DOUBLE: "'Int64', 'UInt64', 'Double'",
  BOOLEAN: "'Bool'",
};

function knownExtra(key: string, type: string): string {
  const is = `JSONType(${ITEM}, 'extra', ${quoteClickHouse(key)}) IN (${JSON_TYPES[type]})`;
  return `if(${is}, ${jsonMember(ITEM, TYPES[type as keyof typeof TYPES], "extra", key)}, NULL)`;
}

/** The keys of `extra` that have no column of their own, with their values, as JSON of sorted keys. */
function otherExtra(): string {
  const keys = (type: string) =>
    EXTRA_KEYS.filter((key) => EXTRA_TYPES.get(key) === type)
      .map(quoteClickHouse)
      .join(", ");
  const isKnown = `(e.1 IN (${keys("VARCHAR")}) AND startsWith(e.2, '"'))
    OR (e.1 IN (${keys("DOUBLE")}) AND match(e.2, '^[-0-9]')) OR (e.1 IN (${keys("BOOLEAN")}) AND e.2 IN ('true', 'false'))`;
  const others = `arraySort(arrayFilter(e -> NOT (${isKnown}), JSONExtractKeysAndValuesRaw(${ITEM}, 'extra')))`;
  return `nullIf(concat('{', arrayStringConcat(arrayMap(e -> concat(toJSONString(e.1), ':', e.2), ${others}), ','), '}'), '{}')`;
}

/** The columns of the view `records`. @param extra further keys of `extra` that have a column */
export function recordColumns(extra: readonly string[] = []): ColumnSql[] {
  const columns = RECORD_COLUMNS.flatMap((column): ColumnSql[] => {
    if (column.name === "extra_other") return [{ name: column.name, sql: otherExtra() }];
    return MADE_OTHERWISE.has(column.name) ? [] : [recordColumn(column)];
  });
  return [
    ...columns,
    { name: "captured_at", sql: instantSql("captured_ms") },
    { name: "slice", sql: "toString(root)" },
    ...extra.map((key) => ({ name: `extra_${key}`, sql: jsonText(ITEM, "extra", key) })),
  ];
}

/** Columns of lists of texts, each with the name of one that says whether the record has the list: a list cannot be NULL there. */
export const LISTS: Readonly<Record<string, string>> = Object.fromEntries(
  RECORD_COLUMNS.filter(({ name, type }) => type === "VARCHAR[]" && !MADE_OTHERWISE.has(name)).map(
    ({ name }) => [name, `has_${name}`],
  ),
);

/** The columns that say whether records have their lists. */
export const LIST_FLAGS: readonly ColumnSql[] = Object.entries(LISTS).map(([list, name]) => ({
  name,
  sql: `JSONHas(${ITEM}, ${quoteClickHouse(list)})`,
}));

const data = (name: string, type: string, path = name): ColumnSql => ({
  name,
  sql: convertedMember(ITEM, type, ["data", ...path.split(".")]),
});
const column = (name: string, sql = name): ColumnSql => ({ name, sql });
const instant = (name: string, ms: string): ColumnSql => ({ name, sql: instantSql(ms) });

/** The views of raw items, each with the resource that it shows. */
export const RAW_VIEWS: readonly {
  readonly name: string;
  readonly resource: string;
  readonly columns: readonly ColumnSql[];
}[] = [
  {
    name: "comments",
    resource: "comment",
    columns: [
      column("platform", "toString(platform)"),
      column("cid", "id"),
      column("item_id", "parent"),
      column("reply_to"),
      column("lang", "toString(lang)"),
      data("text", "VARCHAR"),
      data("likes", "BIGINT"),
      data("reply_count", "BIGINT"),
      data("is_hot", "BOOLEAN"),
      data("ip_location", "VARCHAR"),
      data("author_uid_hash", "VARCHAR", "author.uid_hash"),
      instant("created_at", "created_ms"),
      instant("captured_at", "captured_ms"),
    ],
  },
  {
    name: "videos",
    resource: "video",
    columns: [
      column("platform", "toString(platform)"),
      column("item_id", "id"),
      data("record_id", "VARCHAR", "id"),
      column("lang", "toString(lang)"),
      data("text", "VARCHAR"),
      data("author_uid_hash", "VARCHAR", "author.uid_hash"),
      ...["likes", "comments", "shares", "saves", "plays", "views", "danmaku", "coins"].map((key) =>
        data(key, "BIGINT", `metrics.${key}`),
      ),
      data("video_dur_s", "DOUBLE", "extra.video_dur_s"),
      data("topic", "VARCHAR", "extra.topic"),
      instant("created_at", "created_ms"),
      instant("captured_at", "captured_ms"),
    ],
  },
  {
    name: "prices",
    resource: "price",
    columns: [
      column("platform", "toString(platform)"),
      column("product_id", "parent"),
      data("location", "VARCHAR"),
      data("price", "DOUBLE", "current"),
      data("currency", "VARCHAR"),
      instant("priced_at", "coalesce(created_ms, captured_ms)"),
      instant("captured_at", "captured_ms"),
    ],
  },
];

/** The columns of the view `slices`, over a manifest `m`. */
export const SLICE_COLUMNS: readonly ColumnSql[] = [
  ...(
    [
      ["root", "mirrorlake", "root"],
      ["name", "name"],
      ["title", "title"],
      ["domain", "mirrorlake", "filter", "domain"],
      ["platform", "mirrorlake", "filter", "platform"],
      ["lang", "mirrorlake", "filter", "lang"],
    ] as const
  ).map(([name, ...path]) => column(name, jsonMember("m", "String", ...path))),
  ...(["first", "last"] as const).map((end) =>
    column(
      end === "first" ? "captured_from" : "captured_to",
      `toDateTime64(parseDateTime64BestEffortOrNull(JSONExtractString(m, 'mirrorlake', 'captured', '${end}'), 6, 'UTC'), 6, 'UTC')`,
    ),
  ),
  column("records", jsonMember("m", "Int64", "mirrorlake", "counts", "records")),
  column("raw_items", jsonMember("m", "Int64", "mirrorlake", "counts", "raw")),
  column("vectors", jsonMember("m", "Int64", "mirrorlake", "counts", "vectors")),
  column("vector_model", jsonMember("m", "String", "mirrorlake", "embedding", "model")),
  column(
    "licence",
    `arrayStringConcat(arrayMap(l -> coalesce(${jsonMember("l", "String", "name")}, ${jsonMember("l", "String", "title")}, 'unknown'),
      JSONExtractArrayRaw(m, 'licenses')), ', ')`,
  ),
];

/** A SELECT of columns. */
export function selectSql(columns: readonly ColumnSql[], from: string): string {
  return `SELECT ${columns.map(({ name, sql }) => `${sql} AS ${quoteColumn(name)}`).join(", ")} FROM ${from}`;
}
