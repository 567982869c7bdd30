import { Database } from "../duckdb/database.js";
import { checkQuery } from "./check-query.js";
import { SQL_DEFAULTS } from "./defaults.js";
import { loadTables } from "./own/load-tables.js";
import { NO_TABLES, type PreparedTables } from "./own/own-tables.js";
import { FOUND_TABLE, type Found, type SearchCall } from "./search-calls.js";
import type { SessionPlan } from "./session-plan.js";
import type { UserQuery } from "./sql-session.js";
import { recordsSql } from "./views.js";

/** Reads the vectors of rows, in their order: 1536 numbers each. */
export type ReadVectors = (rows: ArrayLike<number>, into: Float32Array) => void;

/**
 * Opens the engine of a plan, which is not confined yet.
 * @param rows the rows of the caller's own tables
 * @throws DatabaseError if the database cannot be opened; SqlError `table_unreadable`
 */
export async function openEngine(
  plan: SessionPlan,
  vectors: ReadVectors,
  rows: PreparedTables["rows"] = NO_TABLES.rows,
): Promise<Database> {
  const { memoryLimit, threads, vectorFunction, tables, views } = plan;
  const db = await Database.open(":memory:", { memoryLimit, tempDirectory: "", threads });
  try {
    await take(db, tables);
    await db.defineVectorFunction(vectorFunction.name, vectorFunction.width, vectors);
    await take(db, views);
    if (plan.ownTables.length > 0) await loadTables(db, plan.ownTables, rows());
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/**
 * Confines an engine. From now on it can read nothing but its views: no file, no extension, no setting (DuckDB's
 * `enable_external_access` off and `lock_configuration` on). @throws DatabaseError
 */
export async function confineEngine(db: Database, { bounds }: SessionPlan): Promise<void> {
  await addExtraColumns(db);
  await take(db, bounds);
  await db.confine();
}

/**
 * Checks a query of a user, and has its searches answered.
 * @throws SqlError `sql_syntax`, `sql_refused`
 */
export async function checkInEngine(
  db: Database,
  { text, params }: UserQuery,
  { viewNames }: SessionPlan,
  find: FindAll,
): Promise<void> {
  const [parsed] = await db.rows<{ tree: string }>("SELECT json_serialize_sql(?::VARCHAR) AS tree", [text]);
  const calls = checkQuery(parsed!.tree, new Set(viewNames), params);
  if (calls.length === 0) return;
  const distinct = [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()];
  const found = await find(distinct);
  await db.run(`DELETE FROM ${FOUND_TABLE}`);
  for (const [i, { words, most }] of distinct.entries()) {
    const { rows, scores } = found[i]!;
    await db.append(
      FOUND_TABLE,
      rows.map((row, at) => [words, most, row, at + 1, scores[at]!]),
    );
  }
}

/** Answers searches, in their order. */
export type FindAll = (calls: readonly SearchCall[]) => Promise<readonly Found[]>;

/**
 * Adds a column to the view `records` for each key of `extra` that occurs often. SQL does not tell names apart by case, so keys that
 * differ in nothing else get none: one would answer for the other.
 */
async function addExtraColumns(db: Database): Promise<void> {
  const { extraSample, extraShare, extraColumns } = SQL_DEFAULTS;
  const keys = await db.rows<{ name: string }>(
    `WITH sample AS (SELECT extra_other AS extra FROM corpus.records
        WHERE hash("row") % (SELECT greatest(1, count(*) // ?::INTEGER)::UBIGINT FROM corpus.records) = 0),
      counted AS (SELECT key, count(*) AS times FROM (SELECT unnest(json_keys(extra)) AS key FROM sample WHERE extra IS NOT NULL) GROUP BY key)
    SELECT min(key) AS name FROM counted GROUP BY lower(key)
    HAVING count(*) = 1 AND max(times) >= ?::DOUBLE * (SELECT count(*) FROM sample) ORDER BY max(times) DESC, min(key) LIMIT ?::INTEGER`,
    [extraSample, extraShare, extraColumns],
  );
  if (keys.length > 0) await db.run(recordsSql(keys.map(({ name }) => name)));
}

async function take(db: Database, steps: SessionPlan["tables"]): Promise<void> {
  for (const step of steps) {
    if ("sql" in step) await db.run(step.sql, step.params ?? []);
    else await db.append(step.table, step.rows);
  }
}
