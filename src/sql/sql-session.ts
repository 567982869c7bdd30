import { DatabaseError, SqlError, UsageError } from "../contract/errors.js";
import { VECTOR_DIMENSIONS } from "../contract/service/unified-record.js";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import { Database, type SqlParams } from "../duckdb/database.js";
import { quoteText } from "../slice/column.js";
import type { RemovedRows } from "../store/removals/removed-rows.js";
import { BOUNDED_FUNCTIONS_SQL, TOO_LARGE } from "./bounded-functions.js";
import { checkQuery } from "./check-query.js";
import { SQL_DEFAULTS } from "./defaults.js";
import {
  liveViewsSql,
  RECORD_VECTORS,
  REMOVED_TABLES_SQL,
  redactedRows,
  SLICE_FACTS_SQL,
  SQL_VIEWS,
  sliceFacts,
  VECTOR_FUNCTION,
  viewSql,
} from "./views.js";

/** Data that queries read: a generation's database, its slices, and its vectors. */
export interface SqlSource {
  /** Path of the generation's database. */
  readonly database: string;
  readonly slices: readonly SliceManifest[];
  /** Rows of the database that queries must not see. */
  readonly removed: RemovedRows;
  /** Name of the model of the local vectors. */
  readonly vectorModel: string;
  /** The vector of a row: 1536 numbers. */
  readonly vector: (row: number) => Float32Array;
}

/** Limits of a query. */
export interface SqlLimits {
  readonly signal?: AbortSignal;
  /** Milliseconds until the query is interrupted; 30,000 by default, Infinity for no limit. */
  readonly timeoutMs?: number;
  /** Memory of the engine, such as `"512MB"`; 1 GB by default. It never spills to disk. */
  readonly memoryLimit?: string;
  /** Worker threads of the engine; its own default is one a core. */
  readonly threads?: number;
}

const VIEW_NAMES: ReadonlySet<string> = new Set(SQL_VIEWS.map(({ name }) => name));

/**
 * Opens an in-memory engine with the views over a generation, attached read-only. Once confined it can read nothing else: no file,
 * no extension, no setting (DuckDB's `enable_external_access` off and `lock_configuration` on). Every query is checked before it
 * runs.
 * @throws UsageError `invalid_memory_limit`; DatabaseError if the database cannot be opened
 */
