import { type FileHandle, open } from "node:fs/promises";
import { VECTOR_DIMENSIONS } from "../contract/service/unified-record.js";
import type { ArrowFile, ArrowSchema } from "../duckdb/arrow.js";
import type { ColumnBatch, ColumnType } from "../duckdb/column-batch.js";

/** Rows per record batch: under 1 MB of floats, because many files are read side by side. */
const BATCH_ROWS = 128;
const MODEL_KEY = "mirrorlake.model";
const TEXT: ColumnType = { kind: "text" };
const FLOAT: ColumnType = { kind: "float32" };
const VECTOR: ColumnType = { kind: "array", item: FLOAT, size: VECTOR_DIMENSIONS };
const COLUMNS = [
  { name: "id", type: TEXT },
  { name: "vector", type: VECTOR },
] as const;

/** A record's id and its vector of 1536 numbers. */
export interface NamedVector {
  readonly id: string;
  readonly values: Float32Array;
}

/** Thrown for a file that is not Arrow IPC, or holds no vectors in this format. */
export class VectorFileError extends Error {
  override readonly name = "VectorFileError";
}

/** Options of {@link writeVectors}. */
export interface VectorFileOptions {
  readonly model?: string;
  readonly signal?: AbortSignal;
}

/**
 * Writes vectors as an Arrow IPC file with 128 rows per record batch: columns `id` (utf8) and `vector` (fixed-size list of 1536
 * float32), and the model's name in the schema's metadata. The same vectors give the same bytes.
 * @returns the number of vectors written
 * @throws RangeError for a vector of another length
 */
export async function writeVectors(
  file: FileHandle,
  vectors: AsyncIterable<NamedVector>,
  options: VectorFileOptions = {},
): Promise<number> {
  const { arrowBatch, arrowSchema, writeArrow } = await import("../duckdb/arrow.js");
  const { model } = options;
  const metadata = model === undefined ? [] : [[MODEL_KEY, model] as const];
  const schema = arrowSchema(COLUMNS, { nullable: false, metadata });
  async function* batches() {
    for await (const batch of grouped(vectors, options.signal)) yield arrowBatch(batch, schema);
  }
  return writeArrow(file, batches(), schema);
}

async function* grouped(
  vectors: AsyncIterable<NamedVector>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ColumnBatch, void, void> {
  let ids: string[] = [];
  let floats = new Float32Array(BATCH_ROWS * VECTOR_DIMENSIONS);
  for await (const { id, values } of vectors) {
    signal?.throwIfAborted();
    if (values.length !== VECTOR_DIMENSIONS) {
      throw new RangeError(`The vector of ${id} has ${values.length} numbers, not ${VECTOR_DIMENSIONS}`);
    }
    floats.set(values, ids.length * VECTOR_DIMENSIONS);
    ids.push(id);
    if (ids.length === BATCH_ROWS) {
      yield columnBatch(ids, floats);
      ids = [];
      floats = new Float32Array(BATCH_ROWS * VECTOR_DIMENSIONS);
    }
  }
  if (ids.length > 0) yield columnBatch(ids, floats.subarray(0, ids.length * VECTOR_DIMENSIONS));
}

function columnBatch(ids: readonly string[], floats: Float32Array): ColumnBatch {
  const { length } = ids;
  const texts = ids.map((id) => Buffer.from(id, "utf8"));
  const offsets = new Int32Array(length + 1);
  for (const [i, text] of texts.entries()) offsets[i + 1] = offsets[i]! + text.length;
  const child = { type: FLOAT, length: floats.length, nullCount: 0, values: floats };
  return {
    names: COLUMNS.map(({ name }) => name),
    length,
    columns: [
      { type: TEXT, length, nullCount: 0, offsets, values: new Uint8Array(Buffer.concat(texts)) },
      { type: VECTOR, length, nullCount: 0, children: [child] },
    ],
  };
}

interface LoadedBatch {
  readonly index: number;
  readonly ids: readonly string[];
  readonly floats: Float32Array;
}

/**
 * An open Arrow IPC file of vectors, whose record batches, except the last, have one size. It holds one batch at a time:
 * reading in ascending order reads each batch once.
 */
export class VectorFile {
  /** Number of vectors. */
  readonly length: number;
  /** Name of the vectors' model, if the file has it. */
  readonly model: string | undefined;
  private readonly reader: ArrowFile;
  private readonly batchRows: number;
  private batch: LoadedBatch | undefined;

  private constructor(reader: ArrowFile, batchRows: number, length: number, model: string | undefined) {
    this.reader = reader;
    this.batchRows = batchRows;
    this.length = length;
    this.model = model;
  }

  /** Opens a file: reads its footer, first and last batch. @throws VectorFileError */
  static async open(path: string): Promise<VectorFile> {
    const { openArrow } = await import("../duckdb/arrow.js");
    const file = await open(path, "r");
    let reader: ArrowFile | undefined;
    try {
      reader = await openArrow(file);
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
   * Reads the vector at a 0-based position. Its values are a view of the batch; copy them to keep them.
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

function checkSchema({ fields }: ArrowSchema): void {
  const found = fields.map(({ name, type }) => `${name} ${type}`);
  const wanted = ["id Utf8", `vector FixedSizeList[${VECTOR_DIMENSIONS}]<Float32>`];
  if (found.length === wanted.length && found.every((column, i) => column === wanted[i])) return;
  throw new VectorFileError(`its columns are ${found.join(", ") || "none"}, not ${wanted.join(", ")}`);
}
