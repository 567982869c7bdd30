import { DatabaseError, MirrorlakeError } from "../contract/errors.js";

/** How the engine's error begins where its memory is not enough. */
const OUT_OF_MEMORY = /^Out of Memory Error: (.*)/;

/**
 * Maps the error of a failed statement: a MirrorlakeError or `AbortError` is returned unchanged; any other error of the engine
 * becomes a DatabaseError with the statement as its value: `database_memory` where the engine has not enough memory, else
 * `sql_failed`.
 */
export function sqlFailure(error: unknown, sql: string): unknown {
  if (error instanceof MirrorlakeError || (error instanceof Error && error.name === "AbortError"))
    return error;
  const { message } = error as Error;
  const memory = OUT_OF_MEMORY.exec(message);
  if (memory !== null) {
    // The engine's advice, in further lines, names settings that users do not have.
    return new DatabaseError(
      "database_memory",
      `The engine needs more memory than it may take: ${memory[1]}`,
      {
        value: sql,
        remedy:
          "do it in smaller parts, such as fewer files at a time, and report it: neither a statement nor a file of yours is at fault",
        cause: error,
      },
    );
  }
  return new DatabaseError("sql_failed", message, {
    value: sql,
    remedy: "correct the statement or the file that it reads",
    cause: error,
    lines: true,
  });
}
