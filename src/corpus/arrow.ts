import { type FileHandle, open } from "node:fs/promises";
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
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  RecordBatchReader,
  Schema,
  Struct,
  Table,
  TimestampMicrosecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  type WritableSink,
} from "apache-arrow";
import { VECTOR_DIMENSIONS } from "../contract/records.js";
import type { Column, ColumnBatch, ColumnType } from "./column-batch.js";

/** An Arrow table, as the package `apache-arrow` has it. */
export type ArrowTable = Table;

/** A record batch of Arrow, as the package `apache-arrow` has it. */
export type ArrowBatch = RecordBatch;

type VectorTypes = { id: Utf8; vector: FixedSizeList<Float32> };

/** Rows of a record batch: under 1 MB of floats, for many files are read side by side. */
const BATCH_ROWS = 128;
const MODEL_KEY = "mirrorlake.model";

/** A record's id and its vector: 1536 numbers. */
export interface NamedVector {
  readonly id: string;
  readonly values: Float32Array;
}

/** A file that is Arrow IPC but not a file of vectors, or not Arrow IPC at all. */
export class VectorFileError extends Error {
  override readonly name = "VectorFileError";
}

/** Keeps what the IPC writer emits until it is written to the file, so that a batch at most is in memory. */
class Collector extends AsyncByteQueue<Uint8Array> {
  readonly chunks: Uint8Array[] = [];

  override write(chunk: unknown): void {
    this.chunks.push(chunk as Uint8Array);
  }

  override close(): void {}
}

function vectorSchema(model: string | undefined): Schema<VectorTypes> {
  const item = new Field("item", new Float32(), false);
  return new Schema<VectorTypes>(
    [
      new Field("id", new Utf8(), false),
      new Field("vector", new FixedSizeList(VECTOR_DIMENSIONS, item), false),
    ],
    new Map(model === undefined ? [] : [[MODEL_KEY, model]]),
  );
}

/**
 * Writes an Arrow IPC file of vectors, a record batch for every 128: columns `id` (utf8) and `vector` (fixed-size
 * list of 1536 float32), the model's name in the schema's metadata. The same vectors give the same bytes.
 * @returns how many were written
 * @throws RangeError for a vector of another length
 */
export async function writeVectors(
  file: FileHandle,
  vectors: AsyncIterable<NamedVector>,
  options: { readonly model?: string; readonly signal?: AbortSignal } = {},
): Promise<number> {
  const schema = vectorSchema(options.model);
  const sink = new Collector();
  const writer = new RecordBatchFileWriter<VectorTypes>();
  writer.reset(sink as unknown as WritableSink<Uint8Array>, schema);
  let total = 0;
  let ids: string[] = [];
  let floats = new Float32Array(BATCH_ROWS * VECTOR_DIMENSIONS);
  const flush = async () => {
    for (const chunk of sink.chunks.splice(0)) await file.appendFile(chunk);
  };
  const writeBatch = async () => {
    writer.write(vectorBatch(schema, ids, floats.subarray(0, ids.length * VECTOR_DIMENSIONS)));
    await flush();
    ids = [];
    floats = new Float32Array(BATCH_ROWS * VECTOR_DIMENSIONS);
  };
  for await (const { id, values } of vectors) {
    options.signal?.throwIfAborted();
    if (values.length !== VECTOR_DIMENSIONS) {
      throw new RangeError(`The vector of ${id} has ${values.length} numbers, not ${VECTOR_DIMENSIONS}`);
    }
    floats.set(values, ids.length * VECTOR_DIMENSIONS);
    ids.push(id);
    total++;
    if (ids.length === BATCH_ROWS) await writeBatch();
  }
  if (ids.length > 0) await writeBatch();
  writer.finish();
  await flush();
  return total;
}

function vectorBatch(
  schema: Schema<VectorTypes>,
  ids: readonly string[],
  floats: Float32Array,
): RecordBatch<VectorTypes> {
  const texts = ids.map((id) => Buffer.from(id, "utf8"));
  const valueOffsets = new Int32Array(ids.length + 1);
  texts.forEach((text, i) => {
    valueOffsets[i + 1] = valueOffsets[i]! + text.length;
  });
  const [idField, vectorField] = schema.fields as [Field<Utf8>, Field<FixedSizeList<Float32>>];
  const length = ids.length;
  const idData = makeData({
    type: idField.type,
    length,
    nullCount: 0,
    valueOffsets,
    data: Buffer.concat(texts),
  });
  const values = makeData({ type: new Float32(), length: floats.length, nullCount: 0, data: floats });
  const vectorData = makeData({ type: vectorField.type, length, nullCount: 0, child: values });
  const data = makeData({
    type: new Struct<VectorTypes>(schema.fields),
    length,
    nullCount: 0,
    children: [idData, vectorData],
  });
  return new RecordBatch(schema, data);
}

interface LoadedBatch {
  readonly index: number;
  readonly ids: readonly string[];
  readonly floats: Float32Array;
}

/**
 * An open Arrow IPC file of vectors whose record batches, but for the last, are of one size. It is read a batch at a
 * time: reading in ascending order reads each batch once.
 */
export class VectorFile {
  /** Number of vectors. */
  readonly length: number;
  /** Name of the model that made the vectors, where the file says it. */
  readonly model: string | undefined;
  private readonly reader: AsyncRecordBatchFileReader<VectorTypes>;
  private readonly batchRows: number;
  private batch: LoadedBatch | undefined;

