import { isUtf8 } from "node:buffer";
import { ingestError } from "../ingest-error.js";
import { JsonDocumentError, type JsonRow, JsonRows } from "./json-rows.js";
import { JsonTextError, parseJson } from "./json-text.js";
import { withoutMark } from "./line-blocks.js";
import { type ReaderContext, type RowBatch, RowBatcher, withRowsBeforeFault } from "./row-batch.js";

const REMEDIES: Record<JsonDocumentError["code"], string> = {
  json_malformed:
    "rename the file to what it is (.jsonl, .csv, .tsv), name its format in the mapping, or repair it",
  json_truncated: "fetch it again",
  json_path: "correct `rows` of the source in the mapping",
  record_too_large:
    "if the rows are inside it, name them with `rows` in the mapping; else raise maxRecordBytes (--max-record-mib)",
};

/**
 * Reads the rows at `path` of a JSON document, one at a time; see {@link JsonRows}. A row that is nested too deep is rejected;
 * any other fault fails the document.
 *
 * @throws IngestError for a document that is malformed or truncated, or has nothing at `path`
 */
export function readJson(
  chunks: AsyncIterable<Buffer>,
  context: ReaderContext,
  path: readonly string[],
): AsyncGenerator<RowBatch, void, void> {
  const batch = new RowBatcher(context);
  return withRowsBeforeFault(batch, rowsOf(batch, chunks, context, path));
}

async function* rowsOf(
  batch: RowBatcher,
  chunks: AsyncIterable<Buffer>,
  context: ReaderContext,
  path: readonly string[],
): AsyncGenerator<RowBatch, void, void> {
  const document = new JsonRows(path, context.limits.maxRecordBytes);
  try {
    for await (const chunk of withoutMark(chunks)) {
      for (const row of document.push(chunk)) {
        add(row, batch, context);
        if (batch.full) yield batch.take();
      }
    }
    document.end();
  } catch (error) {
    if (!(error instanceof JsonDocumentError)) throw error;
    const place = { file: context.file, line: error.line, byte: error.byte };
    throw ingestError(error.code, place, error.message, REMEDIES[error.code]);
  }
  if (!batch.empty) yield batch.take();
}

function add(row: JsonRow, batch: RowBatcher, context: ReaderContext): void {
  const place = { file: context.file, line: row.line, byte: row.byte };
  const element = `element ${row.number}`;
  if (!isUtf8(row.bytes)) {
    throw ingestError("invalid_utf8", place, `${element} is not valid UTF-8`, "convert the file to UTF-8");
  }
  try {
    const value = parseJson(row.bytes.toString("utf8"), context.limits.maxDepth);
    batch.add(row.line, value, row.bytes.length, row.number);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    if (!error.tooDeep) {
      throw ingestError(
        "json_malformed",
        place,
        `${element} ${error.message}`,
        REMEDIES.json_malformed,
        error,
      );
    }
    batch.reject(row.line, error.message, undefined, row.number);
  }
}
