import type { SqlParams } from "./database.js";
import type { Session } from "./session.js";

/** What begins what cannot be explained, such as a PRAGMA. */
const NOT_A_QUERY = /^Parser Error/;

/**
 * Finds out why a stream ended half-way. The engine's client gives such a stream an end like any other and keeps the reason to itself,
 * so the query is run once more, for nothing but its error.
 */
export async function streamFailure(session: Session, sql: string, params: SqlParams): Promise<Error> {
  try {
    await (await session.prepared(`EXPLAIN ANALYZE ${sql}`, params)).run();
  } catch (error) {
    const reason = error as Error;
    if (!NOT_A_QUERY.test(reason.message)) return reason;
  }
  return new Error("The query failed before its last row, and the engine does not say why");
}
