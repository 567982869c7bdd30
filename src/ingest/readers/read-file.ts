import { createWriteStream } from "node:fs";
import { open, symlink } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { makeSystemFolder } from "../../files/system-folder.js";
import { makeTemporaryFolder, type TemporaryFolder } from "../../files/temporary-folder.js";
import type { SourceSpec } from "../adapters/source-spec.js";
import { SNIFF_BYTES } from "../defaults.js";
import { ingestError } from "../ingest-error.js";
import { checkUnchanged, fileState } from "./file-state.js";
import type { FoundFile } from "./found-file.js";
import { howToConvert, howToUnpack } from "./how-to-unpack.js";
import { type OpenOptions, openBytes } from "./open-bytes.js";
import { readCsv } from "./read-csv.js";
import { readJson } from "./read-json.js";
import { readJsonl } from "./read-jsonl.js";
import { readLines } from "./read-lines.js";
import { readParquet } from "./read-parquet.js";
import type { ReaderContext, RowBatch } from "./row-batch.js";
import { checkContent, delimiterByName, formatByName } from "./sniff.js";

/** What a folder for an unpacked file is named by. */
const PARQUET = "parquet";

/** Options of {@link readFile}. */
export interface ReadFileOptions extends OpenOptions {
  /** Folder where a compressed Parquet file is unpacked. Default: the system's temporary folder. */
  readonly tempDirectory?: string | undefined;
}

/**
 * Reads one file in the format its source states, else in the format of its extension, after a check of its content.
 * @throws IngestError if the content is of another format
 */
export async function* readFile(
  file: FoundFile,
  source: SourceSpec,
  options: ReadFileOptions,
): AsyncGenerator<RowBatch, void, void> {
  const { label } = file;
  const format = source.read?.as ?? formatByName(file.name);
  if (format === undefined) {
    const unpack = howToUnpack(label);
    const rename =
      file.bytes === undefined
        ? "rename it to"
        : "give it a name (standard input: --stdin-name) with the ending";
    throw ingestError(
      "unknown_format",
      { file: label },
      unpack === undefined
        ? "has an extension of no known format"
        : "is compressed or packed in a way that is not read",
      unpack ??
        howToConvert(label) ??
        `name its format in the mapping (\`read\`), or ${rename} .jsonl, .json, .csv, .tsv or .parquet`,
    );
  }
  const context: ReaderContext = {
    source: source.name,
    file: label,
    limits: options.limits,
    signal: options.signal,
  };
  if (format === "parquet") {
    yield* readParquetFile(file, context, options);
    return;
  }
  const bytes = openBytes(file, options);
  try {
    const { head, chunks } = await peek(bytes);
    checkContent(head, format, label);
    const read = source.read;
    switch (format) {
      case "jsonl":
        return yield* readJsonl(chunks, context);
      case "lines":
        return yield* readLines(chunks, context);
      case "json": {
        const path = read?.as === "json" && read.rows ? read.rows.split(".") : [];
        return yield* readJson(chunks, context, path);
      }
      case "csv": {
        const csv = read?.as === "csv" ? read : undefined;
        const delimiter = csv?.delimiter ?? delimiterByName(file.name);
        const quote = csv?.quote === undefined ? '"' : csv.quote;
        return yield* readCsv(chunks, context, { delimiter, quote, columns: csv?.columns });
      }
    }
  } finally {
    await bytes.return();
  }
}

/**
 * Reads the first bytes of a stream and returns them with the complete stream. A fault among the first bytes is thrown by the
 * stream in its place, after the bytes before it.
 */
async function peek(bytes: AsyncGenerator<Buffer, void, void>) {
  const first: Buffer[] = [];
  let size = 0;
  let fault: { readonly error: unknown } | undefined;
  while (size < SNIFF_BYTES && fault === undefined) {
    try {
      const next = await bytes.next();
      if (next.done) break;
      first.push(next.value);
      size += next.value.length;
    } catch (error) {
      if (size === 0) throw error;
      fault = { error };
    }
  }
  const again = async function* (): AsyncGenerator<Buffer, void, void> {
    yield* first.splice(0);
    if (fault !== undefined) throw fault.error;
    yield* bytes;
  };
  return { head: Buffer.concat(first).subarray(0, SNIFF_BYTES), chunks: again() };
}

/** DuckDB reads Parquet only from a plain path (it expands globs), so other files get one in a temporary folder. */
async function* readParquetFile(
  file: FoundFile,
  context: ReaderContext,
  options: ReadFileOptions,
): AsyncGenerator<RowBatch, void, void> {
  const packed = file.member !== undefined || file.gzip || file.bytes !== undefined;
  const { limits, signal } = options;
  const bytes = openBytes(file, packed ? options : { limits, signal });
  let folder: TemporaryFolder | undefined;
  let path = file.path;
  try {
    const { head, chunks } = await peek(bytes);
    checkContent(head, "parquet", file.label);
    if (packed || /[*?[\]{}]/.test(path)) {
      const { tempDirectory } = options;
      folder = await (tempDirectory === undefined
        ? makeSystemFolder(PARQUET)
        : makeTemporaryFolder(tempDirectory, `${PARQUET}-`));
      path = join(folder.path, "rows.parquet");
      if (packed) await pipeline(Readable.from(chunks), createWriteStream(path));
      else await symlink(file.path, path);
    }
    await bytes.return();
    let reported = 0;
    const rows = readParquet(path, context, (share) => {
      if (packed) return;
      options.onRead?.(share * file.size - reported);
      reported = share * file.size;
    });
    yield* packed ? rows : whileUnchanged(rows, file);
  } finally {
    await bytes.return();
    await folder?.remove();
  }
}

/** The batches of a file that the engine opens by itself; a write to the file meanwhile is the fault, whatever the engine says of it. */
async function* whileUnchanged(
  batches: AsyncGenerator<RowBatch, void, void>,
  { path, label }: FoundFile,
): AsyncGenerator<RowBatch, void, void> {
  const handle = await open(path);
  try {
    const before = await fileState(handle);
    try {
      yield* batches;
    } catch (error) {
      await checkUnchanged(handle, before, label);
      throw error;
    }
    await checkUnchanged(handle, before, label);
  } finally {
    await handle.close();
  }
}
