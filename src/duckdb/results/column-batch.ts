/** Fixed-width column types; `timestamp` is microseconds since the epoch, `date` days. */
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

/** Type of a column, in terms of the Arrow columnar format. */
export type ColumnType =
  | { readonly kind: FixedKind | "bool" | "text" | "bytes" }
  | { readonly kind: "list"; readonly item: ColumnType }
  | { readonly kind: "array"; readonly item: ColumnType; readonly size: number }
  | {
      readonly kind: "struct";
      readonly fields: readonly { readonly name: string; readonly type: ColumnType }[];
    };

/** Arrays of fixed-width values. */
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

/** A column in Arrow's layout: buffers and child columns. */
export interface Column {
  readonly type: ColumnType;
  readonly length: number;
  readonly nullCount: number;
  /** Validity bitmap, set for non-null values; absent if there are no nulls. */
  readonly validity?: Uint8Array;
  /** Fixed-width values; bits for `bool`, UTF-8 for `text`. */
  readonly values?: FixedArray;
  /** Offsets of each text, byte string or list. */
  readonly offsets?: Int32Array;
  readonly children?: readonly Column[];
}

/** Rows of a result, column by column. */
export interface ColumnBatch {
  readonly names: readonly string[];
  readonly length: number;
  readonly columns: readonly Column[];
}

/** A type as the engine describes it. */
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
 * Maps a type of the engine to a column type. 128-bit integers become 64-bit (a larger value is an error), DECIMAL becomes a
 * double; types without counterpart (INTERVAL, UUID, ENUM, MAP, …) become text.
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
