import { METRIC_KEYS } from "../../contract/service/unified-record.js";
import { SEARCH_DEFAULTS } from "../../search/defaults.js";
import type { RecordOrder } from "../../store/corpus.js";
import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS, GRANULE_ROWS } from "../defaults.js";
import { forgetTables, knownTables } from "./found-tables.js";
import { upgradeStatements } from "./schema-upgrades.js";
import { refuseOlder } from "./schema-version.js";

/** The numbers that records are sorted by, each a column `by_<name>` of the table `records`. */
export const ORDER_KEYS: readonly RecordOrder[] = [
  ...new Set<RecordOrder>([
    "price",
    "drop_7d",
    "sentiment",
    "followers",
    ...METRIC_KEYS.social,
    ...METRIC_KEYS.ecommerce,
  ]),
];

/** What filters ask of a record: columns of every table that has records, their vectors or their words. */
const FILTER_COLUMNS = `platform LowCardinality(String), src LowCardinality(String), lang LowCardinality(String),
  captured_ms Int64 CODEC(Delta, ZSTD)`;

/** Tables whose rows belong to a load, each load a partition: one is dropped at once. */
export const LOADED_TABLES = [
  "records",
  "raw",
  "postings",
  "vectors",
  "given_vectors",
  "own_vectors",
  "refitted",
] as const;
export type LoadedTable = (typeof LOADED_TABLES)[number];

/** The column that says which load brought a row: of vectors of an embedder that was refitted, `load` is the record's. */
export function loadColumn(table: LoadedTable): "load" | "by" {
  return table === "refitted" ? "by" : "load";
}

/** The tables that graphs of vectors are of: rows of `vectors` and of `refitted` again, where a lake is large enough. */
export const GRAPH_TABLES = ["near", "refitted_near"] as const;

/** The first version that has a table, of those that not all versions have that are read. */
export const FIRST_VERSIONS: Readonly<Record<string, number>> = {
  own_vectors: 4,
  near: CLICKHOUSE_DEFAULTS.graphVersion,
  refitted: CLICKHOUSE_DEFAULTS.fitVersion,
  refitted_near: CLICKHOUSE_DEFAULTS.fitVersion,
  fits: CLICKHOUSE_DEFAULTS.fitVersion,
};

/** A table: its columns, and what its engine needs. */
export interface Table {
  readonly name: string;
  readonly columns: string;
  readonly engine?: "ReplacingMergeTree";
  readonly rest: string;
}

/** By which rows of a table are spread over shards; those of other tables are on the first. */
export const SHARD_KEY = "cityHash64(load, ordinal)";

/**
 * The numbers of a stored vector as the server's index of vectors takes them: signed bytes are the same in 16-bit floats, and cosines
 * know no scale. Made by the server of `bytes`. The vector of a text without a known word is zero, which has no direction, and which
 * the index does not take: one stands for it, and its score is zero even so.
 */
const SHAPE = `shape Array(BFloat16) MATERIALIZED if(arrayExists(b -> b != 0, bytes), arrayMap(b -> toBFloat16(b), bytes),
  arrayMap(i -> toBFloat16(i = 0), range(${SEARCH_DEFAULTS.dimensions}))) CODEC(ZSTD)`;

/** The index of vectors: a graph (HNSW, Malkov and Yashunin 2016) for each part of the table. */
const GRAPH = `INDEX graph shape TYPE vector_similarity('hnsw', 'cosineDistance', ${SEARCH_DEFAULTS.dimensions}, 'i8',
  ${CLICKHOUSE_DEFAULTS.graph.links}, ${CLICKHOUSE_DEFAULTS.graph.buildBreadth})`;

/** Columns of tables that have the vectors of the default embedder. */
const VECTORS = `load UInt64, ordinal UInt32, id String, ${FILTER_COLUMNS}, language LowCardinality(String), scale Float32,
  bytes Array(Int8) CODEC(NONE)`;

/** The order of the rows that a graph is of. */
const SCATTERED = "ORDER BY intHash32(ordinal) SETTINGS index_granularity = 16";

const KEPT_TOGETHER = `SETTINGS index_granularity = ${GRANULE_ROWS}`;

