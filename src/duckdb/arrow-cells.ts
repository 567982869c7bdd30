import type { DataType, Field, RecordBatch, Table } from "apache-arrow";
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

/** Type ids of Arrow's format, which are the same in every copy of the package. */
const ARROW = {
  int: 2,
  float: 3,
  binary: 4,
  utf8: 5,
  bool: 6,
  decimal: 7,
  date: 8,
  timestamp: 10,
  list: 12,
  fixedSizeBinary: 15,
  fixedSizeList: 16,
  largeBinary: 19,
  largeUtf8: 20,
  largeList: 21,
  binaryView: 23,
  utf8View: 24,
  dictionary: -1,
} as const;

const LISTS: ReadonlySet<number> = new Set([ARROW.list, ARROW.largeList, ARROW.fixedSizeList]);

const PLAIN_TYPES: ReadonlyMap<number, string> = new Map([
  [ARROW.bool, "BOOLEAN"],
  [ARROW.int, "BIGINT"],
  [ARROW.float, "DOUBLE"],
  [ARROW.utf8, "VARCHAR"],
  [ARROW.largeUtf8, "VARCHAR"],
  [ARROW.utf8View, "VARCHAR"],
  [ARROW.binary, "BLOB"],
  [ARROW.largeBinary, "BLOB"],
  [ARROW.binaryView, "BLOB"],
  [ARROW.fixedSizeBinary, "BLOB"],
]);

/** A type with the members that some types have. */
type AnyType = DataType & {
  readonly dictionary?: DataType;
  readonly scale?: number;
  readonly timezone?: string | null;
  readonly listSize?: number;
};

function typePlan(type: AnyType): { type: string; read: Read } {
  const id = type.typeId as number;
  if (id === ARROW.dictionary) return typePlan(type.dictionary!);
  const known = PLAIN_TYPES.get(id);
  if (known !== undefined) return { type: known, read: plain };
  if (id === ARROW.decimal) return { type: "DOUBLE", read: (value) => decimal(value, type.scale!) };
  // Timestamps and dates are read as milliseconds.
  if (id === ARROW.timestamp)
    return { type: type.timezone ? "TIMESTAMP WITH TIME ZONE" : "TIMESTAMP", read: milliseconds };
  if (id === ARROW.date) return { type: "TIMESTAMP", read: milliseconds };
  if (LISTS.has(id)) {
    const item = typePlan(type.children[0]!.type as AnyType);
    if (item.type === "VARCHAR" || item.type === "DOUBLE") {
      const fixed = id === ARROW.fixedSizeList && item.type === "DOUBLE";
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
