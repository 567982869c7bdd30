import { DatabaseError, MirrorlakeError } from "../contract/errors.js";

/**
 * What a statement that failed is to throw: an error of Mirrorlake or an `AbortError` as it is, anything else that the
 * engine threw as a DatabaseError `sql_failed` with the statement as its value.
 */
export function sqlFailure(error: unknown, sql: string): unknown {
  if (error instanceof MirrorlakeError || (error instanceof Error && error.name === "AbortError"))
    return error;
  return new DatabaseError("sql_failed", (error as Error).message, {
    value: sql,
    remedy: "correct the statement or the file that it reads",
    cause: error,
  });
}
