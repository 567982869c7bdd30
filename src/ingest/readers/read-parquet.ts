import { isUtf8 } from "node:buffer";
import { open } from "node:fs/promises";
import { DatabaseError } from "../../contract/errors.js";
import { Database } from "../../duckdb/database.js";
import { makeSystemFolder } from "../../files/system-folder.js";
import { PARQUET_MEMORY, PARQUET_MEMORY_SHARE } from "../defaults.js";
import { ingestError } from "../ingest-error.js";
import { type ReaderContext, type RowBatch, RowBatcher } from "./row-batch.js";
import { readAt } from "./zip-directory.js";

const FROM = "FROM read_parquet(?, hive_partitioning = false)";

/**
 * Reads a Parquet file: one object per row, in file order. Lists become arrays, structs become objects. Memory is that of a row group
 * at most; one that needs more than the usual limit may take half of what is available.
 *
 * @param path the file on disk, not compressed as a whole
 * @param onRows called with the share of rows read, 0 to 1
 * @throws IngestError for a file that is truncated, damaged, encrypted, or not supported by DuckDB
 */
export async function* readParquet(
  path: string,
  context: ReaderContext,
  onRows: (share: number) => void,
): AsyncGenerator<RowBatch, void, void> {
  await checkFooter(path, context.file);
  const spill = await makeSystemFolder("parquet");
  try {
    yield* batchesOf(path, context, onRows, spill.path);
  } finally {
    await spill.remove();
  }
}

async function* batchesOf(
  path: string,
  context: ReaderContext,
  onRows: (share: number) => void,
  tempDirectory: string,
): AsyncGenerator<RowBatch, void, void> {
  const database = await Database.openKept(":memory:", {
    threads: 1,
    memoryLimit: limitOf(PARQUET_MEMORY),
    tempDirectory,
  });
  try {
    const columns = await database.rows<{ column_name: string; column_type: string }>(
      `DESCRIBE SELECT * ${FROM}`,
      [path],
    );
    const [{ total } = { total: 0 }] = await database.rows<{ total: number }>(
      `SELECT count(*) AS total ${FROM}`,
      [path],
    );
    const convertedColumns = columns
      .filter(({ column_type }) => /BIGINT|HUGEINT|BLOB/.test(column_type))
      .map(({ column_name }) => column_name);
    const long = columns.filter(({ column_type }) => column_type === "VARCHAR" || column_type.endsWith("]"));
    const bytesOf = (row: Readonly<Record<string, unknown>>) =>
      long.reduce((sum, { column_name }) => sum + sizeOf(row[column_name]), 0);
    const batch = new RowBatcher(context);
    let line = 0;
    for await (const rows of rowsOf(database, path, context.signal)) {
      for (const row of rows) {
        for (const name of convertedColumns) row[name] = jsonLike(row[name]);
        batch.add(++line, row, bytesOf(row));
        if (batch.full) yield batch.take();
      }
      onRows(line / total);
    }
    if (!batch.empty) yield batch.take();
  } catch (cause) {
    context.signal?.throwIfAborted();
    const reason = (cause as Error).message.replaceAll(path, context.file).split("\n", 1)[0];
    throw ingestError(
      "parquet_unreadable",
      { file: context.file },
      `cannot be read: ${reason}`,
      isOutOfMemory(cause)
        ? "read it where more memory is free, or write it with row groups of fewer rows, which are read one by one, or as JSON lines"
        : "fetch it again, or rewrite it with a plain writer",
      cause,
    );
  } finally {
    await database.close();
  }
}

/** The rows of a file. The engine holds what 2,048 rows lie in; where its memory is not enough it goes on with more, if there is more. */
async function* rowsOf(
  database: Database,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Record<string, unknown>[], void, void> {
  let read = 0;
  try {
    for await (const rows of database.stream(`SELECT * ${FROM}`, [path], signal, "as_written")) {
      yield rows;
      read += rows.length;
    }
  } catch (error) {
    const most = process.availableMemory() * PARQUET_MEMORY_SHARE;
    if (!isOutOfMemory(error) || most <= PARQUET_MEMORY) throw error;
    await database.set({ memoryLimit: limitOf(most) });
    yield* database.stream(`SELECT * ${FROM} OFFSET ?`, [path, read], signal, "as_written");
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === "database_memory";
}

function limitOf(bytes: number): string {
  return `${Math.floor(bytes / 1e6)}MB`;
}

async function checkFooter(path: string, file: string): Promise<void> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const tail = size < 12 ? undefined : await readAt(handle, size - 8, 8, file);
    if (tail?.toString("latin1", 4) === "PARE") {
      throw ingestError("parquet_encrypted", { file }, "is encrypted", "decrypt it first");
    }
    if (tail === undefined || tail.toString("latin1", 4) !== "PAR1" || tail.readUInt32LE(0) > size - 12) {
      throw ingestError(
        "parquet_truncated",
        { file },
        "does not end as a Parquet file; it is truncated",
        "fetch it again",
      );
    }
  } finally {
    await handle.close();
  }
}

/** Approximate bytes of a text or a list, which limit the batch size: texts may be long, and long lists are vectors. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  return Array.isArray(value) ? value.length * 8 : 0;
}

/** Control characters that texts have: from bell to carriage return, and escape. Any other is a sign of bytes that are no text. */
const isTextByte = (byte: number): boolean => byte >= 0x20 || (byte >= 0x07 && byte <= 0x0d) || byte === 0x1b;

/** Whether bytes are text: UTF-8 without controls that no text has. Those would be cleaned away, and different values become one. */
function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && bytes.every(isTextByte);
}

/** Converts integers beyond a double to decimal strings, and bytes to text if they are such, else to base64. */
function jsonLike(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return bytes.toString(isText(bytes) ? "utf8" : "base64");
  }
  if (Array.isArray(value)) return value.map(jsonLike);
  if (value !== null && typeof value === "object" && !ArrayBuffer.isView(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, jsonLike(item)]));
  }
  return value;
}
