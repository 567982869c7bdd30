import { z } from "zod";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { UsageError } from "../contract/errors.js";
import {
  CallbackOption,
  FlagOption,
  MillisecondsOption,
  PathOption,
  SignalOption,
  TextOption,
  ThreadsOption,
} from "../contract/option-schemas.js";
import { ownParams } from "../contract/own-copy.js";
import { type Domain, Domain as DomainSchema } from "../contract/service/platforms.js";
import { DayOrInstant, windowOf } from "../contract/service/shared-params.js";
import type { ArrowBatch, ArrowTable } from "../duckdb/arrow.js";
import type { SqlParams } from "../duckdb/database.js";
import type { LakeHandle } from "../lake/lake-handle.js";
import { EXPORT_FORMATS, type ExportFormat } from "../lake/query/export-formats.js";
import { type ExportOptions, type ExportReport, exportRecords } from "../lake/query/export-records.js";
import {
  type QueryOptions,
  recordBatches,
  type SqlRow,
  type StreamOptions,
  sqlBatches,
  sqlRows,
  sqlStream,
  sqlTable,
} from "../lake/query/lake-sql.js";
import type { OwnTables } from "../sql/own/own-tables.js";
import type { SqlLimits } from "../sql/sql-session.js";
import type { RecordFilter } from "../store/corpus.js";
import type { OpenCalls } from "./open-calls.js";

/** Limits of a query and the form of its result. */
export interface SqlOptions extends QueryOptions {
  /** `rows` (default), an Arrow `table`, or Arrow record `batches`. */
  readonly as?: "rows" | "table" | "batches";
}

/** Selects records; an absent condition does not restrict. */
export interface RecordsFilter {
  readonly domains?: readonly Domain[] | undefined;
  readonly platforms?: readonly string[] | undefined;
  /** Language ranges: `zh` includes `zh-Hant`. */
  readonly langs?: readonly string[] | undefined;
  /** Earliest capture, inclusive: an ISO 8601 day (UTC) or instant. */
  readonly from?: string | undefined;
  /** Latest capture, inclusive: an ISO 8601 day (UTC) or instant. */
  readonly to?: string | undefined;
}

/** Options of {@link LakeQueries.arrow}. */
export interface ArrowOptions extends Omit<SqlLimits, "timeoutMs"> {
  /** Adds the columns `vector_model` and `vec` (1536 numbers). */
  readonly vectors?: boolean;
}

