import { DatabaseError } from "../contract/errors.js";
import { BUILD_DEFAULTS } from "../duckdb/defaults.js";
import { quoteName } from "../duckdb/quote-sql.js";
import { ALL_ROWS, type SortLimits, type SortRange, sortRanges } from "../duckdb/sort-ranges.js";
import type { Column } from "../slice/column.js";
import { RAW_COLUMNS } from "../slice/raw-columns.js";
import { STAGING_DEFAULTS } from "./defaults.js";
import type { Staging } from "./staging.js";

/** A sort of fewer rows that runs out of memory is not made smaller. */
const FEWEST_ROWS = 1024;

/** Bytes of a row in a sort beside those of its columns and texts: its key, and the columns of staging. */
const STAGED_ROW_BYTES = 96;

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
  const limits = sortLimits(staging, most);
  // A second thread would sort as many rows more in memory at once. The process has a heap full of items that are no more.
  if (staging.large) await db.set({ threads: 1, memoryLimit: `${BUILD_DEFAULTS.sortMemory}B` });
  await sortInto(staging, signal, limits, {
    table: "sorted_records",
    rows: "records",
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
  await sortInto(staging, signal, limits, {
    table: "sorted_raw",
    rows: "raw",
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

/** The limits of sorts of the staged rows; undefined if one sort of all is within them. */
export function sortLimits(staging: Staging, most: SortLimits): SortLimits | undefined {
  return staging.items <= most.sortRows && stagedBytes(staging) <= most.sortBytes ? undefined : most;
}

/**
 * Does work that sorts staged rows within limits. What a sort needs depends on how narrow and wide rows take turns, too: where one runs
 * out of memory the work is done again, with sorts of half as much each.
 * @throws what the work throws
 */
export async function inSmallerSorts(
  staging: Staging,
  limits: SortLimits | undefined,
  work: (limits: SortLimits | undefined) => Promise<void>,
): Promise<void> {
  try {
    await work(limits);
  } catch (error) {
    const smaller = halved(staging, limits);
    const isTooLarge = error instanceof DatabaseError && error.code === "database_memory";
    if (!isTooLarge || smaller === undefined) throw error;
    await inSmallerSorts(staging, smaller, work);
  }
}

/** Limits of sorts that hold half of what those of other limits do; undefined if they would be too small to be of any use. */
function halved(staging: Staging, limits: SortLimits | undefined): SortLimits | undefined {
  const { sortRows, sortBytes } = limits ?? { sortRows: staging.items, sortBytes: stagedBytes(staging) };
  const rows = Math.floor(Math.min(sortRows, staging.items) / 2);
  if (rows < FEWEST_ROWS) return undefined;
  return { sortRows: rows, sortBytes: Math.min(sortBytes, stagedBytes(staging)) / 2 };
}

/** Bytes of all staged rows in a sort, at most. */
function stagedBytes(staging: Staging): number {
  const bytes = Math.max(rowBytes(staging, "records"), rowBytes(staging, "raw"));
  return staging.textBytes + staging.items * bytes;
}

/** Bytes of a row in a sort, without its texts: the engine holds 16 of each text and list, and 8 of what else there is. */
function rowBytes(staging: Staging, rows: "records" | "raw"): number {
  const columns: readonly Pick<Column<never>, "type">[] =
    rows === "records" ? staging.filledColumns : RAW_COLUMNS;
  const wide = columns.filter(({ type }) => type === "VARCHAR" || type.endsWith("[]")).length;
  return STAGED_ROW_BYTES + 8 * (columns.length + wide);
}

/** Staged rows that are sorted. */
interface StagedRows {
  /** The table of the staged rows. */
  readonly rows: "records" | "raw";
  readonly from: string;
  /** See {@link Sorted.keys}. */
  readonly keys: readonly string[];
}

/** The {@link sortRanges} of staged rows: one of all where they are within limits. */
export async function stagedRanges(
  staging: Staging,
  limits: SortLimits | undefined,
  { rows, from, keys }: StagedRows,
): Promise<SortRange[]> {
  if (limits === undefined) return [ALL_ROWS];
  const [staged] = await staging.db.rows<{ count: number }>(`SELECT count(*) AS count FROM ${rows}`);
  const bytes = `bytes + coalesce(strlen(long_texts), 0) + ${rowBytes(staging, rows)}`;
  return sortRanges(staging.db, { from, rows: staged!.count, keys, bytes }, limits);
}

/** A table of sorted rows. */
interface SortedTable extends StagedRows {
  readonly table: string;
  readonly columns: string;
}

/** Creates a table of sorted rows. */
function sortInto(
  staging: Staging,
  signal: AbortSignal | undefined,
  limits: SortLimits | undefined,
  sorted: SortedTable,
): Promise<void> {
  return inSmallerSorts(staging, limits, (within) => sortWithin(staging, signal, within, sorted));
}

/** Creates a table of sorted rows, by a sort for each of the {@link stagedRanges}. */
async function sortWithin(
  staging: Staging,
  signal: AbortSignal | undefined,
  limits: SortLimits | undefined,
  { table, columns, ...sorted }: SortedTable,
): Promise<void> {
  const { db } = staging;
  const select = `SELECT ${columns} FROM ${sorted.from}`;
  const order = `ORDER BY ${sorted.keys.join(", ")}`;
  const ranges = await stagedRanges(staging, limits, sorted);
  if (ranges.length === 1)
    return db.run(`CREATE OR REPLACE TABLE ${table} AS ${select} ${order}`, [], signal);
  await db.run(`CREATE OR REPLACE TABLE ${table} AS ${select} LIMIT 0`, [], signal);
  // One thread in one transaction packs the rows of all sorts as it does those of one.
  await db.run("BEGIN");
  try {
    for (const { where, values } of ranges)
      await db.run(`INSERT INTO ${table} ${select} ${where} ${order}`, values, signal);
  } catch (error) {
    await db.run("ROLLBACK");
    throw error;
  }
  await db.run("COMMIT");
}
