import type { DuckDBVector } from "@duckdb/node-api";
import { nextTurn } from "../../next-turn.js";
import { convertInTurns } from "./conversion-turn.js";
import { isSet, memoryOf, validityBits } from "./memory-limit.js";
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

/** Copies a chunk of a result, in turns of the event loop; undefined gives no rows. */
export async function plainBatch({ names, types, chunk }: ResultChunk): Promise<PlainBatch> {
  const length = chunk?.rowCount ?? 0;
  const columns: PlainColumn[] = [];
  for (const i of names.keys())
    columns.push(chunk === undefined ? { values: [] } : await plainColumn(chunk.getColumnVector(i), length));
  return { names, types: types.map(String), length, columns };
}

/** Values of rows that are made before others get their turn. */
const TURN_VALUES = 131_072;

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

async function plainColumn(vector: DuckDBVector, length: number): Promise<PlainColumn> {
  const memory = memoryOf(vector);
  const type = memory.type.toString();
  const bits = validityBits(memory);
  const { items } = memory;
  if (/^(?:INTEGER|FLOAT|DOUBLE)$/.test(type) && bits === undefined && items !== undefined)
    return { numbers: items.slice(0, length) as Float64Array };
  const numbers = /^FLOAT\[\d+\]$/.test(type) ? memoryOf(memory.childData!) : undefined;
  if (numbers?.items instanceof Float32Array && validityBits(numbers) === undefined) {
    const width = memory.type.length!;
    return { vectors: numbers.items.slice(0, length * width), width, present: bits?.slice(0) };
  }
  return { values: await convertInTurns(length, columnReader(vector)) };
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
