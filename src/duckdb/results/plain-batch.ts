import type { DuckDBVector } from "@duckdb/node-api";
import { nextTurn } from "../../next-turn.js";
import { convertInTurns } from "./conversion-turn.js";
import { isSet, memoryOf, type VectorMemory, validityBits } from "./memory-limit.js";
import type { ResultChunk } from "./result-chunk.js";
import { columnReader } from "./result-rows.js";
import { setColumn } from "./set-column.js";

/** Values of a column: numbers without nulls, vectors of numbers, or anything. */
type PlainColumn =
  | { readonly numbers: Float32Array | Float64Array | Int32Array }
  | {
      readonly vectors: Float32Array;
      /** Numbers of a vector. */
      readonly width: number;
      /** Bits of the rows that are not null; absent if all are. */
      readonly present?: Uint8Array | undefined;
    }
  | { readonly values: readonly unknown[] };

/** Rows of a result by column, as they pass between processes. */
export interface PlainBatch {
  readonly names: readonly string[];
  /** Types of the columns as the engine names them. */
  readonly types: readonly string[];
  readonly length: number;
  readonly columns: readonly PlainColumn[];
}

/** Values of rows that are made before others get their turn. */
const TURN_VALUES = 131_072;

/** Values of a batch, which another process reads in one turn: an object takes it longer than a number. */
const BATCH_VALUES = 32_768;

/**
 * Copies a chunk of a result, in turns of the event loop, as batches that are the smaller the longer its lists are; no chunk gives one
 * batch without rows.
 */
export async function* plainBatches({
  names,
  types,
  chunk,
}: ResultChunk): AsyncGenerator<PlainBatch, void, void> {
  const named = { names, types: types.map(String) };
  if (chunk === undefined) {
    yield { ...named, length: 0, columns: names.map(() => ({ values: [] })) };
    return;
  }
  const vectors = names.map((_, i) => chunk.getColumnVector(i));
  const values = vectors.reduce((sum, vector) => sum + valuesOf(vector), 0);
  const step = Math.max(1, Math.floor((chunk.rowCount * BATCH_VALUES) / Math.max(BATCH_VALUES, values)));
  for (let start = 0; start < chunk.rowCount; start += step) {
    const end = Math.min(start + step, chunk.rowCount);
    const columns: PlainColumn[] = [];
    for (const vector of vectors) columns.push(await plainColumn(vector, start, end));
    yield { ...named, length: end - start, columns };
  }
}

/** Values of a vector: of lists and structs their elements, too. Those of vectors of numbers are sent as one. */
function valuesOf(vector: DuckDBVector): number {
  const memory = memoryOf(vector);
  if (vectorNumbers(memory) !== undefined) return vector.itemCount;
  const { childData, listVector, structVector, entryVectors = [] } = memory;
  const parts = [childData, listVector, structVector, ...entryVectors].filter((part) => part !== undefined);
  return vector.itemCount + parts.reduce((sum, part) => sum + valuesOf(part), 0);
}

/** The numbers of FLOAT[n] vectors, if none of them is null. */
function vectorNumbers(memory: VectorMemory): Float32Array | undefined {
  const numbers = /^FLOAT\[\d+\]$/.test(memory.type.toString()) ? memoryOf(memory.childData!) : undefined;
  if (!(numbers?.items instanceof Float32Array) || validityBits(numbers) !== undefined) return undefined;
  return numbers.items;
}

/** The rows of a batch as objects of plain values; see `Database.rows`. */
export function plainRows(
  { names, length, columns }: PlainBatch,
  start = 0,
  end = length,
): Record<string, unknown>[] {
  const rows = Array.from({ length: end - start }, (): Record<string, unknown> => ({}));
  for (const [i, column] of columns.entries()) {
    const read = readerOf(column);
    setColumn(rows, names[i]!, (n) => read(start + n));
  }
  return rows;
}

/** The rows of a batch in pieces, the smaller the wider they are: a batch of vectors takes a while. */
export async function* pieces(batch: PlainBatch): AsyncGenerator<Record<string, unknown>[], void, void> {
  const width = batch.columns.reduce((sum, column) => sum + widthOf(column), 0);
  const step = Math.max(1, Math.floor(TURN_VALUES / Math.max(1, width)));
  for (let start = 0; start < batch.length; start += step) {
    yield plainRows(batch, start, Math.min(start + step, batch.length));
    await nextTurn();
  }
}

/** Values of a row in a column: the first one's, of lists. */
function widthOf(column: PlainColumn): number {
  if ("vectors" in column) return column.width;
  const first = "values" in column ? column.values[0] : undefined;
  return Array.isArray(first) ? Math.max(1, first.length) : 1;
}

async function plainColumn(vector: DuckDBVector, start: number, end: number): Promise<PlainColumn> {
  const memory = memoryOf(vector);
  const bits = validityBits(memory);
  const { items } = memory;
  if (/^(?:INTEGER|FLOAT|DOUBLE)$/.test(memory.type.toString()) && bits === undefined && items !== undefined)
    return { numbers: items.slice(start, end) as Float64Array };
  const numbers = vectorNumbers(memory);
  if (numbers !== undefined) {
    const width = memory.type.length!;
    const vectors = numbers.slice(start * width, end * width);
    return { vectors, width, present: bits && bitsOf(bits, start, end) };
  }
  const read = columnReader(vector);
  return { values: await convertInTurns(end - start, (n) => read(start + n)) };
}

/** The bits of rows, from the first bit on. */
function bitsOf(bits: Uint8Array, start: number, end: number): Uint8Array {
  const some = new Uint8Array(Math.ceil((end - start) / 8));
  for (let row = start; row < end; row++)
    if (isSet(bits, row)) some[(row - start) >> 3]! |= 1 << ((row - start) & 7);
  return some;
}

function readerOf(column: PlainColumn): (row: number) => unknown {
  if ("values" in column) return (row) => column.values[row];
  if ("numbers" in column) return (row) => column.numbers[row];
  const { vectors, width, present } = column;
  return (row) =>
    present !== undefined && !isSet(present, row)
      ? null
      : Array.from(vectors.subarray(row * width, (row + 1) * width));
}
