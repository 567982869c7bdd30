import type { CsvRecord } from "../readers/csv-parser.js";

/** The columns of a table. */
export interface Header {
  /** Names of the columns; undefined where the first line is a header that can be read as it is. */
  readonly columns: string[] | undefined;
  /** A cell that tells the first line from rows, where it is a header that names a column twice. */
  readonly line: { readonly column: number; readonly text: string } | undefined;
}

const NUMBER = /^[-+]?\d+(?:\.\d+)?$/;
/** Longest name of a column, in characters; and longest one where most of what is below the names are numbers. */
const MAX_NAME = 60;
const MAX_NAME_OF_NUMBERS = 200;
/** Share of the names that may be longer than the others, as those that say in brackets where a field comes from. */
const LONG_NAMES = 0.2;
/** What stands behind the name of a list for one of its members: `style[0]`, `reviews[0].text`. */
const MEMBER_OF_LIST = /(?<=[\p{L}\p{N}_])\[\d*\](?=$|\.)/gu;
/** Share of the rows that have a cell of the first line in its column for that to be a row too, and the fewest such rows. */
const RECURS = 0.02;
const RECURS_ROWS = 2;
/** Most values of a column of labels, and the fewest rows that show that it is one. */
const MAX_LABELS = 12;
const LABEL_ROWS = 40;
/** Share of a column's cells that are numbers for it to be one of numbers. */
const NUMBERS = 0.9;

/**
 * Names the columns of a table whose first line is no header, or one that cannot be read.
 * @param doubts takes what is not sure
 */
export function headerOf(records: readonly CsvRecord[], doubts: string[]): Header {
  const [first, ...others] = records;
  const cells = first?.fields ?? [];
  const rows = others.filter(({ fields }) => fields.length === cells.length).map(({ fields }) => fields);
  if (isHeader(cells, rows)) {
    if (!isRepeated(cells)) return { columns: undefined, line: undefined };
    const column = cells.findIndex((cell, i) => !isNumber(cell) && isOfNumbers(rows, i));
    if (column >= 0) {
      const columns = namedApart(cells);
      doubts.push(
        `columns: the header names a column twice, so they are ${columns.join(", ")} here, and the header line is left out`,
      );
      return { columns, line: { column, text: cells[column]! } };
    }
  }
  doubts.push("columns: the first line does not look like a header; name them, or take `columns` out");
  return { columns: cells.map((_, i) => `column_${i + 1}`), line: undefined };
}

/** Whether cells are names of columns: no numbers, nothing long, nothing of JSON, no sentence alone, nothing that the rows say again. */
function isHeader(cells: readonly string[], rows: readonly (readonly string[])[]): boolean {
  const [next = []] = rows;
  const numbers = next.filter(isNumber).length;
  const longest = numbers * 2 > next.length ? MAX_NAME_OF_NUMBERS : MAX_NAME;
  if (cells.length < 2)
    return cells.every((cell) => cell.length <= longest && !/[.!?…。！？।]$/u.test(cell.trim()));
  const filled = cells.filter((cell) => cell !== "").map((cell) => cell.trim().replace(MEMBER_OF_LIST, ""));
  const longer = filled.filter((cell) => cell.length > longest);
  const areNames =
    filled.every((cell) => !isNumber(cell) && !/[{}[\]。！？]/.test(cell)) &&
    longer.length <= filled.length * LONG_NAMES &&
    longer.every((cell) => cell.length <= MAX_NAME_OF_NUMBERS && !/[.!?] /.test(cell));
  return areNames && !recurs(cells, rows);
}

/**
 * Whether the first line is one of the rows by its columns of few values (labels): more of its cells are such a value than are none.
 * Whole headers, of files that were joined, do not count.
 */
function recurs(cells: readonly string[], rows: readonly (readonly string[])[]): boolean {
  const own = rows.filter((row) => row.some((cell, i) => cell !== cells[i]));
  const least = Math.max(RECURS_ROWS, own.length * RECURS);
  let same = 0;
  let other = 0;
  for (const [i, cell] of cells.entries()) {
    if (cell.trim() === "") continue;
    const equal = own.filter((row) => row[i] === cell).length;
    if (equal >= least) same += 1;
    else if (equal === 0 && isOfNumbers(own, i)) other += 1;
    else if (equal === 0 && own.length >= LABEL_ROWS && new Set(own.map((row) => row[i])).size <= MAX_LABELS)
      other += 1;
  }
  return same > other;
}

function isRepeated(cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell !== "");
  return new Set(filled).size < filled.length;
}

function isOfNumbers(rows: readonly (readonly string[])[], column: number): boolean {
  const numbers = rows.filter((row) => isNumber(row[column]!)).length;
  return rows.length > 0 && numbers >= rows.length * NUMBERS;
}

function isNumber(cell: string): boolean {
  return NUMBER.test(cell.trim());
}

/** Names of columns of which none is another's: `text`, `text_2`. */
function namedApart(cells: readonly string[]): string[] {
  const names: string[] = [];
  for (const [i, cell] of cells.entries()) {
    const plain = cell.trim() === "" ? `column_${i + 1}` : cell;
    let name = plain;
    for (let n = 2; names.includes(name) || (n > 2 && cells.includes(name)); n++) name = `${plain}_${n}`;
    names.push(name);
  }
  return names;
}
