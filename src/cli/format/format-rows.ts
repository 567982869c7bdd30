import { cellText } from "../../contract/cell-text.js";
import { type Column, formatTable, tableFits } from "./format-table.js";
import { formatVertical } from "./format-vertical.js";

/** Formats of query rows for people. */
export type RowsFormat = "table" | "vertical";

/**
 * Formats the rows of a query. The default is `table` if it fits the width, else `vertical`.
 *
 * @param rows objects with the same keys in the same order
 * @param width line width in cells
 */
export function formatRows(
  rows: readonly Record<string, unknown>[],
  width: number,
  format?: RowsFormat,
): string {
  const [first] = rows;
  if (first === undefined) return "";
  const headers = Object.keys(first);
  const cells = rows.map((row) => Object.values(row).map(cellText));
  const columns = headers.map((header): Column => {
    const numeric = rows.every((row) => row[header] === null || /number|bigint/.test(typeof row[header]));
    return { header, grow: !numeric, align: numeric ? "right" : "left" };
  });
  const asTable = format === "table" || (format === undefined && tableFits(columns, cells, width));
  return asTable ? formatTable(columns, cells, width) : formatVertical(headers, cells, width);
}
