import { formatBinarySize } from "../../contract/quantity.js";
import { ingestError } from "../ingest-error.js";
import { CsvParser, type CsvRecord } from "./csv-parser.js";
import { lineBlocks } from "./line-blocks.js";
import { type ReaderContext, type RowBatch, RowBatcher, withRowsBeforeFault } from "./row-batch.js";

/** Format of delimited text. */
export interface CsvOptions {
  readonly delimiter: string;
  /** `null` if nothing is quoted. */
  readonly quote: string | null;
  /** Column names of a file without a header. Absent: the first record names them. */
  readonly columns?: readonly string[] | undefined;
}

/**
 * Reads CSV or TSV: one object of strings per record. A record whose field count differs from the header's is rejected.
 *
 * @throws IngestError for a missing or ambiguous header, and for a quoted field that never ends
 */
export function readCsv(
  chunks: AsyncIterable<Buffer>,
  context: ReaderContext,
  options: CsvOptions,
): AsyncGenerator<RowBatch, void, void> {
  const batch = new RowBatcher(context);
  return withRowsBeforeFault(batch, rowsOf(batch, chunks, context, options));
}

async function* rowsOf(
  batch: RowBatcher,
  chunks: AsyncIterable<Buffer>,
  context: ReaderContext,
  options: CsvOptions,
): AsyncGenerator<RowBatch, void, void> {
  const parser = new CsvParser(options.delimiter, options.quote ?? undefined);
  let names = options.columns;
  let header: readonly string[] = [];
  let unnamed: 0 | 1 | undefined = options.columns === undefined ? undefined : 0;
  /** First records, until there are enough of them to tell how lines end, however the bytes come. */
  let held: readonly CsvRecord[] = [];
  function* take(given: readonly CsvRecord[], areLast = false): Generator<RowBatch> {
    const records = held.length === 0 ? given : [...held, ...given];
    held = [];
    for (const [at, record] of records.entries()) {
      if (names === undefined) {
        names = columnNames(record, context.file, options.delimiter);
        header = record.fields;
        continue;
      }
      if (repeats(record, header)) {
        batch.reject(record.line, "repeats the header line: files were joined here");
        if (batch.full) yield batch.take();
        continue;
      }
      if (unnamed === undefined) {
        const first = records.slice(at, at + LOOKED_AT);
        const doEnd = first.every((one) => endsWithDelimiter(one, names!.length));
        if (doEnd && first.length < LOOKED_AT && !areLast) {
          held = first;
          return;
        }
        unnamed = doEnd && first.length > 1 ? 1 : 0;
      }
      addRecord(record, names, batch, options.columns === undefined, unnamed);
      if (batch.full) yield batch.take();
    }
  }
  for await (const block of lineBlocks(chunks, context.file, context.limits)) {
    yield* take(parser.push(block.bytes));
    if (parser.pendingBytes > context.limits.maxRecordBytes) throw neverClosed(parser, context);
  }
  if (parser.openQuoteLine !== undefined) throw neverClosed(parser, context);
  yield* take(parser.end(), true);
  if (names === undefined) {
    throw ingestError(
      "csv_no_header",
      { file: context.file },
      "is empty: it has no header line",
      "fetch it again, or leave it out",
    );
  }
  if (!batch.empty) yield batch.take();
}

/** Records after the header that tell whether lines end with a delimiter. One alone may hold a delimiter without quotes. */
const LOOKED_AT = 8;

/** Whether a record has one field more than the header, an empty one: some programs end every line but the header with a delimiter. */
function endsWithDelimiter({ fields }: CsvRecord, columns: number): boolean {
  return fields.length === columns + 1 && fields.at(-1) === "";
}

/** Whether a record says nothing but the names of its columns. One column may hold its name. */
function repeats({ fields }: CsvRecord, header: readonly string[]): boolean {
  if (header.length < 2 || fields.length !== header.length) return false;
  return fields.every((field, i) => field === header[i] || (i === 0 && withoutMark(field) === header[0]));
}

/** A field without a byte order mark, behind which quotes quote nothing. */
function withoutMark(field: string): string {
  return field.startsWith("\ufeff") ? field.slice(1).replace(/^"(.*)"$/su, "$1") : field;
}

function addRecord(
  record: CsvRecord,
  names: readonly string[],
  batch: RowBatcher,
  hasHeader: boolean,
  unnamed: 0 | 1,
): void {
  const { fields, line } = record;
  if (record.problem !== undefined) batch.reject(line, record.problem, NOT_CSV);
  else if (fields.length !== names.length + unnamed || (unnamed === 1 && fields.at(-1) !== "")) {
    const ends = unnamed === 1 ? ", and the lines after it end with a delimiter" : "";
    const expected = hasHeader
      ? `the header has ${names.length}${ends}`
      : `the mapping names ${names.length} columns`;
    batch.reject(line, `has ${fields.length} fields where ${expected}`, NOT_CSV);
  } else {
    const row: Record<string, string> = {};
    for (let i = 0; i < names.length; i++) row[names[i]!] = fields[i]!;
    batch.add(line, row, record.bytes);
  }
}

function columnNames(header: CsvRecord, file: string, delimiter: string): string[] {
  const place = { file, line: header.line };
  const remedy = "correct the header line, or name the columns in the mapping";
  const names = header.fields.map((name, i) => (name.trim() === "" ? `column_${i + 1}` : name));
  if (names.some((name) => name.includes("\r"))) {
    throw ingestError(
      "csv_line_ends",
      place,
      "ends its lines with bare carriage returns",
      "convert it, for example `tr '\\r' '\\n'`",
    );
  }
  if (header.problem !== undefined) throw ingestError("csv_bad_header", place, header.problem, remedy);
  const other = [";", "\t", "|", ",", "::"].find((c) => c !== delimiter && names[0]!.includes(c));
  if (names.length === 1 && other !== undefined) {
    throw ingestError(
      "csv_wrong_delimiter",
      place,
      `has one column by ${JSON.stringify(delimiter)}; it looks separated by ${JSON.stringify(other)}`,
      "name the delimiter in the mapping",
    );
  }
  const seen = new Set<string>();
  const repeated = names.find((name) => seen.size === seen.add(name).size);
  if (repeated !== undefined)
    throw ingestError("csv_bad_header", place, `names the column ${JSON.stringify(repeated)} twice`, remedy);
  if (names.includes("__proto__"))
    throw ingestError("csv_bad_header", place, "names a column __proto__", remedy);
  return names;
}

function neverClosed(parser: CsvParser, { file, limits }: ReaderContext): Error {
  const line = parser.openQuoteLine;
  return line === undefined
    ? ingestError(
        "record_too_large",
        { file },
        `has a record longer than ${formatBinarySize(limits.maxRecordBytes)}`,
        "split it, or raise maxRecordBytes (--max-record-mib)",
      )
    : ingestError(
        "csv_open_quote",
        { file, line },
        "opens a quote that is never closed",
        'close the quote, double it, or say in the mapping that nothing is quoted ("quote": null)',
      );
}

const NOT_CSV = {
  code: "not_csv",
  remedy: "check the delimiter, the quotes and the columns against the mapping",
};