/** Options of {@link LakeQueries.export}. */
export interface ExportRecordsOptions extends RecordsFilter {
  readonly format: ExportFormat;
  /** Includes the vectors of records. */
  readonly vectors?: boolean;
  /**
   * Whether texts that a spreadsheet would take for formulas (they begin with `=`, `+`, `-`, `@`, a tab or a line end) get a leading
   * apostrophe, in CSV. Default: false, every text as it is.
   */
  readonly escapeFormulas?: boolean;
  /** Called with the number of written records and the total. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** Direct queries of a lake, outside the service: they are not calls and are not charged. */
export interface LakeQueries {
  /**
   * Runs one SELECT in DuckDB's dialect (ClickHouse's of a lake there) over the views `records`, `comments`, `videos`, `prices`, `vectors` and `slices`.
   * The query is read-only and sandboxed: no files, extensions or settings. Parameters are positional (`?`, `$1`) or
   * named (`$name`). `search('words')` in FROM gives the `id`, `rank` and `score` of the 100 records that fit best; `search('words', 50)`
   * as many as it says. `tables` are the caller's own; their rows are read while the query runs, so do not change them before it ends.
   * `Row` types the rows without checking them: `sql<{ platform: string; n: number }>(…)`.
   * @throws SqlError `sql_refused`, `sql_syntax`, `sql_failed`, `sql_params`, `sql_timeout`, `sql_memory`, `table_invalid`,
   * `table_unreadable`
   */
  sql<Row extends object = SqlRow>(
    text: string,
    params?: SqlParams,
    options?: QueryOptions & { readonly as?: "rows" },
  ): Promise<Row[]>;
  sql(text: string, params: SqlParams, options: QueryOptions & { readonly as: "table" }): Promise<ArrowTable>;
  /** Yields record batches of at most 2,048 rows on demand, in bounded memory. */
  sql(
    text: string,
    params: SqlParams,
    options: QueryOptions & { readonly as: "batches" },
  ): AsyncGenerator<ArrowBatch, void, void>;
  /** Yields the rows of a query in batches of at most 2,048, on demand, in bounded memory. @throws SqlError as `sql` */
  sqlStream<Row extends object = SqlRow>(
    text: string,
    params?: SqlParams,
    options?: StreamOptions,
  ): AsyncGenerator<Row[], void, void>;
  /**
   * Yields the records that match a filter, with the columns of the view `records`, in record batches of at most 2,048
   * rows, on demand.
   * @throws UsageError `invalid_window`
   */
  arrow(filter?: RecordsFilter, options?: ArrowOptions): AsyncGenerator<ArrowBatch, void, void>;
  /**
   * Writes the records that match a filter to a file: `jsonl` and `jsonl.gz` contain unified records; `parquet`, `arrow`
   * and `csv` the columns of the view `records`. The file is published only when complete; permissions of an existing one stay, and a
   * link stays and is followed.
   * @throws UsageError `invalid_window`; `unwritable_file` if it is a folder, a device, a pipe or a socket; `file_in_lake`
   * @throws the signal's reason if aborted
   */
  export(file: string, options: ExportRecordsOptions): Promise<ExportReport>;
}

const SqlText = z.string();
/** Values by place or by name. What has no members of its own, such as a Map or an AbortSignal, would count as no values. */
const Params = z.custom<SqlParams>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    (Array.isArray(value) || isPlain(value) || Object.keys(value).length > 0),
  "must be an array of values for ? and $1, or an object of them for $name",
);
const limitsShape = () => ({
  signal: SignalOption.optional(),
  timeoutMs: MillisecondsOption.or(z.literal([0, Number.POSITIVE_INFINITY])).optional(),
  memoryLimit: TextOption.optional(),
  threads: ThreadsOption.optional(),
});
const tablesShape = () => ({
  tables: z
    .custom<OwnTables>(
      (value) => typeof value === "object" && value !== null && !Array.isArray(value),
      "must be an object of tables by name",
    )
    .optional(),
});
const SQL_OPTIONS = optionsSchema<SqlOptions>(() => ({
  ...limitsShape(),
  ...tablesShape(),
  as: z.enum(["rows", "table", "batches"]).optional(),
}));
const STREAM_OPTIONS = optionsSchema<StreamOptions>(() => ({
  ...limitsShape(),
  ...tablesShape(),
  onColumns: CallbackOption.optional(),
}));
const QUERY_OPTION_NAMES = ["signal", "timeoutMs", "memoryLimit", "threads", "tables"];
const SQL_OPTION_NAMES = [...QUERY_OPTION_NAMES, "as"];
const STREAM_OPTION_NAMES = [...QUERY_OPTION_NAMES, "onColumns"];
const filterShape = () => ({
  domains: z.array(DomainSchema).optional(),
  platforms: z.array(TextOption).optional(),
  langs: z.array(TextOption).optional(),
  from: z.string().optional(),
  to: z.string().optional(),
});
const FILTER = optionsSchema<RecordsFilter>(filterShape);
const ARROW_OPTIONS = optionsSchema<ArrowOptions>(() => {
  const { timeoutMs: _, ...limits } = limitsShape();
  return { ...limits, vectors: FlagOption.optional() };
});
const EXPORT_OPTIONS = optionsSchema<ExportRecordsOptions>(() => ({
  ...filterShape(),
  format: z.enum(EXPORT_FORMATS),
  vectors: FlagOption.optional(),
  escapeFormulas: FlagOption.optional(),
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));

/**
 * @param options names of what follows the parameters
 * @throws UsageError `invalid_argument`, also where an option stands in the place of the parameters
 */
function checkQuery(text: unknown, params: unknown, caller: string, options: readonly string[]): void {
  checkArgument(SqlText, text, "text", caller);
  checkArgument(Params, params, "params", caller);
  const misplaced = Array.isArray(params)
    ? []
    : options.filter((name) => Object.hasOwn(params, name) && !text.includes(`$${name}`));
  if (misplaced.length === 0) return;
  throw new UsageError(
    "invalid_argument",
    `${caller}: params has ${misplaced.join(" and ")}, which the query has no parameter $${misplaced[0]} for; options come after params`,
    { value: misplaced[0], remedy: `call ${caller}(text, [], { ${misplaced.join(", ")} })` },
  );
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The options of a query, and which tables it has. Rows stay the caller's: there may be millions. */
function ownQuery<O extends QueryOptions>(options: O): O {
  return { ...options, tables: options.tables === undefined ? undefined : { ...options.tables } };
}

/** What runs the queries of a lake whose arguments were checked. */
export interface QueryRunner {
  rows(text: string, params: SqlParams, options: QueryOptions): Promise<SqlRow[]>;
  table(text: string, params: SqlParams, options: QueryOptions): Promise<ArrowTable>;
  batches(text: string, params: SqlParams, options: QueryOptions): AsyncGenerator<ArrowBatch, void, void>;
  stream(text: string, params: SqlParams, options: StreamOptions): AsyncGenerator<SqlRow[], void, void>;
  records(filter: RecordFilter, options: ArrowOptions): AsyncGenerator<ArrowBatch, void, void>;
  export(options: ExportOptions): Promise<ExportReport>;
}

/** The queries of a lake in a folder, by the engine of this machine. */
export function folderRunner(lake: LakeHandle): QueryRunner {
  return {
    rows: (text, params, options) => sqlRows(lake, text, params, options),
    table: (text, params, options) => sqlTable(lake, text, params, options),
    batches: (text, params, options) => sqlBatches(lake, text, params, options),
    stream: (text, params, options) => sqlStream(lake, text, params, options),
    records: (filter, options) => recordBatches(lake, filter, options),
    export: (options) => exportRecords(lake, options),
  };
}

/** Creates the queries of an open lake. @param calls Tracks the calls of its client. */
export function lakeQueries(runner: QueryRunner, calls: OpenCalls): LakeQueries {
  /** Checks that the client is open when the first item is requested, which is when a stream begins. */
  function unlessClosed<T>(stream: () => AsyncGenerator<T, void, void>): AsyncGenerator<T, void, void> {
    return (async function* () {
      calls.assertOpen();
      yield* stream();
    })();
  }
  function sql(text: string, given: SqlParams = [], options: SqlOptions = {}): unknown {
    checkQuery(text, given, "sql", SQL_OPTION_NAMES);
    checkOptions(SQL_OPTIONS, options, "sql");
    const params = ownParams(given);
    const { as = "rows", ...limits } = ownQuery(options);
    if (as === "batches") return unlessClosed(() => runner.batches(text, params, limits));
    return calls.run(async () =>
      as === "table" ? runner.table(text, params, limits) : runner.rows(text, params, limits),
    );
  }
  return {
    sql: sql as LakeQueries["sql"],
    sqlStream: ((text: string, given: SqlParams = [], options: StreamOptions = {}) => {
      checkQuery(text, given, "sqlStream", STREAM_OPTION_NAMES);
      checkOptions(STREAM_OPTIONS, options, "sqlStream");
      const [params, limits] = [ownParams(given), ownQuery(options)];
      return unlessClosed(() => runner.stream(text, params, limits));
    }) as LakeQueries["sqlStream"],
    arrow: (filter = {}, options = {}) => {
      checkOptions(FILTER, filter, "arrow");
      checkOptions(ARROW_OPTIONS, options, "arrow");
      const [wanted, own] = [recordFilter(filter), ownParams(options)];
      return unlessClosed(() => runner.records(wanted, own));
    },
    export: (file, options) =>
      calls.run(async () => {
        checkArgument(PathOption, file, "file", "export");
        checkOptions(EXPORT_OPTIONS, options, "export");
        const { domains, platforms, langs, from, to, ...rest } = options;
        const filter = recordFilter({ domains, platforms, langs, from, to });
        return runner.export({ ...rest, out: file, filter });
      }),
  };
}

/** Converts a filter to a corpus filter. @throws UsageError `invalid_window` */
export function recordFilter({ domains, platforms, langs, from, to }: RecordsFilter): RecordFilter {
  for (const value of [from, to]) {
    if (value === undefined || DayOrInstant.safeParse(value).success) continue;
    throw new UsageError("invalid_window", `Not a day or instant: ${value}`, {
      value,
      remedy: "Give an ISO 8601 date, or a time with an offset.",
    });
  }
  return {
    domains: domains?.slice(),
    platforms: platforms?.slice(),
    langs: langs?.slice(),
    ...windowOf({ from, to }),
  };
}
