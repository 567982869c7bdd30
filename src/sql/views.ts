import { EXTRA_KEYS, METRIC_KEYS } from "../contract/service/unified-record.js";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import { quoteName, quoteText } from "../duckdb/quote-sql.js";
import { RECORD_COLUMNS } from "../slice/record-columns.js";

/** A column of a view: stable name and type, meaning with unit, and its SQL. */
export interface ViewColumn {
  readonly name: string;
  readonly type: string;
  readonly meaning: string;
  /** SQL over the generation's tables. Default: the column of the same name. */
  readonly sql?: string;
}

/** A view that queries may read. */
export interface SqlView {
  readonly name: string;
  readonly meaning: string;
  /** FROM clause over the generation, attached as `corpus`. */
  readonly from: string;
  readonly columns: readonly ViewColumn[];
}

const instant = (name: string, ms: string, meaning: string): ViewColumn => ({
  name,
  type: "TIMESTAMP WITH TIME ZONE",
  meaning: `${meaning}, in UTC`,
  sql: `make_timestamptz(${ms} * 1000)`,
});

/** A member of a raw item's JSON. */
const member = (name: string, type: string, meaning: string, path = name): ViewColumn => ({
  name,
  type,
  meaning,
  sql: `TRY_CAST(data->>${quoteText(`$.${path}`)} AS ${type})`,
});

const UNITS: Readonly<Record<string, string>> = {
  id: "record id, globally unique",
  platform: "platform slug",
  text: "body of a social record",
  title: "title of an e-commerce or web record",
  author_uid_hash: "hash of the author's id",
  author_followers: "followers of the author, count",
  metrics_rating: "mean rating, in stars as the platform counts them",
  metrics_bsr: "best-seller rank, 1 is best",
  comment_thread: "sample comments",
  price_current: "price, in price_currency",
  review_sample: "sample reviews",
  sentiment_score: "sentiment, below 0 for negative",
  sentiment_label: "sentiment in a word",
  entities: "named entities",
  extra_video_dur_s: "duration, seconds",
  extra_dur_s: "duration, seconds",
  extra_danmaku_peak_s: "where most danmaku are, seconds from the start",
  extra_freshness_s: "age at capture, seconds",
  extra_stock: "items in stock, count",
  extra_color_ways: "colours, count",
  extra_outlet_tier: "tier of the outlet, 1 is best",
  prov_hash: "SHA-256 of the record's canonical JSON, 0x and hexadecimal",
  prov_source: "where it was captured",
};

const COUNTS = new Set<string>(
  [...METRIC_KEYS.social, ...METRIC_KEYS.ecommerce]
    .filter((key) => key !== "rating" && key !== "bsr")
    .map((key) => `metrics_${key}`),
);
const EXTRA = new Set<string>(EXTRA_KEYS.map((key) => `extra_${key}`));

function recordMeaning(name: string, description: string | undefined): string {
  if (COUNTS.has(name)) return `${name.slice("metrics_".length).replaceAll("_", " ")}, count`;
  const known = UNITS[name] ?? description;
  if (known !== undefined) return known;
  return EXTRA.has(name) ? `extra.${name.slice("extra_".length)} of the record` : name;
}

const RECORDS: SqlView = {
  name: "records",
  meaning: "unified records, one a row; NULL where a record does not have the key",
  from: "live_records r JOIN corpus.slices c USING (slice)",
  columns: [
    ...RECORD_COLUMNS.filter(({ name }) => name !== "empty_objects" && name !== "prov_ts_ms").map(
      ({ name, type, description }) => ({ name, type, meaning: recordMeaning(name, description) }),
    ),
    instant("captured_at", "prov_ts_ms", "instant of capture (prov_ts)"),
    { name: "slice", type: "VARCHAR", meaning: "root hash of the slice it comes from", sql: "c.root" },
  ],
};

