import { isUtf8 } from "node:buffer";
import { formatBinarySize } from "../../contract/quantity.js";
import { ingestError } from "../ingest-error.js";
import { likelyEncoding } from "./foreign-text.js";
import { howToUnpack } from "./how-to-unpack.js";
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

interface LinePlace {
  readonly file: string;
  readonly firstLine: number;
  readonly limits: IngestLimits;
}

/**
 * Cuts a byte stream into blocks of whole lines. It holds at most one block and one unfinished line. A final line without a line
 * feed counts as a line unless it is empty.
 *
 * @throws IngestError with file and line for a line over `maxRecordBytes`, a NUL byte, or invalid UTF-8, after the lines before it
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
      const offsets = lineEnds(bytes);
      yield* linesOf(bytes, offsets, { file, firstLine, limits });
      firstLine += offsets.length;
      unfinished = [];
      unfinishedBytes = 0;
    }
    if (cut < chunk.length) {
      unfinished.push(chunk.subarray(cut));
      unfinishedBytes += chunk.length - cut;
      if (unfinishedBytes > limits.maxRecordBytes) throw tooLong(file, firstLine, limits);
    }
  }
  if (unfinishedBytes === 0) return;
  const bytes = Buffer.concat(unfinished);
  yield* linesOf(bytes, lineEnds(bytes), { file, firstLine, limits });
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

/** The lines of a block; where one is at fault, the lines before it, then its error. */
function* linesOf(
  bytes: Buffer,
  offsets: readonly number[],
  place: LinePlace,
): Generator<LineBlock, void, void> {
  const { file, firstLine, limits } = place;
  const startOf = (index: number) => (index === 0 ? 0 : offsets[index - 1]! + 1);
  const faults = [
    { index: offsets.findIndex((end, i) => end - startOf(i) > limits.maxRecordBytes), error: tooLong },
    { index: indexOfNul(bytes, offsets), error: hasNul },
    {
      index: isUtf8(bytes) ? -1 : offsets.findIndex((end, i) => !isUtf8(bytes.subarray(startOf(i), end))),
      error: notUtf8,
    },
  ].filter(({ index }) => index >= 0);
  if (faults.length === 0) {
    yield { bytes, offsets, firstLine };
    return;
  }
  const { index, error } = faults.reduce((first, next) => (next.index < first.index ? next : first));
  if (index > 0)
    yield { bytes: bytes.subarray(0, startOf(index)), offsets: offsets.slice(0, index), firstLine };
  throw error(file, firstLine + index, limits, bytes.subarray(startOf(index)));
}

/** Offsets of the line ends. */
function lineEnds(bytes: Buffer): number[] {
  const offsets: number[] = [];
  for (let start = 0; start < bytes.length; start = offsets.at(-1)! + 1) {
    const feed = bytes.indexOf(LF, start);
    offsets.push(feed < 0 ? bytes.length : feed);
  }
  return offsets;
}

function indexOfNul(bytes: Buffer, offsets: readonly number[]): number {
  const nul = bytes.indexOf(0);
  return nul < 0 ? -1 : offsets.findIndex((end) => end >= nul);
}

function hasNul(file: string, line: number): Error {
  return ingestError(
    "nul_byte",
    { file, line },
    "has a NUL byte; it is binary data, damaged, or in another encoding",
    howToUnpack(file) ?? "convert it to UTF-8 text, or fetch it again",
  );
}

function notUtf8(file: string, line: number, _limits: IngestLimits, rest: Buffer): Error {
  const encoding = likelyEncoding(rest);
  const remedy =
    encoding === undefined
      ? "convert it from the encoding that it has, for example `iconv -f WINDOWS-1252 -t UTF-8` if it is western European; others are SHIFT_JIS, EUC-KR, GB18030, WINDOWS-1251"
      : `it looks like ${encoding}: convert it, for example \`iconv -f ${encoding} -t UTF-8\``;
  return ingestError("invalid_utf8", { file, line }, "is not valid UTF-8", remedy);
}

function tooLong(file: string, line: number, limits: IngestLimits): Error {
  return ingestError(
    "record_too_large",
    { file, line },
    `the line is longer than ${formatBinarySize(limits.maxRecordBytes)}`,
    "split it, or raise maxRecordBytes (--max-record-mib)",
  );
}
