import type { DuckDBVector } from "@duckdb/node-api";
import { SqlError } from "../../contract/errors.js";
import type { Column, ColumnType, FixedArray, FixedKind } from "./column-batch.js";
import { CONVERSION_TURN, convertInTurns, TURN_ROWS } from "./conversion-turn.js";
import { type EngineInstant, instantMicros } from "./instants.js";
import { isSet, isText, memoryOf, textAt, type VectorMemory, validityBits } from "./memory-limit.js";

/** Public fields of the engine's value objects. */
interface EngineValue extends EngineInstant {
  readonly days: number;
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

/**
 * Copies a result vector to a column; undefined gives an empty column. The event loop has its turns meanwhile.
 * @throws SqlError `sql_overflow`
 */
export async function columnOfVector(type: ColumnType, vector: DuckDBVector | undefined): Promise<Column> {
  if (vector === undefined) return columnOfRows(type, undefined, new Int32Array(0));
  if (CONVERSION_TURN.isOver()) await CONVERSION_TURN.next();
  const memory = memoryOf(vector);
  return copied(type, memory, vector.itemCount) ?? columnOfRows(type, memory, everyRow(vector.itemCount));
}

function everyRow(count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => i);
}

/** Copies memory that has Arrow's layout already; undefined if it has another. */
function copied(type: ColumnType, memory: VectorMemory, length: number): Column | undefined {
  if (memory.validity === undefined || memory.validity.offset !== 0) return undefined;
  if (type.kind === "array") {
    const { childData } = memory;
    const child = childData && copied(type.item, memoryOf(childData), length * type.size);
    return child && { type, length, ...validityOf(memory, length), children: [child] };
  }
  const { items } = memory;
  if (items === undefined || !(type.kind in ARRAYS) || isScaled(memory)) return undefined;
  if (!(items instanceof ARRAYS[type.kind as FixedKind])) return undefined;
  return { type, length, ...validityOf(memory, length), values: items.slice(0, length) };
}

/** Whether timestamps have another unit than microseconds, and need conversion. */
function isScaled(vector: DuckDBVector): boolean {
  return /^TIMESTAMP_(S|MS|NS)$/.test(vector.type.toString());
}

function validityOf(memory: VectorMemory, length: number): { nullCount: number; validity?: Uint8Array } {
  const bits = validityBits(memory);
  return bits === undefined ? { nullCount: 0 } : counted(bits.slice(0, Math.ceil(length / 8)), length);
}

function counted(validity: Uint8Array, length: number): { nullCount: number; validity?: Uint8Array } {
  let valid = 0;
  for (let row = 0; row < length; row++) valid += isSet(validity, row) ? 1 : 0;
  return valid === length ? { nullCount: 0 } : { nullCount: length - valid, validity };
}

const NO_ROW = -1;

/** The values of the given rows in that order; {@link NO_ROW} gives null. */
async function columnOfRows(
  type: ColumnType,
  memory: VectorMemory | undefined,
  rows: Int32Array,
): Promise<Column> {
  const present = presentRows(memory, rows);
  const isNull = (i: number) => present[i] === NO_ROW;
  const validity = new Uint8Array(Math.ceil(rows.length / 8));
  for (let i = 0; i < rows.length; i++) if (!isNull(i)) validity[i >> 3]! |= 1 << (i & 7);
  const base = { type, length: rows.length, ...counted(validity, rows.length) };
  const values = <T>(read: (row: number) => T, none: T) =>
    convertInTurns(present.length, (i) => (present[i] === NO_ROW ? none : read(present[i]!)));
  const item = (row: number) => memory!.getItem(row) as unknown as EngineValue;
  switch (type.kind) {
    case "bool":
      return { ...base, values: bitsOf(await values((row) => (item(row) as unknown) === true, false)) };
    case "text": {
      const read = memory !== undefined && isText(memory) ? (row: number) => textAt(memory, row) : item;
      return {
        ...base,
        ...(await bytesOf(await values((row) => Buffer.from(String(read(row)), "utf8"), EMPTY))),
      };
    }
    case "bytes":
      return { ...base, ...(await bytesOf(await values((row) => item(row).bytes, EMPTY))) };
    case "list": {
      const lengths = await values((row) => memory!.getEntryLength!(row), 0);
      const starts = await values((row) => memory!.getEntryOffset!(row), 0);
      const elements = elementRows(starts, lengths);
      const child = await columnOfRows(type.item, childOf(memory), elements);
      return { ...base, offsets: offsetsOf(lengths), children: [child] };
    }
    case "array": {
      const elements = Int32Array.from({ length: rows.length * type.size }, (_, i) => {
        const row = present[Math.floor(i / type.size)]!;
        return row === NO_ROW ? NO_ROW : row * type.size + (i % type.size);
      });
      return { ...base, children: [await columnOfRows(type.item, childOf(memory), elements)] };
    }
    case "struct": {
      const { entryVectors } = memory ?? {};
      const children: Column[] = [];
      for (const [i, { type: part }] of type.fields.entries())
        children.push(await columnOfRows(part, entryVectors && memoryOf(entryVectors[i]!), present));
      return { ...base, children };
    }
    default: {
      const { kind } = type;
      return { ...base, values: fixedOf(kind, await values<unknown>(item, null)) };
    }
  }
}

const EMPTY = new Uint8Array(0);

/** The rows, with {@link NO_ROW} for null values. */
function presentRows(memory: VectorMemory | undefined, rows: Int32Array): Int32Array {
  const bits = memory && validityBits(memory);
  if (bits === undefined) return rows;
  return rows.map((row) => (row !== NO_ROW && isSet(bits, row) ? row : NO_ROW));
}

function childOf(memory: VectorMemory | undefined): VectorMemory | undefined {
  return memory?.childData && memoryOf(memory.childData);
}

function elementRows(starts: readonly number[], lengths: readonly number[]): Int32Array {
  const rows = new Int32Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const [i, start] of starts.entries()) {
    for (let j = 0; j < lengths[i]!; j++) rows[at++] = start + j;
  }
  return rows;
}

function bitsOf(values: readonly boolean[]): Uint8Array {
  const bits = new Uint8Array(Math.ceil(values.length / 8));
  for (let i = 0; i < values.length; i++) if (values[i]) bits[i >> 3]! |= 1 << (i & 7);
  return bits;
}

async function bytesOf(parts: readonly Uint8Array[]) {
  const offsets = offsetsOf(parts.map(({ length }) => length));
  const values = new Uint8Array(offsets.at(-1)!);
  for (const [i, part] of parts.entries()) {
    if (i % TURN_ROWS === 0 && CONVERSION_TURN.isOver()) await CONVERSION_TURN.next();
    values.set(part, offsets[i]);
  }
  return { offsets, values };
}

function offsetsOf(lengths: readonly number[]): Int32Array {
  const offsets = new Int32Array(lengths.length + 1);
  for (let i = 0; i < lengths.length; i++) offsets[i + 1] = offsets[i]! + lengths[i]!;
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
  if (kind === "timestamp" || kind === "timestamptz") return instantMicros(value as EngineValue);
  if (kind === "float64") return Number(typeof value === "object" ? String(value) : value);
  if (kind === "int64" || kind === "uint64") return inRange(kind, value as bigint);
  return value as number;
}

function inRange(kind: "int64" | "uint64", value: bigint): bigint {
  const wrapped = kind === "int64" ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value);
  if (wrapped === value) return value;
  throw new SqlError("sql_overflow", `${value} does not fit into 64 bits`, {
    value,
    remedy: "cast the column to DOUBLE or VARCHAR in the query",
  });
}
