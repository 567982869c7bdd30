import type { FileHandle } from "node:fs/promises";
import { type ArrowFile, batchHeader } from "./arrow.js";

/** A run of bytes of a file. */
export interface FileRange {
  readonly at: number;
  readonly bytes: number;
}

/** A record batch of an Arrow IPC file: its rows, and where its buffers are, in the order of the format. */
export interface BatchBuffers {
  readonly rows: number;
  readonly buffers: readonly FileRange[];
}

/** Bytes of the mark that begins a message since version 0.15 of the format, and of the length that follows it or stands alone. */
const WORD = 4;
const MARK = -1;

/**
 * Finds the buffers of a record batch without reading them: so that they can be read into memory that is used again, which the
 * package `apache-arrow` does not offer (Arrow columnar format, "Encapsulated message format").
 * @returns undefined where the file has no such batch
 * @throws Error for what is not a record batch, is compressed, or ends after the file
 */
export async function batchBuffers(
  file: FileHandle,
  reader: ArrowFile,
  index: number,
): Promise<BatchBuffers | undefined> {
  const block = reader.footer?.getRecordBatch(index);
  if (block === null || block === undefined) return undefined;
  const { size } = await file.stat();
  const body = block.offset + block.metaDataLength;
  if (!(block.offset >= 0 && block.metaDataLength > 2 * WORD && body <= size))
    throw new Error(`record batch ${index} is not in the file`);
  const head = new Uint8Array(block.metaDataLength);
  await readRange(file, { at: block.offset, bytes: head.length }, head);
  const marked = new DataView(head.buffer).getInt32(0, true) === MARK;
  const { rows, buffers } = batchHeader(head.subarray(marked ? 2 * WORD : WORD));
  const ranges = buffers.map(({ offset, length }) => ({ at: body + offset, bytes: length }));
  const outside = ranges.some(({ at, bytes }) => at < body || bytes < 0 || at + bytes > size);
  if (outside) throw new Error(`a buffer of record batch ${index} is not in the file`);
  return { rows, buffers: ranges };
}

/** Reads a range of a file into the first bytes of an array that has room for it. @throws Error if the file ends before */
export async function readRange(
  file: FileHandle,
  { at, bytes }: FileRange,
  into: NodeJS.ArrayBufferView,
): Promise<void> {
  for (let done = 0; done < bytes; ) {
    const { bytesRead } = await file.read(into, done, bytes - done, at + done);
    if (bytesRead === 0) throw new Error(`the file ends before byte ${at + bytes}`);
    done += bytesRead;
  }
}