const COMMENTS: SqlView = {
  name: "comments",
  meaning: "comments and replies of every platform",
  from: "live_raw WHERE resource = 'comment'",
  columns: [
    { name: "platform", type: "VARCHAR", meaning: "platform slug" },
    { name: "cid", type: "VARCHAR", meaning: "comment id, unique within its platform", sql: "id" },
    {
      name: "item_id",
      type: "VARCHAR",
      meaning: "id of what is commented on: a video, a post",
      sql: "parent",
    },
    {
      name: "reply_to",
      type: "VARCHAR",
      meaning: "cid of the comment that it answers; NULL at the top level",
    },
    { name: "lang", type: "VARCHAR", meaning: "BCP-47 tag" },
    member("text", "VARCHAR", "what it says"),
    member("likes", "BIGINT", "likes, count"),
    member("reply_count", "BIGINT", "replies, count"),
    member("is_hot", "BOOLEAN", "whether the platform shows it among the best"),
    member("ip_location", "VARCHAR", "region of the author, as the platform says it"),
    member("author_uid_hash", "VARCHAR", "hash of the author's id", "author.uid_hash"),
    instant("created_at", "created_ms", "when it was posted"),
    instant("captured_at", "captured_ms", "instant of capture"),
  ],
};

const VIDEOS: SqlView = {
  name: "videos",
  meaning: "videos as their platforms have them",
  from: "live_raw WHERE resource = 'video'",
  columns: [
    { name: "platform", type: "VARCHAR", meaning: "platform slug" },
    { name: "item_id", type: "VARCHAR", meaning: "the platform's id of the video", sql: "id" },
    member("record_id", "VARCHAR", "id of its unified record", "id"),
    { name: "lang", type: "VARCHAR", meaning: "BCP-47 tag" },
    member("text", "VARCHAR", "its text"),
    member("author_uid_hash", "VARCHAR", "hash of the author's id", "author.uid_hash"),
    ...(["likes", "comments", "shares", "saves", "plays", "views", "danmaku", "coins"] as const).map((key) =>
      member(key, "BIGINT", `${key}, count`, `metrics.${key}`),
    ),
    member("video_dur_s", "DOUBLE", "duration, seconds", "extra.video_dur_s"),
    member("topic", "VARCHAR", "topic", "extra.topic"),
    instant("created_at", "created_ms", "when it was published"),
    instant("captured_at", "captured_ms", "instant of capture"),
  ],
};

const PRICES: SqlView = {
  name: "prices",
  meaning: "prices over time, one row a product, place and instant",
  from: "live_raw WHERE resource = 'price'",
  columns: [
    { name: "platform", type: "VARCHAR", meaning: "platform slug" },
    { name: "product_id", type: "VARCHAR", meaning: "the platform's id of the product", sql: "parent" },
    member("location", "VARCHAR", "shop or place; NULL where there is but one"),
    member("price", "DOUBLE", "price, in currency", "current"),
    member("currency", "VARCHAR", "ISO 4217"),
    instant("priced_at", "coalesce(created_ms, captured_ms)", "instant of the price"),
    instant("captured_at", "captured_ms", "instant of capture"),
  ],
};

const SLICES: SqlView = {
  name: "slices",
  meaning: "the slices that the lake is built from",
  from: "slice_facts",
  columns: [
    { name: "root", type: "VARCHAR", meaning: "root hash, SHA-256" },
    { name: "name", type: "VARCHAR", meaning: "name of the package" },
    { name: "title", type: "VARCHAR", meaning: "title of the collection" },
    { name: "domain", type: "VARCHAR", meaning: "social, ecommerce or web" },
    { name: "platform", type: "VARCHAR", meaning: "platform slug" },
    { name: "lang", type: "VARCHAR", meaning: "BCP-47 tag" },
    instant("captured_from", "captured_from", "oldest capture"),
    instant("captured_to", "captured_to", "newest capture"),
    { name: "records", type: "BIGINT", meaning: "records in it, count" },
    { name: "raw_items", type: "BIGINT", meaning: "raw items in it, count" },
    { name: "vectors", type: "BIGINT", meaning: "vectors in it, count" },
    { name: "vector_model", type: "VARCHAR", meaning: "model of its vectors; NULL where it has none" },
    { name: "licence", type: "VARCHAR", meaning: "SPDX id or words" },
  ],
};