export async function openSqlSession(
  source: SqlSource,
  { memoryLimit = SQL_DEFAULTS.memoryLimit, threads }: SqlLimits = {},
): Promise<Database> {
  if (!/^\d+(\.\d+)?\s?[KMGT]i?B$/i.test(memoryLimit)) {
    throw new UsageError("invalid_memory_limit", `Not an amount of memory: ${memoryLimit}`, {
      value: memoryLimit,
      remedy: "give a number with a unit, such as 512MB or 2GB",
    });
  }
  const db = await Database.open(":memory:", {
    memoryLimit,
    tempDirectory: "",
    threads,
  });
  try {
    await db.run(`ATTACH ${quoteText(source.database)} AS corpus (READ_ONLY)`);
    await db.run(SLICE_FACTS_SQL);
    await db.append("slice_facts", sliceFacts(source.slices));
    await db.run("CREATE TABLE local_model (model VARCHAR)");
    await db.append("local_model", [[source.vectorModel]]);
    await db.defineVectorFunction(VECTOR_FUNCTION, VECTOR_DIMENSIONS, source.vector);
    for (const sql of REMOVED_TABLES_SQL) await db.run(sql);
    const { records, raw } = source.removed;
    await db.append(
      "removed_records_rows",
      records.map((row) => [row]),
    );
    await db.append(
      "removed_raw_rows",
      raw.map((row) => [row]),
    );
    await db.append("redacted_records", redactedRows(source.removed));
    for (const sql of liveViewsSql(source.removed)) await db.run(sql);
    for (const view of [...SQL_VIEWS, RECORD_VECTORS]) await db.run(viewSql(view));
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/**
 * Runs one query in its own confined engine.
 * @param read reads the result, by rows or columns
 * @throws SqlError `sql_syntax`, `sql_refused`, `sql_failed`, `sql_params`, `sql_timeout`, `sql_memory`; the signal's reason
 */
export async function* runQuery<T>(
  source: SqlSource,
  text: string,
  limits: SqlLimits,
  read: (db: Database, signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T, void, void> {
  const { signal, timeoutMs = SQL_DEFAULTS.timeoutMs } = limits;
  signal?.throwIfAborted();
  if (text.includes("\0")) {
    throw new SqlError("sql_refused", "Queries over a lake may not have NUL characters", {
      value: text,
      remedy: "remove the NUL character",
    });
  }
  const db = await openSqlSession(source, limits);
  const timeout = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  try {
    const [parsed] = await db.rows<{ tree: string }>("SELECT json_serialize_sql(?::VARCHAR) AS tree", [text]);
    checkQuery(parsed!.tree, VIEW_NAMES);
    for (const sql of BOUNDED_FUNCTIONS_SQL) await db.run(sql);
    await db.confine();
    if (Number.isFinite(timeoutMs))
      timer = setTimeout(() => timeout.abort(tooSlow(text, timeoutMs)), timeoutMs);
    yield* read(db, signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]));
  } catch (error) {
    throw asSqlError(error, text);
  } finally {
    clearTimeout(timer);
    await db.close();
  }
}

/** The columns of a trusted statement of the library, which may read `record_vectors` and write files. */
export function ownColumns(source: SqlSource, text: string, params: SqlParams, limits: SqlLimits) {
  return runOwn(source, limits, (db) => db.columns(text, params, limits.signal));
}

/** The rows of a trusted statement of the library. */
export function ownRows(source: SqlSource, text: string, params: SqlParams, limits: SqlLimits) {
  return runOwn(source, limits, (db) => db.stream(text, params, limits.signal));
}

async function* runOwn<T>(
  source: SqlSource,
  limits: SqlLimits,
  read: (db: Database) => AsyncIterable<T>,
): AsyncGenerator<T, void, void> {
  const db = await openSqlSession(source, limits);
  try {
    yield* read(db);
  } finally {
    await db.close();
  }
}

/** The rows of a query, in batches. @throws as {@link runQuery} */
export function queryRows(source: SqlSource, text: string, params: SqlParams, limits: SqlLimits) {
  return runQuery(source, text, limits, (db, signal) => db.stream(text, params, signal));
}

/** The columns of a query, in batches. @throws as {@link runQuery} */
export function queryColumns(source: SqlSource, text: string, params: SqlParams, limits: SqlLimits) {
  return runQuery(source, text, limits, (db, signal) => db.columns(text, params, signal));
}

function tooSlow(text: string, timeoutMs: number): SqlError {
  return new SqlError("sql_timeout", `The query took longer than ${timeoutMs} ms`, {
    value: text,
    remedy: "ask for less, or allow more time (--timeout, timeoutMs)",
  });
}

function asSqlError(error: unknown, text: string): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const tooLarge = error.message.indexOf(TOO_LARGE);
  if (tooLarge >= 0) {
    return new SqlError("sql_memory", error.message.slice(tooLarge), {
      value: text,
      remedy: "make less of it in one value; in FROM, range and generate_series make rows as they are needed",
      cause: error,
    });
  }
  if (error.message.startsWith("Out of Memory Error")) {
    return new SqlError("sql_memory", "The query needs more memory than it may take", {
      value: text,
      remedy: "ask for less at a time, or allow more memory (--memory, memoryLimit)",
      cause: error,
    });
  }
  return new SqlError(error.code, error.message, {
    lines: true,
    value: text,
    remedy:
      error.code === "sql_params"
        ? error.remedy
        : "check the query; `mirrorlake sql --schema` shows the views and their columns",
    cause: error,
  });
}
