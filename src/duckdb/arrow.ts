import type { FileHandle } from "node:fs/promises";
import {
  AsyncByteQueue,
  type AsyncRecordBatchFileReader,
  Binary,
  Bool,
  type Data,
  DataType,
  DateDay,
  Field,
  FixedSizeList,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  List,
  Message,
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  RecordBatchReader,
  Schema,
  Struct,
  Table,
  TimestampMicrosecond,
  tableToIPC,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  type WritableSink,
} from "apache-arrow";
import { omitUndefined } from "../contract/omit-undefined.js";
import type { Column, ColumnBatch, ColumnType } from "./results/column-batch.js";

/** An Arrow table of the package `apache-arrow`. */
export type ArrowTable = Table;

/** An Arrow record batch of the package `apache-arrow`. */
export type ArrowBatch = RecordBatch;

/** Names, types and nullability of columns, and metadata. */
export type ArrowSchema = Schema;

/** An open Arrow IPC file, read one record batch at a time. */
export type ArrowFile = AsyncRecordBatchFileReader;

const LEAF_TYPES: Readonly<Record<string, () => DataType>> = {
  bool: () => new Bool(),
  text: () => new Utf8(),
  bytes: () => new Binary(),
  int8: () => new Int8(),
  int16: () => new Int16(),
  int32: () => new Int32(),
  int64: () => new Int64(),
  uint8: () => new Uint8(),
  uint16: () => new Uint16(),
  uint32: () => new Uint32(),
  uint64: () => new Uint64(),
  float32: () => new Float32(),
  float64: () => new Float64(),
  date: () => new DateDay(),
  timestamp: () => new TimestampMicrosecond(),
  timestamptz: () => new TimestampMicrosecond("UTC"),
};

function arrowType(type: ColumnType, nullable: boolean): DataType {
  const item = (of: ColumnType) => new Field("item", arrowType(of, nullable), nullable);
  switch (type.kind) {
    case "list":
      return new List(item(type.item));
    case "array":
      return new FixedSizeList(type.size, item(type.item));
    case "struct":
      return new Struct(
        type.fields.map((field) => new Field(field.name, arrowType(field.type, nullable), nullable)),
      );
    default:
      return LEAF_TYPES[type.kind]!();
  }
}

function arrowData(column: Column, type: DataType): Data {
  const { length, nullCount, validity, values, offsets, children = [] } = column;
  const parts = children.map((child, i) => arrowData(child, type.children[i]!.type));
  return makeData({
    type,
    length,
    nullCount,
    ...omitUndefined({ nullBitmap: validity, data: values, valueOffsets: offsets }),
    ...(DataType.isStruct(type) ? { children: parts } : parts.length > 0 ? { child: parts[0] } : {}),
  } as Parameters<typeof makeData>[0]);
}

/**
 * Builds a schema from names and types. Columns are nullable by default.
 */
export function arrowSchema(
  columns: readonly { readonly name: string; readonly type: ColumnType }[],
  { nullable = true, metadata = [] }: SchemaOptions = {},
): ArrowSchema {
  return new Schema(
    columns.map(({ name, type }) => new Field(name, arrowType(type, nullable), nullable)),
    new Map(metadata),
  );
}

/** Options of {@link arrowSchema}. */
export interface SchemaOptions {
  readonly nullable?: boolean;
  readonly metadata?: readonly (readonly [string, string])[];
}

/** Wraps result columns as a record batch without copying. Columns are nullable unless `schema` differs. */
export function arrowBatch({ names, columns, length }: ColumnBatch, schema?: ArrowSchema): ArrowBatch {
  const of = schema ?? arrowSchema(columns.map(({ type }, i) => ({ name: names[i]!, type })));
  const children = columns.map((column, i) => arrowData(column, of.fields[i]!.type));
  return new RecordBatch(of, makeData({ type: new Struct(of.fields), length, nullCount: 0, children }));
}

/**
 * A schema as the Arrow format writes it in front of a stream, in base64: what `ARROW:schema` in the metadata of a Parquet file is,
 * by which Arrow's readers restore types that Parquet does not have.
 */
export function schemaText(schema: ArrowSchema): string {
  const stream = tableToIPC(new Table(schema), "stream");
  // A marker of four bytes, the message's length, the message.
  const length = new DataView(stream.buffer, stream.byteOffset).getInt32(4, true);
  return Buffer.from(stream.subarray(0, 8 + length)).toString("base64");
}

/** Combines record batches of one schema to a table. */
export function arrowTable(batches: readonly ArrowBatch[]): ArrowTable {
  return new Table(batches as ArrowBatch[]);
}

/** Buffers the IPC writer's output until it is written to the file, so that at most one batch is in memory. */
class Collector extends AsyncByteQueue<Uint8Array> {
  readonly chunks: Uint8Array[] = [];

  override write(chunk: unknown): void {
    this.chunks.push(chunk as Uint8Array);
  }

  override close(): void {}
}

/**
 * Writes record batches as an Arrow IPC file, one at a time. The same batches give the same bytes.
 * @param schema schema of the file if there are no batches
 * @returns the number of rows written
 */
