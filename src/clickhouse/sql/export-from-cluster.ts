import { type FileHandle, open, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { ArrowBatch } from "../../duckdb/arrow.js";
import { csvRecord } from "../../files/csv-text.js";
import { replaceOutput } from "../../files/replace-output.js";
import { writingTo } from "../../files/writing-to.js";
import type { ExportFormat } from "../../lake/query/export-formats.js";
import type { ExportOptions, ExportReport } from "../../lake/query/export-records.js";
import type { ClickHouseLake } from "../clickhouse-lake.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import type { ShownView } from "../held-view.js";
import { rowsOfBatch } from "./arrow-rows.js";
import { LakeTables } from "./lake-tables.js";
import { recordBatchesOf } from "./record-batches.js";
import { writeParquet } from "./write-parquet.js";

/**
 * Exports the records that match a filter to one file, as `exportRecords` does those of a lake in a folder: the same formats, columns
 * and types, in bounded memory. Where something is removed meanwhile it begins again, so that the file never has it. Atomic.
 * @throws UsageError `unwritable_file`; LakeError `removed_meanwhile`, `cluster_*`; the signal's reason when aborted
 */
export async function exportFromCluster(lake: ClickHouseLake, options: ExportOptions): Promise<ExportReport> {
  const { out, format, signal } = options;
  signal?.throwIfAborted();
  return writingTo(out, async () => {
    const { records, bytes } = await replaceOutput(out, async (path) => {
      const written = await lake.use((view) => writeTo(lake, view, path, options));
      signal?.throwIfAborted();
      return { records: written, bytes: (await stat(path)).size };
    });
    return { file: out, format, records, bytes };
  });
}

interface Writing {
  readonly view: ShownView;
  readonly options: ExportOptions;
  readonly path: string;
  readonly batches: () => AsyncGenerator<ArrowBatch, void, void>;
  readonly report: (done: number) => void;
}

async function writeTo(
  lake: ClickHouseLake,
  view: ShownView,
  path: string,
  options: ExportOptions,
): Promise<number> {
  const { filter = {}, format, vectors, signal, onProgress } = options;
  const total = view.corpus.match(filter).count;
  const report = (done: number) => onProgress?.(done, total);
  report(0);
  const batches = () => recordBatchesOf(lake, view, filter, { vectors, signal });
  await WRITERS[format]({ view, options, path, batches, report });
  return total;
}

const WRITERS: Readonly<Record<ExportFormat, (writing: Writing) => Promise<void>>> = {
  parquet: ({ batches, options, path, report }) =>
    writeParquet(path, batches(), { vectors: options.vectors, signal: options.signal, report }),
  arrow: async ({ batches, path, report }) => {
    const { writeArrow } = await import("../../duckdb/arrow.js");
    await withFile(path, (file) => writeArrow(file, counted(batches(), report)));
  },
  csv: (writing) => writeText(writing, csvLines(writing)),
  jsonl: (writing) => writeText(writing, jsonLines(writing)),
  "jsonl.gz": (writing) =>
    withFile(writing.path, (file) =>
      pipeline(texts(writing, jsonLines(writing)), createGzip(), async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) await file.appendFile(chunk);
      }),
    ),
};

async function* counted(batches: AsyncIterable<ArrowBatch>, report: (done: number) => void) {
  let done = 0;
  for await (const batch of batches) {
    yield batch;
    done += batch.numRows;
    report(done);
  }
}

interface Lines {
  readonly text: string;
  readonly records: number;
}

async function* csvLines({ batches, options }: Writing): AsyncGenerator<Lines, void, void> {
  const columns = LakeTables.exportedColumns(options.vectors ?? false);
  const { escapeFormulas } = options;
  yield { text: csvRecord(columns), records: 0 };
  for await (const batch of batches()) {
    const lines = rowsOfBatch(batch).map((row) =>
      csvRecord(
        columns.map((name) => row[name]),
        { escapeFormulas },
      ),
    );
    yield { text: lines.join(""), records: lines.length };
  }
}

async function* jsonLines({ view, options }: Writing): AsyncGenerator<Lines, void, void> {
  const { corpus, index } = view;
  const rows = corpus.match(options.filter ?? {}).rows();
  const size = CLICKHOUSE_DEFAULTS.recordsAtOnce;
  for (let start = 0; start < rows.length; start += size) {
    options.signal?.throwIfAborted();
    const some = [...rows.subarray(start, start + size)];
    const records = await corpus.records(some);
    const vectors = options.vectors ? await index.vectors(some) : undefined;
    const lines = records.map((record, i) =>
      JSON.stringify(vectors === undefined ? record : { ...record, vec: Array.from(vectors[i]!) }),
    );
    yield { text: `${lines.join("\n")}\n`, records: lines.length };
  }
}

async function* texts({ report }: Writing, lines: AsyncIterable<Lines>): AsyncGenerator<string, void, void> {
  let done = 0;
  for await (const { text, records } of lines) {
    yield text;
    done += records;
    report(done);
  }
}

async function writeText(writing: Writing, lines: AsyncIterable<Lines>): Promise<void> {
  await withFile(writing.path, async (file) => {
    for await (const text of texts(writing, lines)) await file.appendFile(text);
  });
}

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, "w");
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}
