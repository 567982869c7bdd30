import { LakeError } from "../contract/errors.js";
import { METRIC_KEYS } from "../contract/service/unified-record.js";
import type { RecordOrder } from "../store/corpus.js";
import type { Connection } from "./connection.js";
import { CLICKHOUSE_DEFAULTS, GRANULE_ROWS } from "./defaults.js";

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
export const LOADED_TABLES = ["records", "raw", "postings", "vectors", "given_vectors"] as const;

/**
 * The tables. A load is what one install brought; its records are numbered by `ordinal` in the order of their ids. Rows of a load
 * count from the moment that `loads` names it. `hidden` has what a later load replaced, or what was removed (`removed`); a removal
 * is a load without rows of its own. `removals` has what was removed by its keys, `redactions` the items that are shown otherwise.
 */
const TABLES: readonly string[] = [
  `schema_version (version UInt32, made DateTime64(3) DEFAULT now64(3)) ENGINE = MergeTree ORDER BY version`,
  `loads (load UInt64, now_ms Int64, model String, records UInt32, raw UInt32, slices String CODEC(ZSTD), removes UInt8 DEFAULT 0)
    ENGINE = MergeTree ORDER BY load`,
  `pending_loads (load UInt64, now_ms Int64, model String, records UInt32, raw UInt32, slices String CODEC(ZSTD), removes UInt8,
    made DateTime DEFAULT now()) ENGINE = MergeTree ORDER BY load TTL made + INTERVAL 1 DAY`,
  `hidden (kind LowCardinality(String), load UInt64, ordinal UInt32, by UInt64, removed UInt8 DEFAULT 0)
    ENGINE = MergeTree ORDER BY (kind, load, ordinal)`,
  `models (model String, file String, part UInt32, bytes String CODEC(ZSTD)) ENGINE = ReplacingMergeTree ORDER BY (model, file, part)`,
  `removals (by UInt64, kind LowCardinality(String), platform String, resource String, id String, sha256 String, derived UInt8,
    at_ms Int64, reason String) ENGINE = MergeTree ORDER BY (kind, platform, resource, id)`,
  `redactions (by UInt64, kind LowCardinality(String), load UInt64, ordinal UInt32, item String CODEC(ZSTD), priced UInt8,
    drop Nullable(Float64)) ENGINE = MergeTree ORDER BY (kind, load, ordinal)`,
  `records (load UInt64, ordinal UInt32, id String, ${FILTER_COLUMNS}, language LowCardinality(String), length UInt32,
    content String, root LowCardinality(String), ${ORDER_KEYS.map((key) => `by_${key} Nullable(Float64)`).join(", ")},
    record String CODEC(ZSTD(3)), INDEX ids id TYPE minmax GRANULARITY 1)
    ENGINE = MergeTree PARTITION BY load ORDER BY ordinal SETTINGS index_granularity = ${GRANULE_ROWS}`,
  `raw (load UInt64, ordinal UInt32, platform LowCardinality(String), resource LowCardinality(String), id String,
    parent Nullable(String), reply_to Nullable(String), author Nullable(String), lang LowCardinality(String),
    created_ms Nullable(Int64), captured_ms Int64, score Float64, offset_s Nullable(Float64), words String CODEC(ZSTD(3)),
    content String, root LowCardinality(String), item String CODEC(ZSTD(3)),
    INDEX ids id TYPE bloom_filter(0.001) GRANULARITY 1, INDEX parents parent TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX replies reply_to TYPE bloom_filter(0.001) GRANULARITY 1, INDEX authors author TYPE bloom_filter(0.001) GRANULARITY 1)
    ENGINE = MergeTree PARTITION BY load ORDER BY ordinal SETTINGS index_granularity = ${GRANULE_ROWS}`,
  `postings (load UInt64, term String, ordinal UInt32 CODEC(Delta, ZSTD), frequency UInt32 CODEC(ZSTD), length UInt32 CODEC(ZSTD),
    language LowCardinality(String), ${FILTER_COLUMNS}, positions Array(UInt32) CODEC(ZSTD))
    ENGINE = MergeTree PARTITION BY load ORDER BY (term, ordinal) SETTINGS index_granularity = 1024`,
  `vectors (load UInt64, ordinal UInt32, id String, ${FILTER_COLUMNS}, language LowCardinality(String), scale Float32,
    bytes Array(Int8) CODEC(NONE)) ENGINE = MergeTree PARTITION BY load ORDER BY ordinal SETTINGS index_granularity = ${GRANULE_ROWS}`,
  `given_vectors (load UInt64, ordinal UInt32, model LowCardinality(String), numbers Array(Float32) CODEC(NONE))
    ENGINE = MergeTree PARTITION BY load ORDER BY ordinal SETTINGS index_granularity = ${GRANULE_ROWS}`,
];

/** What tables of an older version lack. */
const UPGRADES: readonly string[] = [
  "ALTER TABLE loads ADD COLUMN IF NOT EXISTS removes UInt8 DEFAULT 0",
  "ALTER TABLE hidden ADD COLUMN IF NOT EXISTS removed UInt8 DEFAULT 0",
];

/**
 * Makes the tables of a lake in the database where they are absent, and brings older ones up to date.
 * @throws LakeError `cluster_newer_format`, `cluster_*`
 */
export async function makeSchema(connection: Connection): Promise<void> {
  const found = await schemaVersion(connection);
  if (found === CLICKHOUSE_DEFAULTS.schemaVersion) return;
  for (const table of TABLES) await connection.run(`CREATE TABLE IF NOT EXISTS ${table}`);
  if (found !== undefined) for (const upgrade of UPGRADES) await connection.run(upgrade);
  const version = CLICKHOUSE_DEFAULTS.schemaVersion;
  await connection.run(`INSERT INTO schema_version (version) VALUES (${version})`);
}

/**
 * Refuses tables of an older version: they cannot say what was removed.
 * @throws LakeError `cluster_older_format`
 */
export function refuseOlder(version: number | undefined): void {
  if (version === undefined || version >= CLICKHOUSE_DEFAULTS.schemaVersion) return;
  throw new LakeError("cluster_older_format", `The lake's tables have version ${version}`, {
    value: version,
    remedy: "Bring them up to date: mirrorlake cluster init --lake <address>.",
  });
}

/**
 * The version of the tables; undefined where there are none.
 * @throws LakeError `cluster_newer_format`, `cluster_not_allowed`, `cluster_unreachable`
 */
export async function schemaVersion(connection: Connection): Promise<number | undefined> {
  const [table] = await connection.rows<[number]>(
    "SELECT count() FROM system.tables WHERE database = {database:String} AND name = 'schema_version'",
    { database: connection.database },
  );
  if (table![0] === 0) return undefined;
  const [newest] = await connection.rows<[number]>("SELECT max(version) FROM schema_version");
  const version = newest![0];
  if (version > CLICKHOUSE_DEFAULTS.schemaVersion)
    throw new LakeError("cluster_newer_format", `The lake's tables have version ${version}`, {
      value: version,
      remedy: "Update mirrorlake.",
    });
  return version === 0 ? undefined : version;
}
