/** A type of Arrow. `toString()` names it: `Utf8`, `Int64`, `FixedSizeList[1536]<Float32>`. */
interface DataType {
  readonly typeId: number;
  toString(): string;
}

/** The columns of a table or batch. */
interface Schema {
  readonly fields: readonly { readonly name: string; readonly type: DataType; readonly nullable: boolean }[];
  readonly metadata: Map<string, string>;
}

/** A column. */
interface Vector {
  readonly length: number;
  readonly nullCount: number;
  readonly type: DataType;
  get(index: number): unknown;
  /** The values: a typed array of a column of numbers. */
  toArray(): ArrayLike<unknown>;
  toJSON(): unknown[];
  [Symbol.iterator](): IterableIterator<unknown>;
}

/** A row, with a property for each column. */
type Row = { readonly [column: string]: unknown } & { toJSON(): Record<string, unknown> };

interface Rows {
  readonly schema: Schema;
  readonly numRows: number;
  readonly numCols: number;
  readonly nullCount: number;
  get(index: number): Row | null;
  /** The column of a name. */
  getChild(name: string): Vector | null;
  getChildAt(index: number): Vector | null;
  toArray(): Row[];
  [Symbol.iterator](): IterableIterator<Row>;
}

/** A `RecordBatch` of the package `apache-arrow`, by what is most used of it; `batch as RecordBatch` for all the rest. */
export interface RecordBatch extends Rows {
  slice(begin?: number, end?: number): RecordBatch;
}

/** A `Table` of the package `apache-arrow`, by what is most used of it; `table as Table` for all the rest. */
export interface Table extends Rows {
  readonly batches: readonly RecordBatch[];
  slice(begin?: number, end?: number): Table;
}
