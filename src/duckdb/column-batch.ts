/** Columns of fixed width, by what they hold; `timestamp` is microseconds since the epoch, `date` days. */
export type FixedKind =
  | "int8"
  | "int16"
  | "int32"
  | "int64"
  | "uint8"
  | "uint16"
  | "uint32"
  | "uint64"
  | "float32"
  | "float64"
  | "date"
  | "timestamp"
  | "timestamptz";

/** What a column holds, in the terms of the Arrow columnar format. */
export type ColumnType =
  | { readonly kind: FixedKind | "bool" | "text" | "bytes" }
  | { readonly kind: "list"; readonly item: ColumnType }
  | { readonly kind: "array"; readonly item: ColumnType; readonly size: number }
  | {
      readonly kind: "struct";
      readonly fields: readonly { readonly name: string; readonly type: ColumnType }[];
    };

/** The arrays that the values of fixed width are in. */
export type FixedArray =
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** Values of one column in the layout of Arrow: buffers, and the columns of its parts. */
export interface Column {
  readonly type: ColumnType;
  readonly length: number;
  readonly nullCount: number;
  /** A bit a value, set where it is not null; absent where none is. */
  readonly validity?: Uint8Array;
  /** Values of fixed width, a bit each for `bool`, UTF-8 for `text`. */
  readonly values?: FixedArray;
  /** Where each text, byte string or list starts and ends. */
  readonly offsets?: Int32Array;
  readonly children?: readonly Column[];
}

/** Rows of a result, column by column. */
export interface ColumnBatch {
  readonly names: readonly string[];
  readonly length: number;
  readonly columns: readonly Column[];
}

/** A type as the engine describes it: its name, and the parts of what is nested. */
export interface EngineType {
  toString(): string;
}

interface NestedType extends EngineType {
  readonly valueType: EngineType;
  readonly length: number;
  readonly entryNames: readonly string[];
  readonly entryTypes: readonly EngineType[];
}

const KINDS: Readonly<Record<string, FixedKind | "bool" | "text" | "bytes">> = {
  BOOLEAN: "bool",
  TINYINT: "int8",
  SMALLINT: "int16",
  INTEGER: "int32",
  BIGINT: "int64",
  HUGEINT: "int64",
  UTINYINT: "uint8",
  USMALLINT: "uint16",
  UINTEGER: "uint32",
  UBIGINT: "uint64",
  UHUGEINT: "uint64",
  FLOAT: "float32",
  DOUBLE: "float64",
  DATE: "date",
  TIMESTAMP: "timestamp",
  TIMESTAMP_S: "timestamp",
  TIMESTAMP_MS: "timestamp",
  TIMESTAMP_NS: "timestamp",
  "TIMESTAMP WITH TIME ZONE": "timestamptz",
  BLOB: "bytes",
};

/**
 * The column type for a type of the engine. Whole numbers of 128 bits become 64 bits (a value beyond them is an error),
 * DECIMAL a double; what has no counterpart (INTERVAL, UUID, ENUM, MAP, …) becomes text.
 */
export function columnType(type: EngineType): ColumnType {
  const name = type.toString();
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (kind !== undefined) return { kind };
  const nested = type as NestedType;
  if (name.endsWith("[]")) return { kind: "list", item: columnType(nested.valueType) };
  if (name.endsWith("]")) return { kind: "array", item: columnType(nested.valueType), size: nested.length };
  if (name.startsWith("STRUCT(")) {
    const fields = nested.entryTypes.map((entry, i) => ({
      name: nested.entryNames[i]!,
      type: columnType(entry),
    }));
    return { kind: "struct", fields };
  }
  return { kind: name.startsWith("DECIMAL(") ? "float64" : "text" };
}
