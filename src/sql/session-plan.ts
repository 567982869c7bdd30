import { UsageError } from "../contract/errors.js";
import { VECTOR_DIMENSIONS } from "../contract/service/unified-record.js";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import type { Cells } from "../duckdb/cells.js";
import type { SqlValue } from "../duckdb/database.js";
import { foldName } from "../duckdb/fold-name.js";
import { quoteText } from "../duckdb/quote-sql.js";
import { notRemoved } from "../store/raw-filter.js";
import type { RemovedRows } from "../store/removals/removed-rows.js";
import { BOUNDED_FUNCTIONS_SQL } from "./bounded-functions.js";
import { SQL_DEFAULTS } from "./defaults.js";
import { liveViewsSql, REMOVED_TABLES_SQL, redactedRows } from "./live-views.js";
import type { PlannedTable } from "./own/own-tables.js";
import { FOUND_TABLE, SEARCH_SQL } from "./search-calls.js";
import type { SqlLimits } from "./sql-session.js";
import { RECORD_VECTORS, SLICE_FACTS_SQL, SQL_VIEWS, sliceFacts, VECTOR_FUNCTION, viewSql } from "./views.js";

/** Data that queries read: a generation's database and its slices. */
export interface SqlData {
  /** Path of the generation's database. */
  readonly database: string;
  readonly slices: () => readonly SliceManifest[];
  /** Rows of the database that queries must not see. */
  readonly removed: RemovedRows;
  /** Name of the model of the local vectors. */
  readonly vectorModel: string;
}

/** A step that prepares an engine: a statement with its parameters, or rows to append to a table. */
type Step =
  | { readonly sql: string; readonly params?: readonly SqlValue[] }
  | { readonly table: string; readonly rows: Cells };

/** What an engine is made of: plain values that pass between processes. */
export interface SessionPlan {
  readonly memoryLimit: string;
  readonly threads: number | undefined;
  /** Name and width of the function that reads vectors. */
  readonly vectorFunction: { readonly name: string; readonly width: number };
  /** The steps before and after the function is defined. */
  readonly tables: readonly Step[];
  readonly views: readonly Step[];
  /** Functions that queries of users get instead of the engine's. */
  readonly bounds: readonly Step[];
  /** Names of the views and tables that queries of users may read. */
  readonly viewNames: readonly string[];
  /** Tables of the caller's own. */
  readonly ownTables: readonly PlannedTable[];
}

/** Names that tables of a caller cannot have, as {@link foldName} makes them. */
export const TAKEN_NAMES: ReadonlySet<string> = new Set([
  ...[...SQL_VIEWS, RECORD_VECTORS].map(({ name }) => name),
  ...["corpus", "live_records", "live_raw", "slice_facts", "local_model", "redacted_records", FOUND_TABLE],
  ...[
    "removed_records_rows",
    "removed_raw_rows",
    "main",
    "system",
    "temp",
    "pg_catalog",
    "information_schema",
  ],
]);

/**
 * Plans an in-memory engine with the views over a generation, which is attached read-only.
 * @throws UsageError `invalid_memory_limit`
 */
export function planSession(
  data: SqlData,
  { memoryLimit = SQL_DEFAULTS.memoryLimit, threads }: SqlLimits,
  ownTables: readonly PlannedTable[] = [],
): SessionPlan {
  checkMemoryLimit(memoryLimit);
  const { records, raw } = data.removed;
  const statements = (sqls: readonly string[]) => sqls.map((sql) => ({ sql }));
  return {
    memoryLimit,
    threads,
    vectorFunction: { name: VECTOR_FUNCTION, width: VECTOR_DIMENSIONS },
    tables: [
      ...statements([
        `ATTACH ${quoteText(data.database)} AS corpus (READ_ONLY)`,
        SLICE_FACTS_SQL,
        "CREATE TABLE local_model (model VARCHAR)",
        ...REMOVED_TABLES_SQL,
      ]),
      { table: "slice_facts", rows: sliceFacts(data.slices()) },
      { table: "local_model", rows: [[data.vectorModel]] },
      ...removedSteps("records", records),
      ...removedSteps("raw", raw),
      { table: "redacted_records", rows: redactedRows(data.removed) },
    ],
    views: statements([...liveViewsSql(data.removed), ...[...SQL_VIEWS, RECORD_VECTORS].map(viewSql)]),
    bounds: statements([...SEARCH_SQL, ...BOUNDED_FUNCTIONS_SQL]),
    viewNames: [...SQL_VIEWS, ...ownTables].map(({ name }) => foldName(name)),
    ownTables,
  };
}

/** The step that fills the table of the rows that a view leaves out, if there are any. They pass between processes as bits. */
function removedSteps(table: "records" | "raw", removed: readonly number[]): Step[] {
  if (removed.length === 0) return [];
  const [isShown, ...params] = notRemoved(removed);
  const sql = `INSERT INTO removed_${table}_rows SELECT "row" FROM corpus.${table} WHERE NOT (${isShown})`;
  return [{ sql, params }];
}

/** Refuses what is no amount of memory. @throws UsageError `invalid_memory_limit` */
export function checkMemoryLimit(memoryLimit: string): void {
  if (bytesOfMemory(memoryLimit) !== undefined) return;
  throw new UsageError("invalid_memory_limit", `Not an amount of memory: ${memoryLimit}`, {
    value: memoryLimit,
    remedy: "give a number with a unit, such as 512MB or 2GB",
  });
}

/** Bytes of an amount of memory as the engine takes it: `512MB` in powers of 1000, `512MiB` of 1024; undefined for another text. */
export function bytesOfMemory(text: string): number | undefined {
  const [, amount, unit, binary] = /^(\d+(?:\.\d+)?)\s?([KMGT])(i?)B$/i.exec(text) ?? [];
  if (amount === undefined) return undefined;
  return Number(amount) * (binary === "" ? 1000 : 1024) ** ("KMGT".indexOf(unit!.toUpperCase()) + 1);
}
