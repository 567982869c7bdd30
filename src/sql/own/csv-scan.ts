import { stat } from "node:fs/promises";
import type { Database } from "../../duckdb/database.js";
import { quoteName, quoteText } from "../../duckdb/quote-sql.js";
import { SQL_DEFAULTS } from "../defaults.js";
import { type CsvHead, csvHead } from "./csv-head.js";
import type { TableFormat } from "./own-tables.js";

/** A CSV file that is to be a table. */
export interface CsvFile {
  readonly path: string;
  readonly format: TableFormat;
  readonly text: readonly string[] | true;
}

/** What the engine finds in a file. */
interface Found {
  readonly Columns: readonly { readonly name: string; readonly type: string }[];
  readonly HasHeader: boolean;
  readonly DateFormat: string | null;
  readonly TimestampFormat: string | null;
}

/**
 * Returns the query that reads a CSV file. Its lines are as its first one: the engine's own guess leaves out lines until the others fit.
 * The columns and their types are fixed here. An empty field is NULL; a quoted one is the empty text, and NULL in a column of another type.
 * @param at the path as a literal of SQL
 * @throws DatabaseError with the line that does not fit
 */
export async function csvScan(db: Database, at: string, file: CsvFile): Promise<string> {
  const head = await csvHead(file.path, file.format === "tsv" ? "\t" : undefined);
  const form = formOf(head);
  const options = [...form, ...textOptions(file.text), ...(await sampleOptions(file.path))];
  const find = async (quotedNulls: boolean) => {
    const sql = `SELECT * FROM sniff_csv(${[at, ...options, `allow_quoted_nulls = ${quotedNulls}`].join(", ")})`;
    const [found] = await db.rows<Record<string, unknown>>(sql);
    return found as unknown as Found;
  };
  let found: Found;
  try {
    found = await find(true);
  } catch (error) {
    await checkLines(db, at, form, head);
    throw error;
  }
  // A column in which a quoted empty field is NULL is read as text, and converted.
  const asText = (await find(false)).Columns.map(({ type }, i) => type !== found.Columns[i]!.type);
  const formats = [
    ...(found.DateFormat === null ? [] : [`dateformat = ${quoteText(found.DateFormat)}`]),
    ...(found.TimestampFormat === null ? [] : [`timestampformat = ${quoteText(found.TimestampFormat)}`]),
  ];
  const types = found.Columns.map(({ type }, i) => (asText[i] ? "VARCHAR" : type));
  const columns = found.Columns.map(({ name }, i) => `${quoteName(name)}: ${quoteText(types[i]!)}`);
  const read = [
    at,
    ...form,
    ...formats,
    "auto_detect = false",
    "allow_quoted_nulls = false",
    `header = ${found.HasHeader}`,
    `columns = {${columns.join(", ")}}`,
  ];
  const values = found.Columns.map(({ name, type }, i) =>
    asText[i] ? `${converted(quoteName(name), type, found)} AS ${quoteName(name)}` : quoteName(name),
  );
  return `SELECT ${values.join(", ")} FROM read_csv(${read.join(", ")})`;
}

function formOf({ skip, delimiter }: CsvHead): readonly string[] {
  return [
    "hive_partitioning = false",
    // Quotes are as RFC 4180 has them: what is guessed from few lines may take apostrophes for them, and a # for a remark.
    `quote = '"'`,
    `escape = '"'`,
    "comment = ''",
    `delim = ${quoteText(delimiter)}`,
    `skip = ${skip}`,
    "null_padding = false",
    "strict_mode = true",
  ];
}

function textOptions(text: CsvFile["text"]): readonly string[] {
  if (text === true) return ["all_varchar = true"];
  if (text.length === 0) return [];
  return [`types = {${text.map((column) => `${quoteName(column)}: 'VARCHAR'`).join(", ")}}`];
}

/** Types are found in the whole of a file that is not large: the first row that is another may be the last. */
export async function sampleOptions(path: string): Promise<readonly string[]> {
  const { size } = await stat(path);
  const bytes = /\.gz$/i.test(path) ? size * SQL_DEFAULTS.compressedRatio : size;
  return bytes <= SQL_DEFAULTS.wholeFileBytes ? ["sample_size = -1"] : [];
}

/** Reads all lines as text: the engine's guess fails without naming one. @throws DatabaseError with the line */
async function checkLines(db: Database, at: string, form: readonly string[], { cells }: CsvHead) {
  const columns = Array.from({ length: cells }, (_, i) => `c${i}: 'VARCHAR'`);
  const options = [at, ...form, "auto_detect = false", "header = false", `columns = {${columns.join(", ")}}`];
  await db.rows(`SELECT count(*) FROM read_csv(${options.join(", ")})`);
}

function converted(name: string, type: string, { DateFormat, TimestampFormat }: Found): string {
  const format = type === "DATE" ? DateFormat : type.startsWith("TIMESTAMP") ? TimestampFormat : null;
  const value = `nullif(${name}, '')`;
  return `CAST(${format === null ? value : `strptime(${value}, ${quoteText(format)})`} AS ${type})`;
}