/** Name of the function behind `vectors.vec`; queries may not call it directly. */
export const VECTOR_FUNCTION = "mirrorlake_vector";

const VECTORS: SqlView = {
  name: "vectors",
  meaning: "the vector of each record, as answers carry it: downloaded where there is one, else local",
  from: "live_records r JOIN corpus.slices c USING (slice) LEFT JOIN slice_facts f USING (root)",
  columns: [
    { name: "id", type: "VARCHAR", meaning: "record id", sql: "r.id" },
    {
      name: "model",
      type: "VARCHAR",
      meaning: "model that made it; vectors of different models are not comparable",
      sql: "CASE WHEN r.vector_row IS NULL THEN (SELECT local.model FROM local_model local) ELSE f.vector_model END",
    },
    {
      name: "vec",
      type: "FLOAT[1536]",
      meaning: "1536 numbers as the record brought them, else of unit length; read when asked for",
      sql: `${VECTOR_FUNCTION}(r."row")`,
    },
  ],
};

/** Every view, in documentation order. Names, types and units are stable. */
export const SQL_VIEWS: readonly SqlView[] = [RECORDS, COMMENTS, VIDEOS, PRICES, VECTORS, SLICES];

/** Records with their vectors, for exports only. */
export const RECORD_VECTORS: SqlView = {
  name: "record_vectors",
  meaning: "the view records with the model and vec of vectors",
  from: `${RECORDS.from} LEFT JOIN slice_facts f USING (root)`,
  columns: [
    ...RECORDS.columns.map((column) => ({ ...column, sql: column.sql ?? `r.${column.name}` })),
    ...VECTORS.columns
      .filter(({ name }) => name !== "id")
      .map((column) => (column.name === "model" ? { ...column, name: "vector_model" } : column)),
  ],
};

/** The statement that creates a view in the main schema. */
export function viewSql({ name, from, columns }: SqlView): string {
  const list = columns.map((column) => `${column.sql ?? column.name} AS ${column.name}`);
  return `CREATE VIEW ${name} AS SELECT ${list.join(", ")} FROM ${from}`;
}

/**
 * The statement that replaces the view `records` by one with a column `extra_<key>` for further keys of `extra`: text, or JSON of a list.
 * A key whose name is that of a column but for case stays in `extra_other` alone.
 */
export function recordsSql(keys: readonly string[]): string {
  const names = new Set(RECORDS.columns.map(({ name }) => name.toLowerCase()));
  const columns = keys.flatMap((key): ViewColumn[] => {
    const name = `extra_${key}`;
    if (names.has(name.toLowerCase()) || key.includes("\0")) return [];
    names.add(name.toLowerCase());
    const path = `$."${key.replace(/["\\]/g, "\\$&")}"`;
    return [
      { name: quoteName(name), type: "VARCHAR", meaning: key, sql: `extra_other->>${quoteText(path)}` },
    ];
  });
  return viewSql({ ...RECORDS, columns: [...RECORDS.columns, ...columns] }).replace(
    "CREATE VIEW",
    "CREATE OR REPLACE VIEW",
  );
}

/** The rows of `slice_facts`, in the order of its columns. */
export function sliceFacts(manifests: readonly SliceManifest[]) {
  return manifests.map(
    ({ name, title, licenses, mirrorlake: { root, filter, captured, counts, embedding } }) => [
      root,
      name,
      title,
      filter.domain,
      filter.platform,
      filter.lang,
      Date.parse(captured.first),
      Date.parse(captured.last),
      counts.records,
      counts.raw,
      counts.vectors,
      embedding?.model ?? null,
      licenses.map((licence) => licence.name ?? licence.title ?? "unknown").join(", "),
    ],
  );
}

/** The table of {@link sliceFacts}. */
export const SLICE_FACTS_SQL = `CREATE TABLE slice_facts (root VARCHAR, name VARCHAR, title VARCHAR, domain VARCHAR,
  platform VARCHAR, lang VARCHAR, captured_from BIGINT, captured_to BIGINT, records BIGINT, raw_items BIGINT,
  vectors BIGINT, vector_model VARCHAR, licence VARCHAR)`;