export async function writeArrow(
  file: FileHandle,
  batches: AsyncIterable<ArrowBatch>,
  schema?: ArrowSchema,
): Promise<number> {
  const sink = new Collector();
  const writer = new RecordBatchFileWriter();
  writer.reset(sink as unknown as WritableSink<Uint8Array>, schema);
  const flush = async () => {
    for (const chunk of sink.chunks.splice(0)) await file.appendFile(chunk);
  };
  let rows = 0;
  for await (const batch of batches) {
    writer.write(batch);
    rows += batch.numRows;
    await flush();
  }
  writer.finish();
  await flush();
  return rows;
}

/**
 * Reads an Arrow IPC stream one record batch at a time, at least one, which may have no rows. All of the stream is read before the last
 * batch counts, so that an error after it is not missed.
 * @throws Error for another format; what the source throws
 */
export async function* readArrowStream(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<ArrowBatch, void, void> {
  const source = pieces[Symbol.asyncIterator]();
  const drain = async () => {
    while (!(await source.next()).done);
  };
  try {
    // Without `return`: where the reader ends early, what follows is still read.
    const reader = await RecordBatchReader.from({
      [Symbol.asyncIterator]: () => ({ next: () => source.next() }),
    } as AsyncIterable<Uint8Array>);
    for await (const batch of reader) yield batch as ArrowBatch;
    await drain();
  } catch (error) {
    await drain();
    throw error;
  } finally {
    await source.return?.();
  }
}

/** The rows of a record batch in batches of at most `rows`, not copied. */
export function* slicedBatch(batch: ArrowBatch, rows: number): Generator<ArrowBatch, void, void> {
  if (batch.numRows <= rows) yield batch;
  else for (let first = 0; first < batch.numRows; first += rows) yield batch.slice(first, first + rows);
}

/** How columns of lists are shown by {@link withLists}. */
export interface ListColumns {
  /** Items of each list, by the column's name: lists of a fixed size. */
  readonly sizes?: Readonly<Record<string, number>>;
  /** Columns of lists that are null where a column of whole numbers, which is left out, is 0: its name, by the list's. */
  readonly present?: Readonly<Record<string, string>>;
}

/** A record batch with some of its lists of a fixed size, or null. @throws RangeError for a list of another size */
export function withLists(batch: ArrowBatch, { sizes = {}, present = {} }: ListColumns): ArrowBatch {
  const flags = new Set(Object.values(present));
  const columns = batch.schema.fields.flatMap((field, i) => {
    if (flags.has(field.name)) return [];
    const data = batch.data.children[i]!;
    const [size, flag] = [sizes[field.name], present[field.name]];
    if (size !== undefined) return [fixedLists(field, data, size)];
    return [{ field, data: flag === undefined ? data : presentLists(data, batch.getChild(flag)!) }];
  });
  const fields = columns.map(({ field }) => field);
  const children = columns.map(({ data }) => data);
  const of = makeData({ type: new Struct(fields), length: batch.numRows, nullCount: 0, children });
  return new RecordBatch(new Schema(fields), of);
}

function fixedLists({ name, type }: Field, lists: Data, size: number): { field: Field; data: Data } {
  // Without rows there may be no offsets.
  const [first, last] = [lists.valueOffsets[0] ?? 0, lists.valueOffsets[lists.length] ?? 0];
  if (last - first !== lists.length * size)
    throw new RangeError(`${name} has lists of other sizes than ${size}`);
  const item = type.children[0]!.type;
  const fixed = new FixedSizeList(size, new Field("item", item, true));
  const child = lists.children[0]?.slice(first, last - first) ?? makeData({ type: item, length: 0 } as never);
  return {
    field: new Field(name, fixed, true),
    data: makeData({ type: fixed, length: lists.length, nullCount: 0, child }),
  };
}

function presentLists(lists: Data, flags: { get(row: number): unknown }): Data {
  if (lists.length === 0) return lists;
  const nullBitmap = new Uint8Array(Math.ceil(lists.length / 8));
  let nullCount = 0;
  for (let row = 0; row < lists.length; row += 1)
    if (Number(flags.get(row)) === 0) nullCount += 1;
    else nullBitmap[row >> 3]! |= 1 << (row & 7);
  return makeData({
    type: lists.type as List,
    length: lists.length,
    nullCount,
    nullBitmap,
    valueOffsets: lists.valueOffsets.subarray(0, lists.length + 1) as Int32Array,
    child: lists.children[0]!,
  });
}

/** Opens an Arrow IPC file and reads its footer. The caller must cancel it, which closes the file. @throws Error for another format */
export async function openArrow(file: FileHandle): Promise<ArrowFile> {
  const reader = (await RecordBatchReader.from(file)) as unknown as ArrowFile;
  await reader.open({ autoDestroy: false });
  return reader;
}

/**
 * The rows of a record batch, and offset and length of its buffers in its body, by the metadata of its message.
 * @throws Error for the message of something else, and for compressed buffers
 */
export function batchHeader(metadata: Uint8Array): {
  readonly rows: number;
  readonly buffers: readonly { readonly offset: number; readonly length: number }[];
} {
  const message = Message.decode(metadata);
  if (!message.isRecordBatch()) throw new Error("a block is no record batch");
  const { length, buffers, compression } = message.header();
  if (compression !== null && compression !== undefined) throw new Error("its buffers are compressed");
  return { rows: length, buffers };
}
