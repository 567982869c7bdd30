import { type CsvOptions, withoutFormula } from "../../files/csv-text.js";
import { formatCsv } from "./format-csv.js";
import { type Column, formatTable, tableFits } from "./format-table.js";
import { formatVertical } from "./format-vertical.js";

/** Text formats of query rows. */
export type RowsFormat = "table" | "vertical" | "csv";

/**
 * Formats the rows of a query. The default is `table` if it fits the width, else `vertical`.
 *
 * @param rows objects with the same keys in the same order
 * @param width line width in cells
 * @param csv how CSV is written
 */
export function formatRows(
  rows: readonly Record<string, unknown>[],
  width: number,
  format?: RowsFormat,
  { escapeFormulas = false }: CsvOptions = {},
): string {
  const [first] = rows;
  if (first === undefined) return "";
  const headers = Object.keys(first);
  if (format === "csv") {
    const kept = escapeFormulas ? withoutFormula : (value: unknown) => value;
    return formatCsv(
      headers.map((header) => kept(header) as string),
      rows.map((row) => Object.values(row).map((value) => cellText(kept(value)))),
    );
  }
  const cells = rows.map((row) => Object.values(row).map(cellText));
  const columns = headers.map((header): Column => {
    const numeric = rows.every((row) => row[header] === null || /number|bigint/.test(typeof row[header]));
    return { header, grow: !numeric, align: numeric ? "right" : "left" };
  });
  const asTable = format === "table" || (format === undefined && tableFits(columns, cells, width));
  return asTable ? formatTable(columns, cells, width) : formatVertical(headers, cells, width);
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value, plainBigInts) : String(value);
}

function plainBigInts(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