/**
 * The tables. A load is what one install brought; its records are numbered by `ordinal` in the order of their ids. Rows of a load
 * count from the moment that `loads` names it. `hidden` has what a later load replaced, or what was removed (`removed`); a removal
 * is a load without rows of its own. From version 6 on a load that supersedes slices shows again what these had replaced: a row that was not
 * removed is hidden if an odd number of loads says so. `removals` has what was removed by its keys, and where each came from
 * (`derived`: a number of `ORIGINS`), `redactions` the items that are shown otherwise: of several rows of one item the one with the greatest
 * `turn` is the newest. From version 7 on installs write them, too.
 */
export const TABLES: readonly Table[] = [
  {
    name: "schema_version",
    columns: "version UInt32, made DateTime64(3) DEFAULT now64(3)",
    rest: "ORDER BY version",
  },
  {
    name: "layout",
    columns: "cluster String, replicated UInt8, nodes Array(String)",
    rest: "ORDER BY cluster",
  },
  {
    name: "loads",
    columns: `load UInt64, now_ms Int64, model String, records UInt32, raw UInt32, slices String CODEC(ZSTD), removes UInt8 DEFAULT 0,
      digests String DEFAULT ''`,
    rest: "ORDER BY load",
  },
  {
    name: "pending_loads",
    columns: `load UInt64, now_ms Int64, model String, records UInt32, raw UInt32, slices String CODEC(ZSTD), removes UInt8,
      digests String, made DateTime DEFAULT now()`,
    rest: "ORDER BY load TTL made + INTERVAL 1 DAY",
  },
  {
    name: "hidden",
    columns: "kind LowCardinality(String), load UInt64, ordinal UInt32, by UInt64, removed UInt8 DEFAULT 0",
    rest: "ORDER BY (kind, load, ordinal)",
  },
  {
    name: "models",
    columns: "model String, file String, part UInt32, bytes String CODEC(ZSTD)",
    engine: "ReplacingMergeTree",
    rest: "ORDER BY (model, file, part)",
  },
  {
    name: "removals",
    columns: `by UInt64, kind LowCardinality(String), platform String, resource String, id String, sha256 String, derived UInt8,
      at_ms Int64, reason String`,
    rest: "ORDER BY (kind, platform, resource, id)",
  },
  {
    name: "redactions",
    columns: `by UInt64, kind LowCardinality(String), load UInt64, ordinal UInt32, item String CODEC(ZSTD), priced UInt8,
      drop Nullable(Float64), turn UInt64 DEFAULT by, quotes UInt8 DEFAULT priced = 0`,
    rest: "ORDER BY (kind, load, ordinal)",
  },
  {
    name: "records",
    columns: `load UInt64, ordinal UInt32, id String, ${FILTER_COLUMNS}, language LowCardinality(String), length UInt32,
      content String, root LowCardinality(String), ${ORDER_KEYS.map((key) => `by_${key} Nullable(Float64)`).join(", ")},
      record String CODEC(ZSTD(3)), INDEX ids id TYPE minmax GRANULARITY 1`,
    rest: `PARTITION BY load ORDER BY ordinal ${KEPT_TOGETHER}`,
  },
  {
    name: "raw",
    columns: `load UInt64, ordinal UInt32, platform LowCardinality(String), resource LowCardinality(String), id String,
      parent Nullable(String), reply_to Nullable(String), author Nullable(String), lang LowCardinality(String),
      created_ms Nullable(Int64), captured_ms Int64, score Float64, offset_s Nullable(Float64), words String CODEC(ZSTD(3)),
      content String, root LowCardinality(String), item String CODEC(ZSTD(3)),
      INDEX ids id TYPE bloom_filter(0.001) GRANULARITY 1, INDEX parents parent TYPE bloom_filter(0.001) GRANULARITY 1,
      INDEX replies reply_to TYPE bloom_filter(0.001) GRANULARITY 1, INDEX authors author TYPE bloom_filter(0.001) GRANULARITY 1`,
    rest: `PARTITION BY load ORDER BY ordinal ${KEPT_TOGETHER}`,
  },
  {
    name: "postings",
    columns: `load UInt64, term String, ordinal UInt32 CODEC(Delta, ZSTD), frequency UInt32 CODEC(ZSTD), length UInt32 CODEC(ZSTD),
      language LowCardinality(String), ${FILTER_COLUMNS}, positions Array(UInt32) CODEC(ZSTD)`,
    rest: "PARTITION BY load ORDER BY (term, ordinal) SETTINGS index_granularity = 1024",
  },
  {
    name: "vectors",
    columns: VECTORS,
    rest: `PARTITION BY load ORDER BY ordinal ${KEPT_TOGETHER}`,
  },
  {
    // A graph is built in the order of its rows: of one built slice by slice, links to whole groups of records are cut off again.
    // What it finds is anywhere in the table, so that few rows are kept together.
    name: "near",
    columns: `${VECTORS}, ${SHAPE}, ${GRAPH}`,
    rest: `PARTITION BY load ${SCATTERED}`,
  },
  {
    // Vectors of an embedder that the load `fit` refitted, of the records of all loads until then, and those of later loads; from
    // version 8 on. What a load brought of them is a partition.
    name: "refitted",
    columns: `fit UInt64, by UInt64, ${VECTORS}`,
    rest: `PARTITION BY (fit, by) ORDER BY (load, ordinal) ${KEPT_TOGETHER}`,
  },
  {
    name: "refitted_near",
    columns: `fit UInt64, by UInt64, ${VECTORS}, ${SHAPE}, ${GRAPH}`,
    rest: `PARTITION BY (fit, by) ${SCATTERED}`,
  },
  {
    // Of each install from version 8 on: whose fit counts from it on, and what tells whether the next one refits.
    name: "fits",
    columns: `by UInt64, turn UInt64, fit UInt64, segments UInt32, records UInt32, raw UInt32, documents UInt32, content String`,
    rest: "ORDER BY by",
  },
  {
    name: "given_vectors",
    columns: "load UInt64, ordinal UInt32, model LowCardinality(String), numbers Array(Float32) CODEC(NONE)",
    rest: `PARTITION BY load ORDER BY ordinal ${KEPT_TOGETHER}`,
  },
  {
    // Of an embedder of the user's own, as many numbers as it makes; from version 4 on.
    name: "own_vectors",
    columns: `load UInt64, ordinal UInt32, id String, ${FILTER_COLUMNS}, language LowCardinality(String),
      embedder LowCardinality(String), numbers Array(Float32) CODEC(NONE)`,
    rest: `PARTITION BY load ORDER BY ordinal ${KEPT_TOGETHER}`,
  },
];

