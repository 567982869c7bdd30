import { DatabaseError, MirrorlakeError } from "../contract/errors.js";

/**
 * Maps the error of a failed statement: a MirrorlakeError or `AbortError` is returned unchanged; any other error of the engine
 * becomes a DatabaseError `sql_failed` with the statement as its value.
 */
export function sqlFailure(error: unknown, sql: string): unknown {
  if (error instanceof MirrorlakeError || (error instanceof Error && error.name === "AbortError"))
    return error;
  return new DatabaseError("sql_failed", (error as Error).message, {
    value: sql,
    remedy: "correct the statement or the file that it reads",
    cause: error,
    lines: true,
  });
}
