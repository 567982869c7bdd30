import { Database } from "../duckdb/database.js";
import { checkQuery } from "./check-query.js";
import type { SessionPlan } from "./session-plan.js";

/** Reads the vector of a row. */
export type ReadVector = (row: number) => Float32Array;

/** Opens the engine of a plan, which is not confined yet. @throws DatabaseError if the database cannot be opened */
export async function openEngine(plan: SessionPlan, vector: ReadVector): Promise<Database> {
  const { memoryLimit, threads, vectorFunction, tables, views } = plan;
  const db = await Database.open(":memory:", { memoryLimit, tempDirectory: "", threads });
  try {
    await take(db, tables);
    await db.defineVectorFunction(vectorFunction.name, vectorFunction.width, vector);
    await take(db, views);
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
  await take(db, bounds);
  await db.confine();
}

/**
 * Checks a query of a user.
 * @throws SqlError `sql_syntax`, `sql_refused`
 */
export async function checkInEngine(db: Database, text: string, { viewNames }: SessionPlan): Promise<void> {
  const [parsed] = await db.rows<{ tree: string }>("SELECT json_serialize_sql(?::VARCHAR) AS tree", [text]);
  checkQuery(parsed!.tree, new Set(viewNames));
}

async function take(db: Database, steps: SessionPlan["tables"]): Promise<void> {
  for (const step of steps) {
    if ("sql" in step) await db.run(step.sql);
    else await db.append(step.table, step.rows);
  }
}
