import { isUtf8 } from "node:buffer";
import { formatBinarySize } from "../../contract/quantity.js";
import { ingestError } from "../ingest-error.js";
import type { IngestLimits } from "./read-options.js";

const LF = 0x0a;

/** Whole lines of a text file: valid UTF-8, no NUL, no byte order mark. */
export interface LineBlock {
  readonly bytes: Buffer;
  /** Offsets in `bytes` of each line's end: its line feed, or the end of the file. */
  readonly offsets: readonly number[];
  /** 1-based number of the first line. */
  readonly firstLine: number;
}

/**
 * Cuts a byte stream into blocks of whole lines. It holds at most one block and one unfinished line. A final line without a line
 * feed counts as a line unless it is empty.
 *
 * @throws IngestError with file and line for a line over `maxRecordBytes`, a NUL byte, or invalid UTF-8
 */
export async function* lineBlocks(
  chunks: AsyncIterable<Buffer>,
  file: string,
  limits: IngestLimits,
): AsyncGenerator<LineBlock, void, void> {
  let firstLine = 1;
  let unfinished: Buffer[] = [];
  let unfinishedBytes = 0;
  for await (const chunk of withoutMark(chunks)) {
    const cut = chunk.lastIndexOf(LF) + 1;
    if (cut > 0) {
      const bytes =
        unfinishedBytes === 0
          ? chunk.subarray(0, cut)
          : Buffer.concat([...unfinished, chunk.subarray(0, cut)]);
      const block = checked(bytes, firstLine, file, limits);
      firstLine += block.offsets.length;
      unfinished = [];
      unfinishedBytes = 0;
      yield block;
    }
    if (cut < chunk.length) {
      unfinished.push(chunk.subarray(cut));
      unfinishedBytes += chunk.length - cut;
      if (unfinishedBytes > limits.maxRecordBytes) throw tooLong(file, firstLine, limits);
    }
  }
  if (unfinishedBytes > 0) yield checked(Buffer.concat(unfinished), firstLine, file, limits);
}

/** Removes a leading UTF-8 byte order mark. */
export async function* withoutMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    if (head.length < 3) continue;
    yield head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? head.subarray(3) : head;
    head = undefined;
  }
  if (head !== undefined && head.length > 0) yield head;
}

function checked(bytes: Buffer, firstLine: number, file: string, limits: IngestLimits): LineBlock {
  const offsets: number[] = [];
  let start = 0;
  while (start < bytes.length) {
    const feed = bytes.indexOf(LF, start);
    const end = feed < 0 ? bytes.length : feed;
    if (end - start > limits.maxRecordBytes) throw tooLong(file, firstLine + offsets.length, limits);
    offsets.push(end);
    start = end + 1;
  }
  const nul = bytes.indexOf(0);
  if (nul >= 0) {
    const line = firstLine + offsets.findIndex((end) => end >= nul);
    throw ingestError(
      "nul_byte",
      { file, line },
      "has a NUL byte; it is binary data, damaged, or in another encoding",
      "convert it to UTF-8 text, or fetch it again",
    );
  }
  if (!isUtf8(bytes)) {
    const index = offsets.findIndex(
      (end, i) => !isUtf8(bytes.subarray(i === 0 ? 0 : offsets[i - 1]! + 1, end)),
    );
    throw ingestError(
      "invalid_utf8",
      { file, line: firstLine + Math.max(0, index) },
      "is not valid UTF-8",
      "convert it, for example `iconv -f WINDOWS-1252 -t UTF-8`",
    );
  }
  return { bytes, offsets, firstLine };
}

function tooLong(file: string, line: number, limits: IngestLimits): Error {
  return ingestError(
    "record_too_large",
    { file, line },
    `the line is longer than ${formatBinarySize(limits.maxRecordBytes)}`,
    "split it, or raise maxRecordBytes (--max-record-mib)",
  );
}
