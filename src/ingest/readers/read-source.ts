import { IngestError } from "../../contract/errors.js";
import { omitUndefined } from "../../contract/omit-undefined.js";
import { nextTurn } from "../../next-turn.js";
import type { SourceSpec } from "../adapters/source-spec.js";
import { chooseFiles } from "../choose-files.js";
import { INGEST_LIMITS } from "../defaults.js";
import { ingestError } from "../ingest-error.js";
import { type Found, findFiles } from "./find-files.js";
import type { InputStream } from "./found-file.js";
import { hiveKeys } from "./hive-keys.js";
import { readFile } from "./read-file.js";
import type { ReadSourceOptions } from "./read-options.js";
import type { RowBatch } from "./row-batch.js";
import type { SourceRow } from "./source-row.js";

/**
 * Reads the rows of files and folders (zip archives count as folders) in bounded memory: JSON lines, JSON, CSV, TSV, lines and
 * Parquet, each plain or gzip-compressed. Sources are read in order, and the files of a source by path: the same input gives the
 * same rows in the same order.
 *
 * @param inputs paths of files and folders, and streams of bytes
 * @returns non-empty batches of rows
 * @throws IngestError for an input, archive or file that cannot be read in its format; it names file, line and remedy
 */
export async function* readSource(
  inputs: readonly (string | InputStream)[],
  options: ReadSourceOptions,
): AsyncGenerator<SourceRow[], void, void> {
  const limits = { ...INGEST_LIMITS, ...omitUndefined(options.limits ?? {}) };
  const { signal, onBadFile, onWait, ignore = [] } = options;
  yield* readFound(await findFiles(inputs, { limits, signal, ignore, onBadFile, onWait }), options);
}

/**
 * Reads the rows of files that were found before, as {@link readSource} does.
 * @returns non-empty batches of rows
 * @throws IngestError for a file that cannot be read in its format; it names file, line and remedy
 */
export async function* readFound(
  found: Found,
  options: Omit<ReadSourceOptions, "ignore" | "onWait">,
): AsyncGenerator<SourceRow[], void, void> {
  const { signal, onBadFile, onProgress } = options;
  const limits = { ...INGEST_LIMITS, ...omitUndefined(options.limits ?? {}) };
  const { chosen, notRead } = chooseFiles(found, options.sources, options.unread);
  for (const file of notRead) options.onNotRead?.(file);
  const isSized = chosen.every(({ file }) => file.bytes === undefined);
  const bytesTotal = isSized ? chosen.reduce((sum, { file }) => sum + file.size, 0) : 0;
  const { rowsOfEach = Number.POSITIVE_INFINITY } = options;
  const taken = new Map<SourceSpec, number>();
  let bytesBefore = 0;
  let rows = 0;
  for (const { file, source } of chosen) {
    if ((taken.get(source) ?? 0) >= rowsOfEach) continue;
    let bytesHere = 0;
    const most = file.bytes === undefined ? file.size : Number.POSITIVE_INFINITY;
    const report = () =>
      onProgress?.({
        bytesRead: bytesBefore + Math.min(bytesHere, most),
        bytesTotal,
        rows,
        file: file.label,
      });
    const keys = hiveKeys(file.fullName);
    const rowsBefore = rows;
    const batches = readFile(file, source, {
      limits,
      signal,
      tempDirectory: options.tempDirectory,
      onRead: (bytes) => {
        bytesHere += bytes;
      },
    });
    const readable = untilFault(batches, (fault) => {
      if (onBadFile === undefined) throw chosen.length === 1 ? fault : withSkipRemedy(fault);
      onBadFile({ file: file.label, code: fault.code, reason: fault.message, rows: rows - rowsBefore });
    });
    for await (const batch of readable) {
      signal?.throwIfAborted();
      for (const reject of batch.rejects) {
        if (options.onReject === undefined) {
          const remedy = "repair the row, or collect rejects (onReject)";
          throw ingestError("row_rejected", { file: reject.file, line: reject.line }, reject.reason, remedy);
        }
        await options.onReject(reject);
      }
      rows += batch.rows.length + batch.rejects.length;
      report();
      if (batch.rows.length === 0) continue;
      const before = taken.get(source) ?? 0;
      const wanted = batch.rows.slice(0, rowsOfEach - before);
      taken.set(source, before + wanted.length);
      // A batch is read without a wait, and converted so: each has a turn of its own.
      await nextTurn();
      yield keys === undefined ? wanted : wanted.map((row) => withKeys(row, keys));
      if (before + wanted.length >= rowsOfEach) break;
    }
    bytesBefore += file.bytes === undefined ? file.size : bytesHere;
    bytesHere = 0;
    report();
  }
}

/** One file of several is at fault: the others can be kept. */
function withSkipRemedy(fault: IngestError): IngestError {
  const { code, message, value, remedy } = fault;
  const skip = "or keep what is good of all files: skipBadFiles (--skip-bad-files)";
  return new IngestError(code, message, { value, remedy: `${remedy}; ${skip}`, cause: fault });
}

/** The batches of a file up to its fault, which is given to `onFault`. */
async function* untilFault(
  batches: AsyncGenerator<RowBatch, void, void>,
  onFault: (error: IngestError) => void,
): AsyncGenerator<RowBatch, void, void> {
  try {
    yield* batches;
  } catch (error) {
    if (!(error instanceof IngestError)) throw error;
    onFault(error);
  }
}

function withKeys(row: SourceRow, keys: Readonly<Record<string, string | null>>): SourceRow {
  const { value } = row;
  if (value === null || typeof value !== "object" || Array.isArray(value)) return row;
  return { ...row, value: { ...keys, ...value } };
}
