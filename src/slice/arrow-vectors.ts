import { type FileHandle, open } from "node:fs/promises";
import { VECTOR_DIMENSIONS } from "../contract/service/unified-record.js";
import type { ArrowFile, ArrowSchema } from "../duckdb/arrow.js";
import type { FileRange } from "../duckdb/arrow-buffers.js";
import type { ColumnBatch, ColumnType } from "../duckdb/results/column-batch.js";

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

type ArrowBuffers = typeof import("../duckdb/arrow-buffers.js");

/**
 * An open Arrow IPC file of vectors, whose record batches, except the last, have one size. It holds one batch at a time, in memory
 * that all batches share: reading in ascending order reads each batch once.
 */
export class VectorFile {
  private loaded = -1;
  private ids: readonly string[] = [];
  private readonly floats: Float32Array;

  private constructor(
    private readonly file: FileHandle,
    private readonly reader: ArrowFile,
    private readonly arrow: ArrowBuffers,
    private readonly batchRows: number,
    /** Number of vectors. */
    readonly length: number,
    /** Name of the vectors' model, if the file has it. */
    readonly model: string | undefined,
  ) {
    this.floats = new Float32Array(Math.min(batchRows, length) * VECTOR_DIMENSIONS);
  }

  /** Opens a file: reads its footer and the sizes of its first and last batch. @throws VectorFileError */
  static async open(path: string): Promise<VectorFile> {
    const [{ openArrow }, arrow] = await Promise.all([
      import("../duckdb/arrow.js"),
      import("../duckdb/arrow-buffers.js"),
    ]);
    const file = await open(path, "r");
    let reader: ArrowFile | undefined;
    try {
      reader = await openArrow(file);
      checkSchema(reader.schema);
      const batches = reader.numRecordBatches;
      const rowsOf = async (index: number) => (await arrow.batchBuffers(file, reader!, index))?.rows ?? 0;
      const first = batches === 0 ? 0 : await rowsOf(0);
      const length = batches === 0 ? 0 : first * (batches - 1) + (await rowsOf(batches - 1));
      await checkLength(file, length);
      return new VectorFile(file, reader, arrow, first, length, reader.schema.metadata.get(MODEL_KEY));
    } catch (error) {
      await reader?.cancel();
      await file.close().catch(() => {});
      if (error instanceof VectorFileError) throw error;
      throw new VectorFileError(`not an Arrow IPC file: ${(error as Error).message}`, { cause: error });
    }
  }

  /**
   * Reads the vector at a 0-based position. Its values are a view of memory that the next read may overwrite; copy them to keep them.
   * @throws RangeError for a position outside the file
   */
  async read(position: number): Promise<NamedVector> {
    if (!Number.isInteger(position) || position < 0 || position >= this.length) {
      throw new RangeError(`Vector ${position} of a file of ${this.length}`);
    }
    const index = Math.floor(position / this.batchRows);
    if (this.loaded !== index) await this.load(index);
    const row = position - index * this.batchRows;
    return {
      id: this.ids[row]!,
      values: this.floats.subarray(row * VECTOR_DIMENSIONS, (row + 1) * VECTOR_DIMENSIONS),
    };
  }

  /** Closes the file. */
  async close(): Promise<void> {
    await this.reader.cancel();
  }

  private async load(index: number): Promise<void> {
    this.loaded = -1;
    const batch = await this.arrow.batchBuffers(this.file, this.reader, index);
    const expected = Math.min(this.batchRows, this.length - index * this.batchRows);
    if (batch?.rows !== expected) {
      throw new VectorFileError(`record batch ${index} has ${batch?.rows ?? 0} rows, not ${expected}`);
    }
    // By column: present rows, then its own; a list has its numbers' after them.
    const [, offsets, texts, , , numbers] = batch.buffers;
    const bytes = expected * VECTOR_DIMENSIONS * Float32Array.BYTES_PER_ELEMENT;
    if (numbers === undefined || numbers.bytes < bytes) {
      throw new VectorFileError(`record batch ${index} has fewer numbers than ${expected} vectors`);
    }
    this.ids = await this.idsOf(offsets!, texts!, expected);
    await this.arrow.readRange(this.file, { at: numbers.at, bytes }, this.floats);
    this.loaded = index;
  }

  private async idsOf(offsets: FileRange, texts: FileRange, rows: number): Promise<string[]> {
    const ends = new Int32Array(rows + 1);
    if (offsets.bytes < ends.byteLength) throw new VectorFileError("it has fewer ids than vectors");
    const bytes = Buffer.allocUnsafe(texts.bytes);
    await this.arrow.readRange(this.file, { at: offsets.at, bytes: ends.byteLength }, ends);
    await this.arrow.readRange(this.file, texts, bytes);
    return Array.from({ length: rows }, (_, row) => bytes.toString("utf8", ends[row]!, ends[row + 1]!));
  }
}

/** A file cannot hold more vectors than bytes: what its batches say is not trusted with memory. */
async function checkLength(file: FileHandle, length: number): Promise<void> {
  const { size } = await file.stat();
  if (length * VECTOR_DIMENSIONS * Float32Array.BYTES_PER_ELEMENT <= size) return;
  throw new VectorFileError(`its ${size} bytes cannot hold ${length} vectors`);
}

function checkSchema({ fields }: ArrowSchema): void {
  const found = fields.map(({ name, type }) => `${name} ${type}`);
  const wanted = ["id Utf8", `vector FixedSizeList[${VECTOR_DIMENSIONS}]<Float32>`];
  if (found.length === wanted.length && found.every((column, i) => column === wanted[i])) return;
  throw new VectorFileError(`its columns are ${found.join(", ") || "none"}, not ${wanted.join(", ")}`);
}
