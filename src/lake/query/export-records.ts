import { type FileHandle, open, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { ArrowBatch } from "../../duckdb/arrow.js";
import type { SqlValue } from "../../duckdb/database.js";
import { BUILD_DEFAULTS } from "../../duckdb/defaults.js";
import { quoteText } from "../../duckdb/quote-sql.js";
import { csvRecord } from "../../files/csv-text.js";
import { replaceOutput } from "../../files/replace-output.js";
import { writingTo } from "../../files/writing-to.js";
import { nextTurn } from "../../next-turn.js";
import { ownRows, runOwnStatement } from "../../sql/sql-session.js";
import type { RecordFilter } from "../../store/corpus.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import { removedMeanwhile } from "../lake-errors.js";
import type { LakeHandle } from "../lake-handle.js";
import type { LakeView } from "../open/open-view.js";
import type { ExportFormat } from "./export-formats.js";
import { arrowOf, recordsQuery, sqlSource } from "./lake-sql.js";

/** How records are exported. */
export interface ExportOptions {
  /** File to write; it appears when complete and replaces an existing one. */
  readonly out: string;
  readonly format: ExportFormat;
  readonly filter?: RecordFilter;
  /** Whether to include vectors: `vec` in JSON, `vector_model` and `vec` in the other formats. */
  readonly vectors?: boolean;
  /** Whether texts that a spreadsheet would take for formulas get a leading apostrophe, in CSV. */
  readonly escapeFormulas?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** Result of an export. */
export interface ExportReport {
  readonly file: string;
  readonly format: ExportFormat;
  readonly records: number;
  readonly bytes: number;
}

/**
 * Exports the records that match a filter to one file, in bounded memory: unified records as JSON Lines, or the
 * columns of the SQL view `records` as Parquet, Arrow IPC or CSV. Atomic.
 * @throws UsageError `unwritable_file`, `file_in_lake`; LakeError `removed_meanwhile` if something was removed before the end;
 * the signal's reason when aborted
 */
export async function exportRecords(lake: LakeHandle, options: ExportOptions): Promise<ExportReport> {
  options.signal?.throwIfAborted();
  return writingTo(options.out, () => exportTo(lake, options));
}

async function exportTo(lake: LakeHandle, options: ExportOptions): Promise<ExportReport> {
  const { out, format, filter = {}, signal, onProgress } = options;
  return lake.use(async (view) => {
    const total = view.corpus.match(filter).count;
    const report = (done: number) => onProgress?.(done, total);
    report(0);
    const before = lake.removalState();
    const write = async (path: string) => {
      await WRITERS[format]({ view, options, filter, path, report });
      signal?.throwIfAborted();
      return stat(path);
    };
    const beforeReplace = () => {
      if (lake.removalState() !== before) throw removedMeanwhile(lake.path);
    };
    const { size } = await replaceOutput(out, write, { lake: lake.path, beforeReplace });
    return { file: out, format, records: total, bytes: size };
  });
}

interface Writing {
  readonly view: LakeView;
  readonly options: ExportOptions;
  readonly filter: RecordFilter;
  readonly path: string;
  readonly report: (done: number) => void;
}

const WRITERS: Readonly<Record<ExportFormat, (writing: Writing) => Promise<void>>> = {
  parquet: writeParquet,
  arrow: async (writing) => {
    const { writeArrow } = await import("../../duckdb/arrow.js");
    await withFile(writing.path, (file) =>
      writeArrow(file, counted(arrowOfRecords(writing), writing.report)),
    );
  },
  csv: (writing) => writeText(writing, csvLines(writing)),
  jsonl: (writing) => writeText(writing, jsonLines(writing)),
  "jsonl.gz": writeGzip,
};

async function writeParquet({ view, options, filter, path, report }: Writing): Promise<void> {
  const { sql, params } = recordsQuery(filter, options);
  const schema = await arrowSchemaOf(view, sql, params, options);
  const metadata = schema === undefined ? "" : `, KV_METADATA {'ARROW:schema': ${quoteText(schema)}}`;
  const copy = `COPY (${sql}) TO ${quoteText(path)} (FORMAT parquet, ROW_GROUP_SIZE ${BUILD_DEFAULTS.rowGroupRows}${metadata})`;
  const total = view.corpus.match(filter).count;
  const onShare = (share: number) => report(Math.floor(share * total));
  await runOwnStatement(sqlSource(view), copy, params, limitsOf(options), onShare);
  report(total);
}

/**
 * The Arrow schema of a query's result, for the metadata of a Parquet file. Parquet has no list of a fixed size: its vectors are plain
 * lists to readers that know no Arrow, and `FixedSizeList` to those that do. Undefined where there is no row.
 */
async function arrowSchemaOf(
  view: LakeView,
  sql: string,
  params: readonly SqlValue[],
  options: ExportOptions,
): Promise<string | undefined> {
  const { schemaText } = await import("../../duckdb/arrow.js");
  for await (const { schema } of arrowOf(sqlSource(view), `${sql} LIMIT 1`, params, limitsOf(options)))
    return schemaText(schema);
  return undefined;
}

function arrowOfRecords({ view, options, filter }: Writing): AsyncIterable<ArrowBatch> {
  const { sql, params } = recordsQuery(filter, options);
  return arrowOf(sqlSource(view), sql, params, limitsOf(options));
}

async function* counted(batches: AsyncIterable<ArrowBatch>, report: (done: number) => void) {
  let done = 0;
  for await (const batch of batches) {
    yield batch;
    done += batch.numRows;
    report(done);
  }
}

/** Characters from which on text is written before more is made: of rows with vectors some 13. Others get their turn meanwhile. */
const TEXT_CHARACTERS = 262_144;

async function* csvLines({ view, options, filter }: Writing): AsyncGenerator<Lines, void, void> {
  const { sql, params, columns } = recordsQuery(filter, options);
  const { escapeFormulas } = options;
  yield { text: csvRecord(columns), records: 0 };
  for await (const rows of ownRows(sqlSource(view), sql, params, limitsOf(options)))
    yield* linesOf(rows, (row) =>
      csvRecord(
        columns.map((name) => row[name]),
        { escapeFormulas },
      ),
    );
}

async function* jsonLines({ view, options, filter }: Writing): AsyncGenerator<Lines, void, void> {
  const { corpus, index } = view;
  const rows = corpus.match(filter).rows();
  for (let start = 0; start < rows.length; start += LAKE_DEFAULTS.documentBatch) {
    options.signal?.throwIfAborted();
    const batch = [...rows.subarray(start, start + LAKE_DEFAULTS.documentBatch)];
    const records = await corpus.records(batch);
    const lines = linesOf(records, (record, i) => {
      const shown = options.vectors ? { ...record, vec: Array.from(index.vector(batch[i]!)) } : record;
      return `${JSON.stringify(shown)}\n`;
    });
    for (const piece of lines) {
      yield piece;
      // Rows are read synchronously: yield to the event loop.
      await nextTurn();
    }
  }
}

/** The lines of rows, some at a time. */
function* linesOf<T>(rows: readonly T[], line: (row: T, i: number) => string): Generator<Lines, void, void> {
  let [text, records] = ["", 0];
  for (const [i, row] of rows.entries()) {
    text += line(row, i);
    records++;
    if (text.length < TEXT_CHARACTERS && i < rows.length - 1) continue;
    yield { text, records };
    [text, records] = ["", 0];
  }
}

interface Lines {
  readonly text: string;
  readonly records: number;
}

async function writeText({ path, report }: Writing, lines: AsyncIterable<Lines>): Promise<void> {
  await withFile(path, async (file) => {
    let done = 0;
    for await (const { text, records } of lines) {
      await file.appendFile(text);
      done += records;
      report(done);
    }
  });
}

async function writeGzip(writing: Writing): Promise<void> {
  async function* texts() {
    let done = 0;
    for await (const { text, records } of jsonLines(writing)) {
      yield text;
      done += records;
      writing.report(done);
    }
  }
  await withFile(writing.path, (file) =>
    pipeline(texts, createGzip(), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) await file.appendFile(chunk);
    }),
  );
}

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, "w");
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** One thread keeps the order of rows. */
function limitsOf({ signal }: ExportOptions) {
  return { threads: 1, signal };
}
