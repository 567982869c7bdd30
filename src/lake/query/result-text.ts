import { cellText } from "../../contract/cell-text.js";
import { escapedJson } from "../../contract/whole-json.js";
import { isNumberType } from "../../duckdb/results/number-type.js";
import { type CsvOptions, withoutFormula } from "../../files/csv-text.js";
import { formatCsv } from "../../files/format-csv.js";
import type { ResultColumn, SqlRow } from "./lake-sql.js";

/** Formats that a result is written in: one JSON list, an object a line, or CSV with a header. */
export type ResultFormat = "json" | "jsonl" | "csv";

/** Makes the text of a result, row by row. */
export interface ResultText {
  /** The text of the next row, after that of the beginning. */
  row(row: SqlRow): string;
  /** The text of the end, after that of the beginning where there was no row. */
  end(): string;
  /** The text after that of some rows, where there will be no more because of an error: JSON stays an array without its end. */
  cut(): string;
}

/**
 * The text of a result: in JSON whole numbers have all their digits, bytes are lists; in CSV NULL is an empty field, the empty text `""`.
 * @param columns tells the columns of the result when the first row or the end is there
 * @param csv how CSV is written; columns of numbers have no formulas
 */
export function resultText(
  format: ResultFormat,
  columns: () => readonly ResultColumn[],
  csv: CsvOptions = {},
): ResultText {
  if (format === "csv") return csvText(columns, csv);
  return format === "json"
    ? jsonText()
    : { row: (row) => `${escapedJson(row)}\n`, end: () => "", cut: () => "" };
}

function jsonText(): ResultText {
  let separator = "[";
  return {
    row: (row) => {
      const text = `${separator}${escapedJson(row)}`;
      separator = ",";
      return text;
    },
    end: () => (separator === "[" ? "[]\n" : "]\n"),
    cut: () => "\n",
  };
}

function csvText(columns: () => readonly ResultColumn[], { escapeFormulas = false }: CsvOptions): ResultText {
  let shown: readonly (ResultColumn & { readonly escapes: boolean })[] | undefined;
  const header = () => {
    if (shown !== undefined) return "";
    shown = columns().map((column) => ({ ...column, escapes: escapeFormulas && !isNumberType(column.type) }));
    if (shown.length === 0) return "";
    return formatCsv(shown.map(({ name }) => (escapeFormulas ? withoutFormula(name) : name)));
  };
  const cell = (value: unknown, escapes: boolean) => {
    if (value === null || value === undefined) return undefined;
    return cellText(escapes ? withoutFormula(value) : value);
  };
  return {
    row: (row) => header() + formatCsv(shown!.map(({ name, escapes }) => cell(row[name], escapes))),
    end: header,
    cut: () => "",
  };
}
