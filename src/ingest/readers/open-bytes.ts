import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Transform } from "node:stream";
import { crc32, createGunzip, createInflateRaw } from "node:zlib";
import { IngestError } from "../../contract/errors.js";
import { formatBinarySize } from "../../contract/quantity.js";
import { CHUNK_BYTES } from "../defaults.js";
import { ingestError } from "../ingest-error.js";
import { iterateUntilAborted } from "../iterate-until-aborted.js";
import { checkUnchanged, fileState } from "./file-state.js";
import type { FoundFile } from "./found-file.js";
import { inflatePieces } from "./inflate-pieces.js";
import type { IngestLimits } from "./read-options.js";
import { readAt, type ZipMember } from "./zip-directory.js";

/** Options of {@link openBytes}. */
export interface OpenOptions {
  readonly limits: IngestLimits;
  readonly signal?: AbortSignal | undefined;
  /** Called with the size in bytes of each chunk read from disk. */
  readonly onRead?: (bytes: number) => void;
}

/**
 * Streams the content of a file: extracted from its archive and decompressed, sizes and checksums verified. Nothing is opened
 * before the first chunk is requested; ending the iteration early closes everything.
 *
 * @throws IngestError if the file cannot be read, is truncated or damaged, or expands beyond the limits
 */
export async function* openBytes(file: FoundFile, options: OpenOptions): AsyncGenerator<Buffer, void, void> {
  let chunks = file.member === undefined ? readPlain(file, options) : readMember(file, file.member, options);
  if (file.gzip) chunks = gunzip(chunks, file, options);
  for await (const chunk of chunks) {
    options.signal?.throwIfAborted();
    yield chunk;
  }
}

async function* readPlain(file: FoundFile, options: OpenOptions): AsyncGenerator<Buffer, void, void> {
  try {
    if (file.bytes !== undefined) {
      for await (const chunk of iterateUntilAborted(file.bytes, options.signal)) {
        options.onRead?.(chunk.length);
        // A copy: the program may fill its buffer again when it is asked for more.
        yield Buffer.from(chunk);
      }
      return;
    }
    const handle = await open(file.path);
    try {
      const before = await fileState(handle);
      for (;;) {
        const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
        // A stream over it would close it where it is not read to its end, under Yarn's Plug'n'Play.
        const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, null);
        if (bytesRead === 0) break;
        options.onRead?.(bytesRead);
        yield chunk.subarray(0, bytesRead);
      }
      await checkUnchanged(handle, before, file.label);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    options.signal?.throwIfAborted();
    throw cause instanceof IngestError ? cause : unreadable(file, cause);
  }
}

async function* readMember(
  file: FoundFile,
  member: ZipMember,
  options: OpenOptions,
): AsyncGenerator<Buffer, void, void> {
  const start = await memberStart(file, member);
  const stored = readRange(file, start, member.compressedSize, options);
  const chunks =
    member.method === 0 ? stored : inflated(stored, createInflateRaw({ chunkSize: CHUNK_BYTES }), file);
  let size = 0;
  let crc = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > member.size) break;
    crc = crc32(chunk, crc);
    yield chunk;
  }
  if (size !== member.size || crc !== member.crc32) {
    throw ingestError(
      "zip_damaged",
      { file: file.label },
      "does not match the size and checksum that the archive states",
      "fetch the archive again",
    );
  }
}

/** Offset of a member's data; its local header must have the same name as the directory entry. */
async function memberStart(file: FoundFile, member: ZipMember): Promise<number> {
  const handle = await open(file.path).catch((cause) => {
    throw unreadable(file, cause);
  });
  try {
    const header = await readAt(handle, member.headerOffset, 30, file.label);
    const nameLength = header.readUInt16LE(26);
    const name = await readAt(handle, member.headerOffset + 30, nameLength, file.label);
    if (header.readUInt32LE(0) !== 0x04034b50 || name.toString("utf8") !== member.name) {
      throw ingestError(
        "zip_damaged",
        { file: file.label },
        "has a local header that disagrees with the archive's directory",
        "fetch the archive again",
      );
    }
    return member.headerOffset + 30 + nameLength + header.readUInt16LE(28);
  } finally {
    await handle.close();
  }
}

async function* readRange(
  file: FoundFile,
  start: number,
  length: number,
  options: OpenOptions,
): AsyncGenerator<Buffer, void, void> {
  if (length === 0) return;
  try {
    const stream = createReadStream(file.path, {
      start,
      end: start + length - 1,
      highWaterMark: CHUNK_BYTES,
    });
    for await (const chunk of stream) {
      options.onRead?.((chunk as Buffer).length);
      yield chunk as Buffer;
    }
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

async function* gunzip(
  source: AsyncGenerator<Buffer, void, void>,
  file: FoundFile,
  options: OpenOptions,
): AsyncGenerator<Buffer, void, void> {
  const { maxExpansion, expansionAllowance } = options.limits;
  const through = createGunzip({ chunkSize: CHUNK_BYTES });
  let input = 0;
  let output = 0;
  const counted = async function* () {
    for await (const chunk of source) {
      if (input === 0 && !(chunk[0] === 0x1f && (chunk.length < 2 || chunk[1] === 0x8b))) {
        throw ingestError(
          "not_gzip",
          { file: file.label },
          "is named .gz and is not gzip data",
          "rename it to what it is, or fetch it again",
        );
      }
      const before = input;
      input += chunk.length;
      yield chunk;
      const rest = chunk.subarray(Math.max(0, through.bytesWritten - before));
      if (rest.some((byte) => byte !== 0)) throw junkBehind(file);
    }
    if (input === 0)
      throw ingestError("not_gzip", { file: file.label }, "is named .gz and is empty", "fetch it again");
  };
  for await (const chunk of inflated(counted(), through, file)) {
    output += chunk.length;
    if (output > expansionAllowance && output > input * maxExpansion) {
      throw ingestError(
        "expansion_limit",
        { file: file.label },
        `grows from ${formatBinarySize(input)} to over ${formatBinarySize(output)}, more than ${maxExpansion} times`,
        "if you trust it, decompress it and give the plain file",
      );
    }
    yield chunk;
  }
}

/** Decompresses a file's chunks. What it could decompress comes before the error. */
async function* inflated(
  source: AsyncIterable<Buffer>,
  through: Transform,
  file: FoundFile,
): AsyncGenerator<Buffer, void, void> {
  try {
    yield* inflatePieces(source, through);
  } catch (cause) {
    if (cause instanceof IngestError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined || !code.startsWith("Z_")) throw cause;
    // A first header is checked before: this is what follows a member.
    if ((cause as Error).message === "incorrect header check") throw junkBehind(file, cause);
    const reason =
      code === "Z_BUF_ERROR"
        ? "ends in the middle of its compressed data; it is truncated"
        : `has damaged compressed data (${(cause as Error).message})`;
    throw ingestError("compressed_data_damaged", { file: file.label }, reason, "fetch it again", cause);
  }
}

/** Zlib ignores what follows zeros behind the data, and takes anything else for a header. Zeros alone are padding. */
function junkBehind(file: FoundFile, cause?: unknown): IngestError {
  return ingestError(
    "compressed_data_damaged",
    { file: file.label },
    "has something behind the end of its compressed data that is not gzip data",
    "fetch it again; if plain text was appended to it, compress that too",
    cause,
  );
}

function unreadable(file: FoundFile, cause: unknown): Error {
  return ingestError(
    "file_unreadable",
    { file: file.label },
    `cannot be read: ${(cause as Error).message}`,
    "check the path and its permissions",
    cause,
  );
}
