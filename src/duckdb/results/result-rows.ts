import type { DuckDBDataChunk, DuckDBMaterializedResult, DuckDBVector } from "@duckdb/node-api";
import { VECTOR_DIMENSIONS } from "../../contract/service/unified-record.js";
import { CONVERSION_TURN, TURN_ROWS } from "./conversion-turn.js";
import { type EngineInstant, instantMicros, isoFromMicros, isoFromNanos } from "./instants.js";
import { mapObject } from "./map-object.js";
import { isSet, isText, memoryOf, textAt, type VectorMemory, validityBits } from "./memory-limit.js";
import { setColumn } from "./set-column.js";
import { shortestDecimal } from "./shortest-decimal.js";

/** Reads the plain value of a row. */
type Reader = (row: number) => unknown;

/**
 * How values are read: as SQL gives them, or as those who wrote a file mean them. Then a FLOAT is the shortest decimal that it is nearest to,
 * but for those of lists of 1,536, which are vectors; a TIMESTAMP_NS has its nanoseconds.
 */
export type Reading = "plain" | "as_written";

/** Public fields of the engine's value objects. */
interface EngineValue extends EngineInstant {
  readonly days: number;
  readonly bytes: Uint8Array;
  readonly width: number;
  toDouble(): number;
  toString(): string;
}

const NUMBERS = new Set([
  "TINYINT",
  "SMALLINT",
  "INTEGER",
  "UTINYINT",
  "USMALLINT",
  "UINTEGER",
  "FLOAT",
  "DOUBLE",
]);

/** Days of the date `infinity`. */
const INFINITE_DAYS = 2_147_483_647;

const PLAIN: Readonly<Record<string, (value: EngineValue) => unknown>> = {
  "TIMESTAMP WITH TIME ZONE": (value) => isoFromMicros(instantMicros(value), "Z"),
  TIMESTAMP: (value) => isoFromMicros(instantMicros(value), ""),
  TIMESTAMP_S: (value) => isoFromMicros(instantMicros(value), ""),
  TIMESTAMP_MS: (value) => isoFromMicros(instantMicros(value), ""),
  TIMESTAMP_NS: (value) => isoFromMicros(instantMicros(value), ""),
  DATE: (date) => dateText(date),
  BLOB: ({ bytes }) => Uint8Array.from(bytes),
};

/** The rows of a chunk as objects of plain JS values; see `Database.rows`. The event loop has its turns meanwhile. */
export async function rowsOfChunk<T extends Record<string, unknown>>(
  chunk: DuckDBDataChunk,
  names: readonly string[],
  as: Reading = "plain",
): Promise<T[]> {
  const rows = Array.from({ length: chunk.rowCount }, () => ({}) as T);
  for (const [column, name] of names.entries()) {
    if (CONVERSION_TURN.isOver()) await CONVERSION_TURN.next();
    const read = columnReader(chunk.getColumnVector(column), as);
    for (let start = 0; start < rows.length; start += TURN_ROWS) {
      if (CONVERSION_TURN.isOver()) await CONVERSION_TURN.next();
      setColumn(rows, name, read, start, Math.min(start + TURN_ROWS, rows.length));
    }
  }
  return rows;
}

/** All rows of a result that is in memory; see `Database.rows`. */
export async function allRows<T extends Record<string, unknown>>(
  result: DuckDBMaterializedResult,
  names: readonly string[],
): Promise<T[]> {
  const rows: T[] = [];
  for (let i = 0; i < result.chunkCount; i++)
    for (const row of await rowsOfChunk<T>(result.getChunk(i), names)) rows.push(row);
  return rows;
}

/** Reads the values of a vector as plain JS values; see `Database.rows`. */
export function columnReader(vector: DuckDBVector, as: Reading = "plain"): Reader {
  const memory = memoryOf(vector);
  const read = present(memory, as);
  const bits = validityBits(memory);
  return bits === undefined ? read : (row) => (isSet(bits, row) ? read(row) : null);
}