  private constructor(
    reader: AsyncRecordBatchFileReader<VectorTypes>,
    batchRows: number,
    length: number,
    model: string | undefined,
  ) {
    this.reader = reader;
    this.batchRows = batchRows;
    this.length = length;
    this.model = model;
  }

  /** Opens a file; reads its footer, its first batch and its last. @throws VectorFileError */
  static async open(path: string): Promise<VectorFile> {
    const file = await open(path, "r");
    let reader: AsyncRecordBatchFileReader<VectorTypes> | undefined;
    try {
      reader = (await RecordBatchReader.from(file)) as AsyncRecordBatchFileReader<VectorTypes>;
      await reader.open({ autoDestroy: false });
      checkSchema(reader.schema);
      const batches = reader.numRecordBatches;
      const first = (await reader.readRecordBatch(0))?.numRows ?? 0;
      const last = (await reader.readRecordBatch(batches - 1))?.numRows ?? 0;
      const length = batches === 0 ? 0 : first * (batches - 1) + last;
      return new VectorFile(reader, first, length, reader.schema.metadata.get(MODEL_KEY));
    } catch (error) {
      await reader?.cancel();
      await file.close().catch(() => {});
      if (error instanceof VectorFileError) throw error;
      throw new VectorFileError(`not an Arrow IPC file: ${(error as Error).message}`, { cause: error });
    }
  }

  /**
   * The vector at a position, from 0: a view of the batch's own memory, to be copied if it is kept.
   * @throws RangeError for a position outside the file
   */
  async read(position: number): Promise<NamedVector> {
    if (!Number.isInteger(position) || position < 0 || position >= this.length) {
      throw new RangeError(`Vector ${position} of a file of ${this.length}`);
    }
    const index = Math.floor(position / this.batchRows);
    if (this.batch?.index !== index) this.batch = await this.load(index);
    const row = position - index * this.batchRows;
    return {
      id: this.batch.ids[row]!,
      values: this.batch.floats.subarray(row * VECTOR_DIMENSIONS, (row + 1) * VECTOR_DIMENSIONS),
    };
  }

  /** Closes the file. */
  async close(): Promise<void> {
    this.batch = undefined;
    await this.reader.cancel();
  }

  private async load(index: number): Promise<LoadedBatch> {
    const batch = await this.reader.readRecordBatch(index);
    const expected = Math.min(this.batchRows, this.length - index * this.batchRows);
    if (batch?.numRows !== expected) {
      throw new VectorFileError(`record batch ${index} has ${batch?.numRows ?? 0} rows, not ${expected}`);
    }
    const ids = batch.getChild("id")!.toArray() as unknown as string[];
    const floats = batch.getChild("vector")!.data[0]!.children[0]!.values as Float32Array;
    return { index, ids: [...ids], floats };
  }
}

function checkSchema(schema: Schema): void {
  const [id, vector] = schema.fields;
  const list = vector?.type;
  if (
    schema.fields.length !== 2 ||
    id?.name !== "id" ||
    !DataType.isUtf8(id.type) ||
    vector?.name !== "vector" ||
    !DataType.isFixedSizeList(list) ||
    list.listSize !== VECTOR_DIMENSIONS ||
    !DataType.isFloat(list.children[0]!.type) ||
    list.children[0]!.type.ArrayType !== Float32Array
  ) {
    throw new VectorFileError(
      `its columns are ${schema.fields.map((f) => `${f.name} ${f.type}`).join(", ") || "none"}, not id utf8 and ` +
        `vector fixed-size list of ${VECTOR_DIMENSIONS} float32`,
    );
  }
}

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

function arrowType(type: ColumnType): DataType {
  switch (type.kind) {
    case "list":
      return new List(new Field("item", arrowType(type.item), true));
    case "array":
      return new FixedSizeList(type.size, new Field("item", arrowType(type.item), true));
    case "struct":
      return new Struct(type.fields.map((field) => new Field(field.name, arrowType(field.type), true)));
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
    ...(validity === undefined ? {} : { nullBitmap: validity }),
    ...(values === undefined ? {} : { data: values }),
    ...(offsets === undefined ? {} : { valueOffsets: offsets }),
    ...(DataType.isStruct(type) ? { children: parts } : parts.length > 0 ? { child: parts[0] } : {}),
  } as Parameters<typeof makeData>[0]);
}

/** Result columns as a record batch: the buffers as they are. Every column may hold nulls. */
export function arrowBatch({ names, columns, length }: ColumnBatch): RecordBatch {
  const fields = columns.map(({ type }, i) => new Field(names[i]!, arrowType(type), true));
  const children = columns.map((column, i) => arrowData(column, fields[i]!.type));
  const schema = new Schema(fields);
  return new RecordBatch(schema, makeData({ type: new Struct(fields), length, nullCount: 0, children }));
}

/** Record batches of one schema as a table. */
export function arrowTable(batches: readonly RecordBatch[]): Table {
  return new Table(batches as RecordBatch[]);
}

/**
 * Writes record batches as an Arrow IPC file, one at a time.
 * @returns how many rows were written
 */
export async function writeArrow(file: FileHandle, batches: AsyncIterable<RecordBatch>): Promise<number> {
  const sink = new Collector();
  const writer = new RecordBatchFileWriter();
  writer.reset(sink as unknown as WritableSink<Uint8Array>);
  let rows = 0;
  for await (const batch of batches) {
    writer.write(batch);
    rows += batch.numRows;
    for (const chunk of sink.chunks.splice(0)) await file.appendFile(chunk);
  }
  writer.finish();
  for (const chunk of sink.chunks.splice(0)) await file.appendFile(chunk);
  return rows;
}
