import type { DuckDBVector } from "@duckdb/node-api";
import { MirrorlakeError } from "../contract/errors.js";
import type { Column, ColumnType, FixedArray, FixedKind } from "./column-batch.js";

/** What the vectors of the pinned engine keep, beside their public face: reading values one by one takes ten times as long. */
interface VectorMemory {
  readonly items?: FixedArray;
  readonly validity?: { readonly data: BigUint64Array | null; readonly offset: number };
  readonly childData?: DuckDBVector & VectorMemory;
}

/** Values of the engine that stand for others, as their public fields give them. */
interface EngineValue {
  readonly items: readonly unknown[];
  readonly entries: Readonly<Record<string, unknown>>;
  readonly days: number;
  readonly micros: bigint;
  readonly seconds: bigint;
  readonly millis: bigint;
  readonly nanos: bigint;
  readonly bytes: Uint8Array;
}

const ARRAYS = {
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
  date: Int32Array,
  timestamp: BigInt64Array,
  timestamptz: BigInt64Array,
} as const satisfies Record<FixedKind, unknown>;

/** The memory of a vector of FLOAT[n], to be written in place: `n` numbers a row. */
export function floatsOf(vector: DuckDBVector): Float32Array {
  return (vector as DuckDBVector & VectorMemory).childData!.items as Float32Array;
}

/** Copies a vector of a result into a column; without a vector, the column is empty. @throws MirrorlakeError `sql_overflow` */
export function columnOfVector(type: ColumnType, vector: DuckDBVector | undefined): Column {
  if (vector === undefined) return columnOfValues(type, []);
  return copied(type, vector, vector.itemCount) ?? columnOfValues(type, vector.toArray());
}

/** Copies memory as it is, where the engine has it in Arrow's layout. */
function copied(type: ColumnType, vector: DuckDBVector & VectorMemory, length: number): Column | undefined {
  const valid = vector.validity;
  if (valid === undefined || valid.offset !== 0) return undefined;
  if (type.kind === "array") {
    const { childData } = vector;
    const child = childData && copied(type.item, childData, length * type.size);
    return child && { type, length, ...validityOf(valid.data, length), children: [child] };
  }
  const { items } = vector;
  if (items === undefined || !(type.kind in ARRAYS) || isScaled(vector)) return undefined;
  if (!(items instanceof ARRAYS[type.kind as FixedKind])) return undefined;
  return { type, length, ...validityOf(valid.data, length), values: items.slice(0, length) };
}

/** Timestamps of another unit than microseconds are converted one by one. */
function isScaled(vector: DuckDBVector): boolean {
  return /^TIMESTAMP_(S|MS|NS)$/.test(vector.type.toString());
}

function validityOf(
  words: BigUint64Array | null,
  length: number,
): { nullCount: number; validity?: Uint8Array } {
  if (words === null) return { nullCount: 0 };
  const validity = new Uint8Array(words.buffer, words.byteOffset, Math.ceil(length / 8)).slice();
  let valid = 0;
  for (let i = 0; i < length; i++) valid += (validity[i >> 3]! >> (i & 7)) & 1;
  return valid === length ? { nullCount: 0 } : { nullCount: length - valid, validity };
}

function columnOfValues(type: ColumnType, values: readonly unknown[]): Column {
  const base = { type, length: values.length, ...nullsOf(values) };
  switch (type.kind) {
    case "bool":
      return { ...base, values: bitsOf(values, (value) => value === true) };
    case "text":
      return { ...base, ...bytesOf(values, (value) => Buffer.from(String(value), "utf8")) };
    case "bytes":
      return { ...base, ...bytesOf(values, (value) => (value as EngineValue).bytes) };
    case "list": {
      const lists = values.map((value) => (value === null ? [] : (value as EngineValue).items));
      return { ...base, offsets: offsetsOf(lists), children: [columnOfValues(type.item, lists.flat(1))] };
    }
    case "array": {
      const none = new Array(type.size).fill(null);
      const items = values.flatMap((value) => (value === null ? none : (value as EngineValue).items));
      return { ...base, children: [columnOfValues(type.item, items)] };
    }
    case "struct":
      return {
        ...base,
        children: type.fields.map(({ name, type: part }) =>
          columnOfValues(
            part,
            values.map((value) => (value === null ? null : (value as EngineValue).entries[name])),
          ),
        ),
      };
    default:
      return { ...base, values: fixedOf(type.kind, values) };
  }
}

function nullsOf(values: readonly unknown[]): { nullCount: number; validity?: Uint8Array } {
  const nullCount = values.reduce<number>((count, value) => count + (value === null ? 1 : 0), 0);
  return nullCount === 0 ? { nullCount } : { nullCount, validity: bitsOf(values, (value) => value !== null) };
}

function bitsOf(values: readonly unknown[], isSet: (value: unknown) => boolean): Uint8Array {
  const bits = new Uint8Array(Math.ceil(values.length / 8));
  for (let i = 0; i < values.length; i++) if (isSet(values[i])) bits[i >> 3]! |= 1 << (i & 7);
  return bits;
}

function bytesOf(values: readonly unknown[], encode: (value: unknown) => Uint8Array) {
  const parts = values.map((value) => (value === null ? new Uint8Array(0) : encode(value)));
  return { offsets: offsetsOf(parts), values: new Uint8Array(Buffer.concat(parts)) };
}

function offsetsOf(parts: readonly { readonly length: number }[]): Int32Array {
  const offsets = new Int32Array(parts.length + 1);
  for (let i = 0; i < parts.length; i++) offsets[i + 1] = offsets[i]! + parts[i]!.length;
  return offsets;
}

function fixedOf(kind: FixedKind, values: readonly unknown[]): FixedArray {
  const array = new ARRAYS[kind](values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value !== null) array[i] = fixed(kind, value) as never;
  }
  return array;
}

function fixed(kind: FixedKind, value: unknown): number | bigint {
  if (kind === "date") return (value as EngineValue).days;
  if (kind === "timestamp" || kind === "timestamptz") return micros(value as EngineValue);
  if (kind === "float64") return Number(typeof value === "object" ? String(value) : value);
  if (kind === "int64" || kind === "uint64") return inRange(kind, value as bigint);
  return value as number;
}

function micros({ micros, millis, seconds, nanos }: EngineValue): bigint {
  if (micros !== undefined) return micros;
  if (millis !== undefined) return millis * 1000n;
  return seconds === undefined ? nanos / 1000n : seconds * 1_000_000n;
}

function inRange(kind: "int64" | "uint64", value: bigint): bigint {
  const wrapped = kind === "int64" ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value);
  if (wrapped === value) return value;
  throw new MirrorlakeError("sql_overflow", `${value} does not fit into 64 bits`, {
    value,
    remedy: "cast the column to DOUBLE or VARCHAR in the query",
  });
}
