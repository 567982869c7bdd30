import type { SqlValue } from "../duckdb/database.js";
import { BUILD_DEFAULTS } from "../duckdb/defaults.js";
import { quoteName } from "../slice/column.js";
import { STAGING_DEFAULTS } from "./defaults.js";
import type { Staging } from "./staging.js";

/** One id of so many is looked at to share rows out to sorts. */
const SAMPLED = 64;

/** The staged items of one slice: one domain, platform, language and month. */
export interface Part {
  /** 1-based number, in the order of domain, platform, language and month. */
  readonly part: number;
  /** The platform's slug. */
  readonly platform: string;
  /** BCP 47. */
  readonly lang: string;
  /** Months since year 0 in UTC: year × 12 + month − 1. */
  readonly month: number;
  readonly records: number;
  readonly raw: number;
  readonly vectors: number;
  /** Earliest and latest capture, epoch milliseconds. */
  readonly first_ms: number;
  readonly last_ms: number;
}

/**
 * Sorts the staged rows into the tables `sorted_records` (by part and id) and `sorted_raw` (by part, resource and id), which
 * replace `records` and `raw`, and lists the parts by number. From then on the database uses one thread. Rows lie densely in both
 * tables: all vectors of rows but the last are full.
 * @param most of a sort; the rows do not depend on it
 * @throws DatabaseError; the signal's reason when aborted
 */
export async function partition(
  staging: Staging,
  signal: AbortSignal | undefined,
  most: SortLimits = STAGING_DEFAULTS,
): Promise<Part[]> {
  const { db } = staging;
  const run = (sql: string) => db.run(sql, [], signal);
  await run(`CREATE TABLE parts AS
    WITH keys AS (
      SELECT src AS domain, platform, lang, month FROM records UNION SELECT domain, platform, lang, month FROM raw)
    SELECT row_number() OVER (ORDER BY domain, platform, lang, month)::INTEGER AS part, * FROM keys`);
  const withVectors = staging.vectorsAdded > 0;
  if (withVectors)
    await run(`CREATE TABLE positions AS
    SELECT seq, part, (row_number() OVER (PARTITION BY part ORDER BY id) - 1)::INTEGER AS vector_row
    FROM records JOIN parts ON src = domain AND parts.platform = records.platform AND parts.lang = records.lang
      AND parts.month = records.month
    WHERE source_row IS NOT NULL`);
  // Columns without values, which most are, are left out: sorting time depends on the row width.
  const filled = staging.filledColumns.map(({ name }) => `records.${quoteName(name)}`);
  const few = staging.items <= most.sortRows && staging.textBytes <= most.sortBytes;
  const sorts = async (table: "records" | "raw") => {
    if (few) return 1;
    const [staged] = await db.rows<{ rows: number; bytes: number | null }>(
      `SELECT count(*) AS rows, sum(bytes)::BIGINT AS bytes FROM ${table}`,
    );
    return sortsOf(staged!.rows, staged!.bytes ?? 0, most);
  };
  // A second thread would sort as many rows more in memory at once. The process has a heap full of items that are no more.
  await run("SET threads = 1");
  await run(`SET memory_limit = '${BUILD_DEFAULTS.sortMemory}B'`);
  await sortInto(staging, signal, await sorts("records"), {
    table: "sorted_records",
    columns: [
      "parts.part",
      "source_row",
      "bytes",
      "long_texts",
      ...filled,
      withVectors ? "vector_row" : "NULL::INTEGER AS vector_row",
    ].join(", "),
    from: `records JOIN parts ON src = domain AND parts.platform = records.platform AND parts.lang = records.lang
      AND parts.month = records.month ${withVectors ? "LEFT JOIN positions ON positions.seq = records.seq" : ""}`,
    keys: ["parts.part", "id"],
  });
  await run("DROP TABLE records");
  await sortInto(staging, signal, await sorts("raw"), {
    table: "sorted_raw",
    columns: "part, raw.*",
    from: "raw JOIN parts USING (domain, platform, lang, month)",
    keys: ["part", "resource", "id"],
  });
  await run("DROP TABLE raw");
  // One thread reads the tables in insertion order, so nothing is sorted twice. And the bytes of a Parquet file written by one
  // thread depend on its rows alone.
  return db.rows<Part & Record<string, unknown>>(`
    WITH captures AS (
      SELECT part, prov_ts_ms AS ms, 1 AS record, (vector_row IS NOT NULL)::INTEGER AS vector FROM sorted_records
      UNION ALL SELECT part, captured_ms, 0, 0 FROM sorted_raw)
    SELECT part, platform, lang, month, sum(record)::BIGINT AS records, sum(1 - record)::BIGINT AS raw,
      sum(vector)::BIGINT AS vectors, min(ms) AS first_ms, max(ms) AS last_ms
    FROM captures JOIN parts USING (part) GROUP BY ALL ORDER BY part`);
}

