import { SqlError } from "../../contract/errors.js";
import { shown } from "../../contract/shown-value.js";
import type { SqlValue } from "../../duckdb/database.js";

/** A value with its type as the server names it. */
export interface TypedValue {
  readonly type: string;
  readonly value: unknown;
}

/**
 * The type of a parameter's value; undefined for null, which has none.
 * @throws SqlError `sql_params` for what the server has no value for
 */
export function typedValue(value: SqlValue, key: string): TypedValue | undefined {
  if (value === null) return undefined;
  if (!Array.isArray(value)) return { type: scalarType(value, key), value };
  const items = value as readonly SqlValue[];
  const types = new Set(items.filter((item) => item !== null).map((item) => scalarType(item, key)));
  if (types.has("Float64")) types.delete("Int64");
  const [type = "String", ...more] = types;
  if (more.length > 0) throw wrong(value, key);
  return { type: `Array(${items.includes(null) ? `Nullable(${type})` : type})`, value };
}

function scalarType(value: SqlValue, key: string): string {
  switch (typeof value) {
    case "string":
      return "String";
    case "boolean":
      return "Bool";
    case "bigint":
      return value >= -(2n ** 63n) && value < 2n ** 63n ? "Int64" : "Int128";
    case "number":
      return Number.isSafeInteger(value) ? "Int64" : "Float64";
    default:
      throw wrong(value, key);
  }
}

function wrong(value: unknown, key: string): SqlError {
  return new SqlError("sql_params", `Parameter ${key} is ${shown(value)}, which a query cannot take`, {
    value,
    remedy: "give null, a boolean, number, bigint or string, or an array of one of these",
  });
}
