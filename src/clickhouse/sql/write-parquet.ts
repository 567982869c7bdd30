import { dirname, join } from "node:path";
import type { ArrowBatch } from "../../duckdb/arrow.js";
import { Database } from "../../duckdb/database.js";
import { BUILD_DEFAULTS } from "../../duckdb/defaults.js";
import { quoteName, quoteText } from "../../duckdb/quote-sql.js";
import { RECORD_VECTORS, SQL_VIEWS } from "../../sql/views.js";

/** Options of {@link writeParquet}. */
export interface WriteParquetOptions {
  readonly vectors?: boolean | undefined;
  readonly report: (done: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes record batches as a Parquet file with the columns and types that a lake in a folder exports. They go through a database of
 * this machine beside the file, because a server writes another file for each request, and other types.
 */
export async function writeParquet(
  path: string,
  batches: AsyncIterable<ArrowBatch>,
  { vectors = false, report, signal }: WriteParquetOptions,
): Promise<void> {
  const { schemaText } = await import("../../duckdb/arrow.js");
  const { cellsOfBatch } = await import("../../duckdb/arrow-cells.js");
  const { columns } = vectors ? RECORD_VECTORS : SQL_VIEWS[0]!;
  const list = columns.map(({ name, type }) => `${quoteName(name)} ${type}`);
  const db = await Database.open(join(dirname(path), "rows.duckdb"), { threads: 1 });
  try {
    await db.run(`CREATE TABLE rows (${list.join(", ")})`);
    let [done, schema] = [0, ""];
    for await (const batch of batches) {
      signal?.throwIfAborted();
      for (const cells of cellsOfBatch(batch)) await db.append("rows", cells);
      done += batch.numRows;
      report(done);
    }
    for await (const { schema: of } of arrowOfRows(db)) schema = schemaText(of);
    const metadata = schema === "" ? "" : `, KV_METADATA {'ARROW:schema': ${quoteText(schema)}}`;
    await db.run(
      `COPY rows TO ${quoteText(path)} (FORMAT parquet, ROW_GROUP_SIZE ${BUILD_DEFAULTS.rowGroupRows}${metadata})`,
      [],
      signal,
    );
  } finally {
    await db.close();
  }
}

/** The first row, for its types. */
async function* arrowOfRows(db: Database): AsyncGenerator<ArrowBatch, void, void> {
  const { arrowBatch } = await import("../../duckdb/arrow.js");
  for await (const batch of db.columns("FROM rows LIMIT 1", [])) yield arrowBatch(batch);
}