/** Limits of one sort: see {@link STAGING_DEFAULTS}. */
export interface SortLimits {
  readonly sortRows: number;
  readonly narrowRowBytes: number;
  readonly sortBytes: number;
}

/** How many sorts rows of so many bytes in all take. */
function sortsOf(rows: number, bytes: number, most: SortLimits): number {
  const wide = bytes > rows * most.narrowRowBytes;
  return Math.ceil(Math.max(rows / most.sortRows, wide ? bytes / most.sortBytes : 0));
}

/** A table of sorted rows. */
interface SortedTable {
  readonly table: string;
  readonly columns: string;
  readonly from: string;
  /** Columns that it is sorted by; no two rows agree in all of them. */
  readonly keys: readonly string[];
}

/**
 * Creates a table of sorted rows by so many sorts, of one range of the keys each: a sort of any size needs memory for each of the runs
 * that it merges, and would end with "out of memory" at some size.
 */
async function sortInto(
  { db }: Staging,
  signal: AbortSignal | undefined,
  sorts: number,
  { table, columns, from, keys }: SortedTable,
): Promise<void> {
  const select = `SELECT ${columns} FROM ${from}`;
  const order = `ORDER BY ${keys.join(", ")}`;
  if (sorts <= 1) return db.run(`CREATE TABLE ${table} AS ${select} ${order}`, [], signal);
  await db.run(`CREATE TABLE ${table} AS ${select} LIMIT 0`, [], signal);
  const names = keys.map((key, i) => `${key} AS key${i}`).join(", ");
  const sample = await db.rows<Record<string, SqlValue>>(
    `SELECT ${names} FROM ${from} WHERE hash(id) % ${SAMPLED} = 0 ${order}`,
  );
  const bounds = Array.from(
    { length: sorts - 1 },
    (_, i) => sample[Math.floor((sample.length * (i + 1)) / sorts)],
  )
    .filter((bound) => bound !== undefined)
    .map((bound) => keys.map((_, i) => bound[`key${i}`]!));
  // One thread in one transaction packs the rows of all sorts as it does those of one.
  await db.run("BEGIN");
  for (const [i, bound] of [...bounds, undefined].entries()) {
    const before = bounds[i - 1];
    const conditions = [
      ...(before === undefined ? [] : [`NOT (${isLess(keys)})`]),
      ...(bound === undefined ? [] : [`(${isLess(keys)})`]),
    ];
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    const values = [
      ...(before === undefined ? [] : lessValues(before)),
      ...(bound === undefined ? [] : lessValues(bound)),
    ];
    await db.run(`INSERT INTO ${table} ${select} ${where} ${order}`, values, signal);
  }
  await db.run("COMMIT");
}

/** Whether a row's keys come before those given as parameters: a < ? OR (a = ? AND (b < ? …)). */
function isLess([key, ...rest]: readonly string[]): string {
  return rest.length === 0 ? `${key} < ?` : `${key} < ? OR (${key} = ? AND (${isLess(rest)}))`;
}

/** The parameters of {@link isLess}. */
function lessValues(keys: readonly SqlValue[]): SqlValue[] {
  return keys.flatMap((key, i) => (i === keys.length - 1 ? [key] : [key, key]));
}
