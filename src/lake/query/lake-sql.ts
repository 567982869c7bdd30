import type { ArrowBatch, ArrowTable } from "../../duckdb/arrow.js";
import type { SqlParams, SqlValue } from "../../duckdb/database.js";
import type { ColumnBatch } from "../../duckdb/results/column-batch.js";
import { type PlainBatch, pieces } from "../../duckdb/results/plain-batch.js";
import { SQL_DEFAULTS } from "../../sql/defaults.js";
import { type OwnTables, prepareTables } from "../../sql/own/own-tables.js";
import { QueryClock } from "../../sql/query-clock.js";
import { QueryPool } from "../../sql/query-pool.js";
import { TAKEN_NAMES } from "../../sql/session-plan.js";
import { tooSlow } from "../../sql/sql-error.js";
import {
  ownColumns,
  type ResultBatch,
  runHere,
  type SqlLimits,
  type SqlSource,
} from "../../sql/sql-session.js";
import { RECORD_VECTORS, SQL_VIEWS } from "../../sql/views.js";
import type { RecordFilter } from "../../store/corpus.js";
import { languageCondition } from "../../store/raw-filter.js";
import type { LakeHandle } from "../lake-handle.js";
import type { LakeView } from "../open/open-view.js";
import { sqlProcessAvailable, startSqlProcess } from "./start-sql-process.js";

/** A row of a result: column names to plain values, as `Database.rows` makes them. */
export type SqlRow = Record<string, unknown>;

/** The parts of an open generation that the SQL engine reads. */
export function sqlSource({ corpus, index }: LakeView): SqlSource {
  return {
    database: corpus.database,
    slices: () => corpus.slices({ offset: 0, limit: Number.POSITIVE_INFINITY }).manifests,
    removed: corpus.removed,
    vectorModel: index.embedderId,
    vectors: (rows, into) => index.vectorsInto(rows, into),
    find: ({ words, most }, signal) => index.rank(words, corpus.live, { limit: most, signal }),
  };
}

/**
 * Starts the process of the first query while its lake is being opened, for a program that asks at once; undefined where queries run in
 * this process. To be given to `Lake.queryPool`.
 */
export function warmQueryPool(): QueryPool | undefined {
  if (!sqlProcessAvailable()) return undefined;
  const pool = new QueryPool(startSqlProcess);
  pool.warm();
  return pool;
}

/**
 * Runs a query of a user in a process that can be killed; in this process where the package's file of that process is missing.
 * @throws SqlError; the signal's reason
 */
async function* userQuery(
  lake: LakeHandle,
  view: LakeView,
  { tables, ...query }: OwnQuery,
  byColumn: boolean,
  { signal, timeoutMs = SQL_DEFAULTS.timeoutMs, ...limits }: SqlLimits,
): AsyncGenerator<ResultBatch, void, void> {
  signal?.throwIfAborted();
  const clock = new QueryClock(timeoutMs, () => tooSlow(query.text, timeoutMs));
  const ending = signal === undefined ? clock.signal : AbortSignal.any([signal, clock.signal]);
  const source = sqlSource(view);
  try {
    const own = tables === undefined ? undefined : await prepareTables(tables, TAKEN_NAMES);
    const asked = { ...query, own };
    if (sqlProcessAvailable()) {
      const pool = lake.queryPool(() => new QueryPool(startSqlProcess));
      const data = { ...source, vectors: view.index.vectorPlaces };
      yield* pool.run(data, asked, { ...limits, byColumn, timeoutMs, clock }, ending);
    } else yield* runHere(source, asked, { ...limits, byColumn, clock }, ending);
  } finally {
    clock.stop();
  }
}

/** A query with tables of its caller. */
interface OwnQuery {
  readonly text: string;
  readonly params: SqlParams;
  readonly tables?: OwnTables | undefined;
}

/** Limits of a query, and tables of its caller. */
export interface QueryOptions extends SqlLimits {
  /** Tables beside the lake's views, by name: rows, an Arrow table, or a file, for this query alone. */
  readonly tables?: OwnTables | undefined;
}

/** A column of a result. */
export interface ResultColumn {
  readonly name: string;
  /** Its type as the engine names it: `BIGINT`, `DECIMAL(18,2)`, `VARCHAR[]`; Arrow's name in a lake on ClickHouse. */
  readonly type: string;
}

/** Limits of a query, tables of its caller, and who wants to know the columns of its result. */
export interface StreamOptions extends QueryOptions {
  /** Called with the columns before the first row, also where there is none. */
  readonly onColumns?: ((columns: readonly ResultColumn[]) => void) | undefined;
}

