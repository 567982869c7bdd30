import type { DuckDBListType, DuckDBPreparedStatement } from "@duckdb/node-api";
import { DatabaseError } from "../contract/errors.js";
import { shown } from "../contract/shown-value.js";
import type { SqlParams, SqlValue } from "./database.js";

/** Types of list parameters. */
export interface ListTypes {
  readonly integers: DuckDBListType;
  readonly longs: DuckDBListType;
  readonly doubles: DuckDBListType;
  readonly texts: DuckDBListType;
  readonly booleans: DuckDBListType;
}

/** Binds the parameters of a statement. @throws DatabaseError `sql_params` for a missing or an extra one */
export function bindAll(
  statement: DuckDBPreparedStatement,
  params: SqlParams,
  sql: string,
  lists: ListTypes,
): void {
  const count = statement.parameterCount;
  const names = Array.from({ length: count }, (_, i) => statement.parameterName(i + 1));
  const values = new Map(Object.entries(params).map(([key, value]) => [positionOf(params, key), value]));
  const missing = names.filter((name) => !values.has(name));
  const extra = [...values.keys()].filter((key) => !names.includes(key));
  if (missing.length > 0 || extra.length > 0) {
    const text = (keys: readonly string[]) => keys.map((key) => `$${key}`).join(", ");
    const problem = missing.length > 0 ? `has no value for ${text(missing)}` : `does not take ${text(extra)}`;
    throw new DatabaseError("sql_params", `The statement ${problem}`, {
      value: sql,
      remedy: "give a value for each parameter: a list for ? and $1, an object for $name",
    });
  }
  for (const [i, name] of names.entries()) bind(statement, i + 1, values.get(name)!, lists);
}

/** Name of a parameter: `?` and `$1` are numbered from 1. */
function positionOf(params: SqlParams, key: string): string {
  return Array.isArray(params) ? String(Number(key) + 1) : key;
}

function bind(statement: DuckDBPreparedStatement, index: number, value: SqlValue, lists: ListTypes): void {
  if (value === null) statement.bindNull(index);
  else if (typeof value === "string") statement.bindVarchar(index, value);
  else if (typeof value === "boolean") statement.bindBoolean(index, value);
  else if (typeof value === "bigint") statement.bindBigInt(index, inRange(value, index));
  else if (typeof value === "number") {
    if (Number.isSafeInteger(value)) statement.bindBigInt(index, BigInt(value));
    else statement.bindDouble(index, value);
  } else if (value instanceof Uint8Array) statement.bindBlob(index, value);
  else if (!Array.isArray(value)) throw unbindable(value, index);
  else bindList(statement, index, value as readonly SqlValue[], lists);
}

/** A whole number that SQL's BIGINT holds. @throws DatabaseError `sql_params` */
function inRange(value: bigint, index: number): bigint {
  if (BigInt.asIntN(64, value) === value) return value;
  throw new DatabaseError("sql_params", `Parameter ${index} has ${value}, which 64 bits do not hold`, {
    value,
    remedy: "give it as text, and cast it in the query: ?::HUGEINT",
  });
}

function unbindableList(values: readonly unknown[], index: number): DatabaseError {
  const names = (value: unknown) => (typeof value === "object" ? shown(value) : `a ${typeof value}`);
  const kinds = [...new Set(values.filter((value) => value !== null).map(names))];
  return new DatabaseError("sql_params", `Parameter ${index} is a list of ${kinds.join(" and ")}`, {
    value: values,
    remedy: "give a list whose values are booleans, numbers or strings, all of one of them, or null",
  });
}

function unbindable(value: unknown, index: number): DatabaseError {
  return new DatabaseError(
    "sql_params",
    `Parameter ${index} is ${shown(value)}, which SQL has no value for`,
    {
      value,
      remedy:
        value instanceof Date
          ? "give an instant as text: date.toISOString(), in SQL ?::TIMESTAMPTZ"
          : "give null, a boolean, number, bigint, string or Uint8Array, or an array of booleans, of numbers or of strings",
    },
  );
}

/** Binds a list as what all its values are: the package would take the type of the first one, a NULL too, for that of all. */
function bindList(
  statement: DuckDBPreparedStatement,
  index: number,
  values: readonly SqlValue[],
  { integers, longs, doubles, texts, booleans }: ListTypes,
): void {
  const known = values.filter((value) => value !== null);
  const isWhole = (value: SqlValue) => typeof value === "bigint" || Number.isSafeInteger(value);
  if (known.every((value) => typeof value === "string"))
    statement.bindList(index, values as (string | null)[], texts);
  else if (known.every((value) => typeof value === "boolean"))
    statement.bindList(index, values as (boolean | null)[], booleans);
  else if (known.every((value) => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31))
    statement.bindList(index, values as (number | null)[], integers);
  else if (known.every(isWhole))
    statement.bindList(
      index,
      values.map((value) => (value === null ? null : inRange(BigInt(value as number | bigint), index))),
      longs,
    );
  else if (known.every((value) => typeof value === "number"))
    statement.bindList(index, values as (number | null)[], doubles);
  else throw unbindableList(values, index);
}
