import type { ArrowBatch, ArrowTable } from "../../duckdb/arrow.js";
import type { SqlParams } from "../../duckdb/database.js";
import type { ExportOptions, ExportReport } from "../../lake/query/export-records.js";
import type { QueryOptions, SqlRow, StreamOptions } from "../../lake/query/lake-sql.js";
import type { RecordFilter } from "../../store/corpus.js";
import type { ClickHouseLake } from "../clickhouse-lake.js";
import type { ShownView } from "../held-view.js";
import { clusterUnsupported } from "../unsupported.js";
import { rowsOfBatch } from "./arrow-rows.js";
import { exportFromCluster } from "./export-from-cluster.js";
import { type RecordBatchOptions, recordBatchesOf } from "./record-batches.js";
import { runUserQuery } from "./run-query.js";

/** Runs the queries of a lake on ClickHouse: the server does. Results stream in Arrow, whatever form is wanted. */
export function clusterRunner(lake: ClickHouseLake) {
  async function* batches(
    view: ShownView,
    text: string,
    params: SqlParams,
    { tables: own, ...limits }: QueryOptions,
    isRead: boolean,
  ): AsyncGenerator<ArrowBatch, void, void> {
    if (own !== undefined)
      throw clusterUnsupported(
        "Tables of one's own beside the views",
        Object.keys(own),
        "Pass values as parameters, such as a list for `IN`, or query a lake in a folder.",
      );
    const queries = await lake.queryConnection();
    const { tables, corpus } = await view.asked();
    yield* runUserQuery({ tables, queries, live: corpus.live }, { text, params, isRead }, limits);
  }
  async function* rows(
    source: AsyncIterable<ArrowBatch>,
    onColumns?: StreamOptions["onColumns"],
  ): AsyncGenerator<SqlRow[], void, void> {
    let isFirst = true;
    for await (const batch of source) {
      if (isFirst) onColumns?.(batch.schema.fields.map(({ name, type }) => ({ name, type: String(type) })));
      isFirst = false;
      yield rowsOfBatch(batch);
    }
  }
  return {
    async rows(text: string, params: SqlParams, options: QueryOptions): Promise<SqlRow[]> {
      return (await lake.gather((view) => rows(batches(view, text, params, options, false)))).flat();
    },
    async table(text: string, params: SqlParams, options: QueryOptions): Promise<ArrowTable> {
      const all = await lake.gather((view) => batches(view, text, params, options, false));
      const { arrowTable } = await import("../../duckdb/arrow.js");
      return arrowTable(all);
    },
    batches: (text: string, params: SqlParams, options: QueryOptions) =>
      lake.stream((view) => batches(view, text, params, options, true)),
    stream: (text: string, params: SqlParams, { onColumns, ...options }: StreamOptions) =>
      lake.stream((view) => rows(batches(view, text, params, options, true), onColumns)),
    records: (filter: RecordFilter, options: RecordBatchOptions) =>
      lake.stream((view) => recordBatchesOf(lake, view, filter, options)),
    export: (options: ExportOptions): Promise<ExportReport> => exportFromCluster(lake, options),
  };
}