/**
 * Makes the tables of a lake in the database of one server where they are absent, and brings older ones up to date; those of a cluster
 * are left to `cluster init`. Returns the version that they have then.
 * @throws LakeError `cluster_newer_format`, `cluster_older_format`, `cluster_*`
 */
export async function makeSchema(connection: Connection): Promise<number> {
  return upgradeSchema(connection, (await knownTables(connection)).version);
}

/** The same where the version of the tables is known. @param found undefined where there are none */
export async function upgradeSchema(connection: Connection, found: number | undefined): Promise<number> {
  if (found === CLICKHOUSE_DEFAULTS.schemaVersion) return found;
  if (found !== undefined && (await hasTable(connection, "schema_version_local"))) {
    if (found < CLICKHOUSE_DEFAULTS.readableVersion) refuseOlder(found);
    return found; // `cluster init` tells every server
  }
  for (const sql of schemaStatements({ found })) await connection.run(sql);
  forgetTables(connection);
  return CLICKHOUSE_DEFAULTS.schemaVersion;
}

/** Whether the database has a table, as far as is known of it. */
export async function hasTable(connection: Connection, name: string): Promise<boolean> {
  return (await knownTables(connection)).names.has(name);
}

/** The tables with rows of loads that the database has: older versions have not all. */
export async function loadedTables(connection: Connection): Promise<readonly LoadedTable[]> {
  const { names } = await knownTables(connection);
  return LOADED_TABLES.filter((name) => FIRST_VERSIONS[name] === undefined || names.has(name));
}

/** The statements that make the tables of one server. @param found version of the tables that are there */
export function schemaStatements({ found }: { readonly found: number | undefined }): string[] {
  return [
    ...TABLES.map(
      ({ name, columns, engine = "MergeTree", rest }) =>
        `CREATE TABLE IF NOT EXISTS ${name} (${columns}) ENGINE = ${engine} ${rest}`,
    ),
    ...(found === undefined ? [] : upgradeStatements(found)),
    NOTE_VERSION,
  ];
}

/** Notes the version: from then on there is a lake. */
export const NOTE_VERSION = `INSERT INTO schema_version (version) VALUES (${CLICKHOUSE_DEFAULTS.schemaVersion})`;
