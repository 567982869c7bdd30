import type { RowSet } from "../../contract/lake/row-set.js";
import type { Database } from "../../duckdb/database.js";

/** Rows that follow each other. */
export interface RowRange {
  readonly first: number;
  readonly count: number;
}

/** The records of a generation's newest segment, as its row store holds them. */
export interface WrittenRecords {
  /** Path of the row store; undefined where no segment was written, since nothing came. */
  readonly path: string | undefined;
  /** Row of the first record. */
  readonly first: number;
  readonly count: number;
  readonly vectors: VectorPlaces;
  /** The segments before it, which stay. */
  readonly segments: readonly { readonly name: string; readonly records: number }[];
  /**
   * Rows of whole segments that the generation which is extended has, and this one has not. All other numbers of its rows are counted
   * without them.
   */
  readonly dropped: readonly RowRange[];
  /** Which rows before the first one are still shown. */
  readonly staying: RowSet;
  /** The row that each record had in the generation that is extended, or would have had after it; absent where none had another. */
  readonly former?: Int32Array | undefined;
}

/** Where the vectors of consecutive records are: number of the slice in the generation, and position in its file; -1 without one. */
export interface VectorPlaces {
  readonly slices: Int32Array;
  readonly positions: Int32Array;
}

/** Reads where the vectors of the database's records are, from row `first` on. @throws DatabaseError; the signal's reason */
export async function vectorPlaces(
  db: Database,
  first: number,
  count: number,
  signal?: AbortSignal,
): Promise<VectorPlaces> {
  const slices = new Int32Array(count).fill(-1);
  const positions = new Int32Array(count).fill(-1);
  const sql = `SELECT "row", slice, vector_row FROM records WHERE "row" >= ? AND vector_row IS NOT NULL`;
  for await (const batch of db.stream<{ row: number; slice: number; vector_row: number }>(
    sql,
    [first],
    signal,
  )) {
    for (const { row, slice, vector_row } of batch) {
      slices[row - first] = slice;
      positions[row - first] = vector_row;
    }
  }
  return { slices, positions };
}