async function* rowsOf(
  batches: AsyncIterable<ResultBatch>,
  onColumns?: StreamOptions["onColumns"],
): AsyncGenerator<SqlRow[], void, void> {
  let isFirst = true;
  for await (const batch of batches) {
    const { names, types } = batch as PlainBatch;
    if (isFirst) onColumns?.(names.map((name, i) => ({ name, type: types[i]! })));
    isFirst = false;
    yield* pieces(batch as PlainBatch);
  }
}

/**
 * Streams the rows of a query over a lake in batches.
 * @throws SqlError; the signal's reason
 */
export function sqlStream(
  lake: LakeHandle,
  text: string,
  params: SqlParams,
  { tables, onColumns, ...limits }: StreamOptions,
): AsyncGenerator<SqlRow[], void, void> {
  const query = { text, params, tables };
  return lake.stream((view) => rowsOf(userQuery(lake, view, query, false, limits), onColumns));
}

/**
 * Returns all rows of a query over a lake.
 * @throws SqlError; the signal's reason
 */
export async function sqlRows(
  lake: LakeHandle,
  text: string,
  params: SqlParams,
  { tables, ...limits }: QueryOptions,
): Promise<SqlRow[]> {
  const query = { text, params, tables };
  const batches = await lake.gather((view) => rowsOf(userQuery(lake, view, query, false, limits)));
  return batches.flat();
}

/**
 * Streams the result of a query over a lake as Arrow record batches.
 * @throws SqlError; the signal's reason
 */
export function sqlBatches(
  lake: LakeHandle,
  text: string,
  params: SqlParams,
  { tables, ...limits }: QueryOptions,
): AsyncGenerator<ArrowBatch, void, void> {
  return lake.stream((view) => toArrow(userQuery(lake, view, { text, params, tables }, true, limits)));
}

/**
 * Returns the result of a query over a lake as an Arrow table.
 * @throws SqlError; the signal's reason
 */
export async function sqlTable(
  lake: LakeHandle,
  text: string,
  params: SqlParams,
  { tables, ...limits }: QueryOptions,
): Promise<ArrowTable> {
  const query = { text, params, tables };
  const batches = await lake.gather((view) => toArrow(userQuery(lake, view, query, true, limits)));
  const { arrowTable } = await import("../../duckdb/arrow.js");
  return arrowTable(batches);
}

/** Columns of exported records. */
export interface RecordColumns {
  /** Whether to include `vector_model` and `vec` (1536 numbers). */
  readonly vectors?: boolean;
}

/** Returns the query for records that match a filter: the columns of the view `records`, in row order. */
export function recordsQuery(
  filter: RecordFilter,
  { vectors = false }: RecordColumns = {},
): { sql: string; params: readonly SqlValue[]; columns: readonly string[] } {
  const parts = ["true"];
  const params: SqlValue[] = [];
  const add = (sql: string, ...values: SqlValue[]) => {
    parts.push(sql);
    params.push(...values);
  };
  if (filter.domains !== undefined) add("list_contains(?::VARCHAR[], src)", filter.domains);
  if (filter.platforms !== undefined) add("list_contains(?::VARCHAR[], platform)", filter.platforms);
  if (filter.langs !== undefined) add(...languageCondition("lang", filter.langs));
  if (filter.fromMs !== undefined) add("captured_at >= make_timestamptz(?::BIGINT * 1000)", filter.fromMs);
  if (filter.toMs !== undefined) add("captured_at <= make_timestamptz(?::BIGINT * 1000)", filter.toMs);
  const view = vectors ? RECORD_VECTORS : SQL_VIEWS[0]!;
  const columns = view.columns.map(({ name }) => name);
  return {
    sql: `SELECT ${columns.join(", ")} FROM ${view.name} WHERE ${parts.join(" AND ")}`,
    params,
    columns,
  };
}

/**
 * Streams the records that match a filter as Arrow record batches.
 * @throws the signal's reason
 */
export function recordBatches(
  lake: LakeHandle,
  filter: RecordFilter,
  options: RecordColumns & Omit<SqlLimits, "timeoutMs"> = {},
): AsyncGenerator<ArrowBatch, void, void> {
  const { sql, params } = recordsQuery(filter, options);
  // One thread keeps the order of rows.
  return lake.stream((view) => arrowOf(sqlSource(view), sql, params, { threads: 1, ...options }));
}

/**
 * Streams an internal query as record batches.
 * @throws SqlError; the signal's reason
 */
export function arrowOf(
  source: SqlSource,
  sql: string,
  params: SqlParams,
  limits: SqlLimits,
): AsyncGenerator<ArrowBatch, void, void> {
  return toArrow(ownColumns(source, sql, params, limits));
}

async function* toArrow(batches: AsyncIterable<ResultBatch>): AsyncGenerator<ArrowBatch, void, void> {
  const { arrowBatch } = await import("../../duckdb/arrow.js");
  for await (const batch of batches) yield arrowBatch(batch as ColumnBatch);
}
