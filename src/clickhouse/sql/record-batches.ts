import { VECTOR_DIMENSIONS } from "../../contract/service/unified-record.js";
import type { ArrowBatch } from "../../duckdb/arrow.js";
import { bytesOfMemory, checkMemoryLimit } from "../../sql/session-plan.js";
import type { SqlLimits } from "../../sql/sql-session.js";
import type { RecordFilter } from "../../store/corpus.js";
import type { ClickHouseLake } from "../clickhouse-lake.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import type { ShownView } from "../held-view.js";
import { arrowOf } from "./run-query.js";
import { LISTS } from "./view-columns.js";

/** Options of {@link recordBatchesOf}. */
export interface RecordBatchOptions extends Omit<SqlLimits, "timeoutMs"> {
  /** Adds `vector_model` and `vec`. */
  readonly vectors?: boolean | undefined;
}

/**
 * The records that match a filter, in row order, as record batches with the columns of the view `records`. The server is asked for
 * some thousands at a time, so that neither it nor this process holds more.
 * @throws LakeError `cluster_*`; the signal's reason
 */
export async function* recordBatchesOf(
  lake: ClickHouseLake,
  view: ShownView,
  filter: RecordFilter,
  { vectors = false, memoryLimit, threads, signal }: RecordBatchOptions = {},
): AsyncGenerator<ArrowBatch, void, void> {
  if (memoryLimit !== undefined) checkMemoryLimit(memoryLimit);
  const { withLists } = await import("../../duckdb/arrow.js");
  const { tables, counting } = await view.asked();
  const queries = await lake.queryConnection();
  const settings = {
    ...CLICKHOUSE_DEFAULTS.confined,
    ...(memoryLimit === undefined ? {} : { max_memory_usage: String(bytesOfMemory(memoryLimit)) }),
    ...(threads === undefined || threads === 0 ? {} : { max_threads: threads }),
    join_use_nulls: 0,
  };
  const { plain, vectors: few } = CLICKHOUSE_DEFAULTS.exportRows;
  const size = vectors ? few : plain;
  const lists = { present: LISTS, sizes: vectors ? { vec: VECTOR_DIMENSIONS } : undefined };
  let empty: ArrowBatch | undefined;
  let found = false;
  for (const { id, records } of counting)
    for (let first = 0; first < records; first += size) {
      const part = { load: id, first, last: Math.min(records, first + size) - 1 };
      const { sql, values } = tables.recordsPart(part, filter, vectors);
      for await (const batch of arrowOf(queries, sql, values, { settings, signal })) {
        const shown = withLists(batch, lists);
        if (batch.numRows === 0) empty = shown;
        else {
          found = true;
          yield shown;
        }
      }
    }
  // Its columns are known, though there is no record.
  if (!found && empty !== undefined) yield empty;
}
