import { SqlError } from "../../contract/errors.js";
import { shown } from "../../contract/shown-value.js";

const CSV = /^(?:Invalid Input|Conversion) Error: CSV Error on Line: (\d+)\n/;
const SAVED = "save it as UTF-8";

/** The error of a file that cannot be a table. */
export function unreadable(
  file: string,
  why: string,
  { remedy, cause }: { readonly remedy?: string; readonly cause?: unknown } = {},
): SqlError {
  return new SqlError("table_unreadable", `The file ${file} cannot be read as a table: ${why}`, {
    value: file,
    remedy: remedy ?? "check its path and its format; columns of CSV can be taken as text",
    lines: true,
    cause,
  });
}

/**
 * The error of a line of a file that cannot be read, made of the engine's message, whose advice names settings that callers do not have;
 * undefined for any other message.
 * @param file path of the file, where the message does not have it
 */
export function badLine(message: string, cause: unknown, file?: string): SqlError | undefined {
  const found = csvLine(message) ?? jsonLine(message);
  if (found === undefined) return undefined;
  return unreadable(file ?? found.file, found.why, { remedy: found.remedy, cause });
}

interface BadLine {
  readonly file: string;
  readonly why: string;
  readonly remedy: string;
}

function csvLine(message: string): BadLine | undefined {
  const line = CSV.exec(message)?.[1];
  if (line === undefined) return undefined;
  const file = /^ {2}file = (.*)$/m.exec(message)?.[1] ?? "";
  const cells = /^Expected Number of Columns: (\d+) Found: (\d+)$/m.exec(message);
  if (cells !== null) {
    const remedy =
      "give every line as many cells as the first, with no title above that; put a cell with a separator in it in double quotes";
    const [, text] = /^Original Line: (.*)$/m.exec(message) ?? [];
    const why = `line ${line} has ${cells[2]} cells, the first line ${cells[1]}: ${shown(text)}`;
    return { file, why, remedy };
  }
  if (message.includes("Value with unterminated quote found")) {
    const remedy = "end it; within a quoted cell write a quote twice";
    return { file, why: `a quote that begins in line ${line} does not end`, remedy };
  }
  const value = /^Error when converting column "(.*)"\. Could not convert string "(.*)" to '(.*)'$/ms.exec(
    message,
  );
  if (value !== null) {
    const why = `line ${line} has ${shown(value[2])} in the column ${value[1]}, which is ${value[3]} before it`;
    return { file, why, remedy: `take the column as text, with text: [${JSON.stringify(value[1])}]` };
  }
  if (message.includes("not utf-8")) return { file, why: `line ${line} is not UTF-8`, remedy: SAVED };
  const words = message.slice(message.indexOf("\n") + 1).split(/\n\s*\n|\nPossible/)[0]!;
  return { file, why: `line ${line}: ${words}`, remedy: "correct the line" };
}

function jsonLine(message: string): BadLine | undefined {
  const [, kind, file, place, words] =
    /^Invalid Input Error: (Malformed JSON|JSON transform error) in file "(.*?)", (?:at byte \d+ )?in ((?:line|record\/value) \d+): (.*)/.exec(
      message,
    ) ?? [];
  if (file === undefined) return undefined;
  const remedy =
    kind === "Malformed JSON"
      ? "correct it: one object a line, or a list of objects"
      : "give every object the same keys, with values of one type, as the first ones have them; or convert the file to Parquet";
  // The engine counts from 0 or from 1.
  return { file, why: `near ${place!.replace("/value", "")}: ${words}`, remedy };
}
