import type { SqlValue } from "../duckdb/database.js";
import { quoteName } from "../duckdb/quote-sql.js";

/** SQL types of a slice's Parquet files. */
export type ColumnType = "VARCHAR" | "BIGINT" | "INTEGER" | "DOUBLE" | "BOOLEAN" | "VARCHAR[]";

/** A column of a slice's table: name, type, and how to compute its value from an item. */
export interface Column<T> {
  readonly name: string;
  readonly type: ColumnType;
  /** The column's value in an item; null if it has none. */
  readonly of: (item: T) => SqlValue;
  readonly description?: string;
}

/** A table row as DuckDB returns it. */
export type TableRow = Readonly<Record<string, unknown>>;

/** Column definitions for CREATE TABLE. Names are constants of this library, never input. */
export function columnsSql(columns: readonly Pick<Column<never>, "name" | "type">[]): string {
  return columns.map(({ name, type }) => `${quoteName(name)} ${type}`).join(", ");
}

/** Column names for SELECT, each quoted. */
export function columnNames(columns: readonly Pick<Column<never>, "name">[]): string {
  return columns.map(({ name }) => quoteName(name)).join(", ");
}

const FIELD_TYPES = {
  VARCHAR: "string",
  BIGINT: "integer",
  INTEGER: "integer",
  DOUBLE: "number",
  BOOLEAN: "boolean",
  "VARCHAR[]": "array",
} as const satisfies Record<ColumnType, string>;

/** The columns as fields of a Frictionless Table Schema. */
export function tableFields<T>(
  columns: readonly Column<T>[],
): { name: string; type: (typeof FIELD_TYPES)[ColumnType]; description?: string }[] {
  return columns.map(({ name, type, description }) => ({
    name,
    type: FIELD_TYPES[type],
    description,
  }));
}
