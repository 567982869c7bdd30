import { quoteName } from "../../duckdb/quote-sql.js";
import type { Column, TableRow } from "../../slice/column.js";

/** A column of a line. */
export type LineColumn = Pick<Column<never>, "name" | "type">;

/**
 * Columns of a query that the engine makes JSON of, so that a row takes few values from it: texts that stand between the fractions, which
 * JavaScript writes in another way, and those fractions. Names are constants of this library, never input.
 */
export function lineParts(columns: readonly LineColumn[]): string[] {
  const parts: string[] = [];
  let texts: string[] = [];
  const endText = () => {
    if (texts.length > 0) parts.push(texts.join(" || ',' || "));
    texts = [];
  };
  for (const { name, type } of columns) {
    if (type !== "DOUBLE") texts.push(`coalesce(to_json(${quoteName(name)})::VARCHAR, 'null')`);
    else {
      endText();
      parts.push(quoteName(name));
    }
  }
  endText();
  return parts.map((part, i) => `${part} AS part_${i}`);
}

/** The line of a row of {@link lineParts}, as {@link lineOf} makes it of the values. @param count number of the parts */
export function lineOfParts(row: TableRow, count: number): string {
  let line = "";
  for (let i = 0; i < count; i++) {
    const part = row[`part_${i}`];
    line += `${i === 0 ? "[" : ","}${typeof part === "string" ? withSmallDigits(part) : JSON.stringify(part)}`;
  }
  return `${line}]\n`;
}

/** The line of values: a JSON array. */
export function lineOf(values: readonly unknown[]): string {
  return `${JSON.stringify(values)}\n`;
}

/** Escapes of JSON: those of control characters that have hexadecimal digits, and all others, so that `\\` is passed over. */
const ESCAPES = /\\(?:u00[01][0-9A-F]|.)/gs;

/** The engine writes `\u001F` where JavaScript writes `\u001f`; they differ in nothing else. */
function withSmallDigits(json: string): string {
  if (!json.includes("\\u00")) return json;
  return json.replace(ESCAPES, (found) => (found.length > 2 ? found.toLowerCase() : found));
}