/** Reads non-null values. */
function present(memory: VectorMemory, as: Reading): Reader {
  const { type, items } = memory;
  const name = type.toString();
  if (isText(memory)) return (row) => textAt(memory, row);
  if (items !== undefined && name === "FLOAT" && as === "as_written") {
    return (row) => shortestDecimal(items[row] as number);
  }
  if (items !== undefined && NUMBERS.has(name)) return (row) => items[row];
  if (items !== undefined && (name === "BIGINT" || name === "UBIGINT")) {
    return (row) => safe(items[row] as bigint);
  }
  if (memory.getEntryOffset !== undefined) return listReader(memory, as);
  if (name.endsWith("]")) return arrayReader(memory, type.length!, as);
  if (memory.entryVectors !== undefined) return structReader(memory.entryVectors, type.entryNames!, as);
  if (memory.listVector !== undefined) return mapReader(memoryOf(memory.listVector), as);
  if (memory.structVector !== undefined) return unionReader(memoryOf(memory.structVector), as);
  if (name === "TIMESTAMP_NS" && as === "as_written") {
    return (row) => isoFromNanos((memory.getItem(row) as unknown as EngineValue).nanos);
  }
  const convert = Object.hasOwn(PLAIN, name) ? PLAIN[name] : undefined;
  return (row) => {
    const value = memory.getItem(row);
    if (value === null) return null;
    return convert === undefined ? other(value) : convert(value as unknown as EngineValue);
  };
}

function range(read: Reader, start: number, length: number): unknown[] {
  const values = new Array<unknown>(length);
  for (let i = 0; i < length; i++) values[i] = read(start + i);
  return values;
}

function listReader(memory: VectorMemory, as: Reading): Reader {
  const ofList = elementReader(memory.childData!, as);
  return (row) => {
    const length = memory.getEntryLength!(row);
    return range(ofList(length), memory.getEntryOffset!(row), length);
  };
}

function arrayReader(memory: VectorMemory, length: number, as: Reading): Reader {
  const read = elementReader(memory.childData!, as)(length);
  return (row) => range(read, row * length, length);
}

/** The reader of the elements of a list of a length: the numbers of a vector stay as they are. */
function elementReader(elements: DuckDBVector, as: Reading): (length: number) => Reader {
  const read = columnReader(elements, as);
  if (as === "plain" || memoryOf(elements).type.toString() !== "FLOAT") return () => read;
  const exact = columnReader(elements);
  return (length) => (length === VECTOR_DIMENSIONS ? exact : read);
}

function structReader(vectors: readonly DuckDBVector[], names: readonly string[], as: Reading): Reader {
  const readers = vectors.map((vector) => columnReader(vector, as));
  // The values of ROW(…), (1, 2) and list_zip have no names.
  if (names.every((name) => name === "")) return (row) => readers.map((read) => read(row));
  return (row) => Object.fromEntries(readers.map((read, i) => [names[i]!, read(row)]));
}

function mapReader(list: VectorMemory, as: Reading): Reader {
  const entries = memoryOf(list.childData!).entryVectors!;
  const [key, value] = entries.map((vector) => columnReader(vector, as)) as [Reader, Reader];
  const bits = validityBits(list);
  return (row) => {
    if (bits !== undefined && !isSet(bits, row)) return null;
    const start = list.getEntryOffset!(row);
    const rows = Array.from({ length: list.getEntryLength!(row) }, (_, i) => start + i);
    return mapObject(rows.map((at) => [key(at), value(at)]));
  };
}

function unionReader(struct: VectorMemory, as: Reading): Reader {
  const [tag, ...members] = struct.entryVectors!.map((vector) => columnReader(vector, as));
  return (row) => {
    const member = tag!(row);
    return member === null ? null : members[Number(member)]!(row);
  };
}

function other(value: unknown): unknown {
  if (typeof value === "bigint") return safe(value);
  if (typeof value !== "object" || value === null) return value;
  const { width } = value as EngineValue;
  if (width !== undefined && width <= 15) return (value as EngineValue).toDouble();
  return String(value);
}

function safe(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function dateText(date: EngineValue): string {
  if (Math.abs(date.days) !== INFINITE_DAYS) return String(date);
  return date.days > 0 ? "infinity" : "-infinity";
}
