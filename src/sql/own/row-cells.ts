import { SqlError } from "../../contract/errors.js";
import { shown } from "../../contract/shown-value.js";
import type { Cells } from "../../duckdb/cells.js";
import type { SqlValue } from "../../duckdb/database.js";
import { nextTurn } from "../../next-turn.js";

/** A column of a table of rows, with its type in SQL. */
export interface CellColumn {
  readonly name: string;
  readonly type: string;
}

/** Rows of a batch. */
const BATCH = 2048;
/** Rows that are looked at before others get their turn. */
const TURN = 2048;

/** Types in the order of how much they hold: the first that holds all values of a column is its type. */
type Kind =
  | "BOOLEAN"
  | "BIGINT"
  | "DOUBLE"
  | "TIMESTAMP WITH TIME ZONE"
  | "BLOB"
  | "VARCHAR[]"
  | "DOUBLE[]"
  | "JSON"
  | "VARCHAR";

/**
 * Finds the columns of rows, which are the keys of all of them in the order of their first occurrence: whole numbers are BIGINT, others
 * DOUBLE, dates TIMESTAMP WITH TIME ZONE, bytes BLOB, lists of texts VARCHAR[], of numbers DOUBLE[], other objects JSON. Null and
 * undefined are NULL.
 * @throws SqlError `table_invalid` for what is no object, for a column of different types, and for a whole number beyond 64 bits
 */
export async function rowCells(
  table: string,
  given: Iterable<unknown>,
): Promise<{ columns: readonly CellColumn[]; batches: Iterable<Cells> }> {
  const rows: unknown[] = Array.isArray(given) ? given : [];
  const kinds = new Map<string, Kind | undefined>();
  const tooLarge = new Map<string, { readonly row: number; readonly value: bigint }>();
  let i = -1;
  for (const row of given) {
    i++;
    if (rows !== given) rows.push(row);
    if (i % TURN === TURN - 1) await nextTurn();
    if (typeof row !== "object" || row === null || Array.isArray(row))
      throw invalid(`Row ${i} of the table ${table} is ${shown(row)}`, i, "give one object a row");
    for (const [name, value] of Object.entries(row)) {
      const kind = kindOf(value);
      const known = kinds.get(name);
      if (typeof value === "bigint" && BigInt.asIntN(64, value) !== value && !tooLarge.has(name))
        tooLarge.set(name, { row: i, value });
      if (kind === undefined || known === undefined) kinds.set(name, known ?? kind);
      else if (kind !== known) kinds.set(name, both(known, kind) ?? mixed(table, name, i, known, kind));
    }
  }
  if (kinds.size === 0)
    throw invalid(`The table ${table} has no columns`, table, "give at least one row with a field");
  const columns = [...kinds].map(([name, kind = "VARCHAR"]) => ({ name, type: kind }));
  checkNames(table, columns);
  for (const [name, { row, value }] of tooLarge) {
    if (kinds.get(name) !== "BIGINT") continue;
    const message = `The column ${name} of the table ${table} has ${value}, which 64 bits do not hold (row ${row})`;
    throw invalid(message, value, "give the column as text, and cast it in the query: ::HUGEINT");
  }
  return { columns, batches: batchesOf(table, rows as readonly Record<string, unknown>[], columns) };
}

/** @throws SqlError `table_invalid` for a value that has no JSON */
function* batchesOf(
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
  columns: readonly { readonly name: string; readonly type: Kind }[],
): Generator<Cells, void, void> {
  for (let start = 0; start < rows.length; start += BATCH) {
    yield rows
      .slice(start, start + BATCH)
      .map((row, i) =>
        columns.map(({ name, type }) =>
          type === "JSON" ? jsonCell(row[name], table, name, start + i) : cellOf(row[name], type),
        ),
      );
  }
}

/** Column names are not told apart by case in SQL. */
function checkNames(table: string, columns: readonly CellColumn[]): void {
  const seen = new Map<string, string>();
  for (const { name } of columns) {
    const other = seen.get(name.toLowerCase());
    if (other !== undefined)
      throw invalid(
        `The table ${table} has the columns ${other} and ${name}`,
        name,
        "SQL does not tell case apart: rename one",
      );
    if (name === "" || name.includes("\0"))
      throw invalid(`The table ${table} has a column without a usable name`, name, "name every column");
    seen.set(name.toLowerCase(), name);
  }
}

function kindOf(value: unknown): Kind | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "string") return "VARCHAR";
  if (typeof value === "boolean") return "BOOLEAN";
  if (typeof value === "bigint") return "BIGINT";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "BIGINT" : "DOUBLE";
  if (value instanceof Date) return "TIMESTAMP WITH TIME ZONE";
  if (value instanceof Uint8Array) return "BLOB";
  if (value instanceof Float32Array || value instanceof Float64Array) return "DOUBLE[]";
  if (Array.isArray(value) && value.length > 0) {
    if (value.every((item) => typeof item === "string")) return "VARCHAR[]";
    if (value.every((item) => typeof item === "number")) return "DOUBLE[]";
  }
  return "JSON";
}

function both(a: Kind, b: Kind): Kind | undefined {
  const kinds = [a, b];
  if (kinds.every((kind) => kind === "BIGINT" || kind === "DOUBLE")) return "DOUBLE";
  return kinds.every((kind) => kind.endsWith("[]") || kind === "JSON") ? "JSON" : undefined;
}

function mixed(table: string, name: string, row: number, a: Kind, b: Kind): never {
  const message = `The column ${name} of the table ${table} has values of the types ${a} and ${b} (row ${row})`;
  throw invalid(message, row, "make them of one type, such as text");
}

function jsonCell(value: unknown, table: string, column: string, row: number): SqlValue {
  if (value === null || value === undefined) return null;
  try {
    return JSON.stringify(ArrayBuffer.isView(value) ? [...(value as Float64Array)] : value);
  } catch (cause) {
    const message = `The column ${column} of the table ${table} has a value that has no JSON (row ${row})`;
    const remedy = "give plain data: no object that is in itself, no bigint inside another value";
    throw new SqlError("table_invalid", message, { value: row, remedy, cause });
  }
}

function cellOf(value: unknown, type: Kind): SqlValue {
  if (value === null || value === undefined) return null;
  if (type === "TIMESTAMP WITH TIME ZONE")
    return Number.isNaN((value as Date).getTime()) ? null : (value as Date).getTime();
  if (type === "DOUBLE") return Number(value);
  if (type === "DOUBLE[]") return [...(value as Float64Array)];
  return value as SqlValue;
}

function invalid(message: string, value: unknown, remedy: string): SqlError {
  return new SqlError("table_invalid", message, { value, remedy });
}
