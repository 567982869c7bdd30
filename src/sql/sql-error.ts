import { DatabaseError, SqlError } from "../contract/errors.js";
import { formatDuration } from "../contract/quantity.js";
import { TOO_LARGE } from "./bounded-functions.js";
import { nestedFieldRemedy } from "./nested-field.js";
import { badLine } from "./own/file-failure.js";

/** The error of a query that took longer than it may. */
export function tooSlow(text: string, timeoutMs: number): SqlError {
  return new SqlError("sql_timeout", `The query took longer than ${formatDuration(timeoutMs)}`, {
    value: text,
    remedy:
      "ask for less, or allow more time (--timeout, timeoutMs); an export writes records without a limit of time (mirrorlake export, lake.export)",
  });
}

/** The error of a query whose rows are not taken while others wait for a process. */
export function notTaken(text: string, readerMs: number): SqlError {
  const time = formatDuration(readerMs);
  return new SqlError(
    "sql_timeout",
    `No row of the query was taken for ${time}, and others need its process`,
    {
      value: text,
      remedy: "take all rows of a stream without long pauses, or end it: leave its loop, or call return()",
    },
  );
}

/** The error of a query that needs more memory than it may take. */
export function tooMuchMemory(text: string, cause?: unknown): SqlError {
  return new SqlError("sql_memory", "The query needs more memory than it may take", {
    value: text,
    remedy: "ask for less at a time, or allow more memory (--memory, memoryLimit)",
    cause,
  });
}

/** Converts an error of the engine to that of a query; any other error is returned unchanged. */
export function asSqlError(error: unknown, text: string): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const tooLarge = error.message.indexOf(TOO_LARGE);
  if (tooLarge >= 0) {
    return new SqlError("sql_memory", error.message.slice(tooLarge), {
      value: text,
      remedy: "make less of it in one value; in FROM, range and generate_series make rows as they are needed",
      cause: error,
    });
  }
  if (error.code === "database_memory") return tooMuchMemory(text, error);
  const unreadable = badLine(error.message, error);
  if (unreadable !== undefined) return unreadable;
  return new SqlError(error.code, error.message, {
    lines: true,
    value: text,
    remedy:
      error.code === "sql_params"
        ? error.remedy
        : (nestedFieldRemedy(text, error.message) ??
          "check the query; `mirrorlake sql --schema` shows the views and their columns"),
    cause: error,
  });
}

/** The error of a query whose process was lost, though neither its query nor the memory is why. */
export function lostProcess(why: string, cause: unknown): SqlError {
  return new SqlError("sql_process_failed", `The process that runs queries cannot be reached: ${why}`, {
    value: why,
    remedy: "ask again; if it breaks each time, check the files that this process may have, and what runs it",
    cause,
  });
}

/** The error of a process that cannot be started. */
export function cannotStart(why: string, cause?: unknown): SqlError {
  const denied = (cause as NodeJS.ErrnoException | undefined)?.code === "ERR_ACCESS_DENIED";
  return new SqlError("sql_process_failed", `The process that runs queries cannot be started: ${why}`, {
    value: why,
    remedy: denied
      ? "allow Node.js to start it: node --allow-child-process"
      : "check the memory, processes and files that this process may have",
    cause,
  });
}
