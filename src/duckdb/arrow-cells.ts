import { DataType, type Field, type RecordBatch, type Table } from "apache-arrow";
import type { Cells } from "./cells.js";
import type { SqlValue } from "./database.js";

type Read = (value: unknown) => SqlValue;
interface ColumnPlan {
  readonly name: string;
  /** Type in SQL. */
  readonly type: string;
  readonly read: Read;
}

const BATCH = 2048;

/** Columns and rows of an Arrow table as an engine's appender takes them. */
export function tableCells(table: Table): { columns: ColumnNames; batches: Iterable<Cells> } {
  const plans = table.schema.fields.map(planOf);
  return {
    columns: plans.map(({ name, type }) => ({ name, type })),
    batches: (function* () {
      for (const batch of table.batches) yield* batchCells(batch, plans);
    })(),
  };
}

type ColumnNames = readonly { readonly name: string; readonly type: string }[];

/** Columns of a schema as an engine's appender takes them. */
export function columnsOfFields(fields: readonly Field[]): ColumnNames {
  return fields.map(planOf).map(({ name, type }) => ({ name, type }));
}

/** The rows of a record batch, at most 2,048 at a time. */
export function cellsOfBatch(batch: RecordBatch): Iterable<Cells> {
  return batchCells(batch, batch.schema.fields.map(planOf));
}

function* batchCells(batch: RecordBatch, plans: readonly ColumnPlan[]): Generator<Cells, void, void> {
  const vectors = plans.map((_, i) => batch.getChildAt(i)!);
  for (let start = 0; start < batch.numRows; start += BATCH) {
    const count = Math.min(BATCH, batch.numRows - start);
    yield Array.from({ length: count }, (_, row) =>
      plans.map(({ read }, i) => {
        const value: unknown = vectors[i]!.get(start + row);
        return value === null || value === undefined ? null : read(value);
      }),
    );
  }
}

const plain: Read = (value) => value as SqlValue;

function planOf({ name, type }: Field): ColumnPlan {
  return { name, ...typePlan(type) };
}

function typePlan(type: DataType): { type: string; read: Read } {
  if (DataType.isDictionary(type)) return typePlan(type.dictionary);
  if (DataType.isBool(type)) return { type: "BOOLEAN", read: plain };
  if (DataType.isInt(type)) return { type: "BIGINT", read: plain };
  if (DataType.isFloat(type)) return { type: "DOUBLE", read: plain };
  if (DataType.isDecimal(type)) return { type: "DOUBLE", read: (value) => decimal(value, type.scale) };
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) return { type: "VARCHAR", read: plain };
  if (DataType.isBinary(type) || DataType.isLargeBinary(type) || DataType.isFixedSizeBinary(type))
    return { type: "BLOB", read: plain };
  // Timestamps and dates are read as milliseconds.
  if (DataType.isTimestamp(type))
    return { type: type.timezone ? "TIMESTAMP WITH TIME ZONE" : "TIMESTAMP", read: milliseconds };
  if (DataType.isDate(type)) return { type: "TIMESTAMP", read: milliseconds };
  if (DataType.isList(type) || DataType.isFixedSizeList(type)) {
    const item = typePlan(type.children[0]!.type);
    if (item.type === "VARCHAR" || item.type === "DOUBLE") {
      const fixed = DataType.isFixedSizeList(type) && item.type === "DOUBLE";
      return {
        type: fixed ? `FLOAT[${type.listSize}]` : `${item.type}[]`,
        read: (value) =>
          [...(value as Iterable<unknown>)].map((each) => (each === null ? null : item.read(each))),
      };
    }
  }
  return { type: "JSON", read: (value) => JSON.stringify(value, (_, each) => jsonValue(each)) };
}

function milliseconds(value: unknown): number {
  return Math.round(Number(value));
}

function decimal(value: unknown, scale: number): number {
  return Number(String(value)) / 10 ** scale;
}

function jsonValue(value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
