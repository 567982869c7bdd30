import { resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { type Command, Option } from "commander";
import type { LakeClient } from "../../client/open-lake.js";
import { UsageError } from "../../contract/errors.js";
import { counted, formatDuration } from "../../contract/quantity.js";
import type { SqlParams } from "../../duckdb/database.js";
import type { ResultColumn, SqlRow } from "../../lake/query/lake-sql.js";
import { type ResultFormat, resultText } from "../../lake/query/result-text.js";
import { SQL_DEFAULTS } from "../../sql/defaults.js";
import type { OwnTables } from "../../sql/own/own-tables.js";
import { SQL_VIEWS } from "../../sql/views.js";
import { type CliContext, printJson } from "../context.js";
import { formatRows, type RowsFormat } from "../format/format-rows.js";
import { type Column, formatTable } from "../format/format-table.js";
import { createProgress } from "../format/progress.js";
import { style } from "../format/terminal-style.js";
import { embedderOption } from "../lake/embedder-option.js";
import { type LakeOptions, withLake } from "../lake-option.js";
import {
  clickHouseLake,
  examples,
  jsonOption,
  lakeOption,
  quotedQuery,
  readOnlyOption,
  wholeNumber,
} from "../options.js";
import { writeAllRows, writeRows } from "./write-rows.js";

interface SqlCommandOptions extends LakeOptions {
  readonly param?: readonly string[];
  readonly table?: readonly string[];
  readonly limit: number;
  readonly timeout: number;
  readonly memory: string;
  readonly format?: RowsFormat | ResultFormat;
  readonly schema?: boolean;
  readonly escapeFormulas?: boolean;
}

/** Rows printed without `--limit`. */
const DEFAULT_LIMIT = 100;

/** Registers `sql`: runs one read-only query over a lake. */
export function registerSql(program: Command, context: CliContext): void {
  const command = program
    .command("sql")
    .description(
      "Query a lake with SQL: one SELECT in DuckDB's dialect, read-only, without access to files, extensions or settings.",
    )
    .argument("[query]", "the query; pass values as parameters")
    .option(
      "--param <value>",
      "value of the next ?, or name=value for $name; may be repeated",
      (text, before) => [...((before as readonly string[] | undefined) ?? []), text],
    )
    .option(
      "--table <name=file>",
      "a file as a table of the query: CSV, TSV, JSON, JSON lines, Parquet or Arrow; may be repeated",
      (text, before) => [...((before as readonly string[] | undefined) ?? []), text],
    )
    .option("--limit <n>", "largest number of rows to print; 0 for all", wholeNumber(0), DEFAULT_LIMIT)
    .option(
      "--timeout <s>",
      "seconds that the query may take, not counting its reader",
      wholeNumber(1),
      SQL_DEFAULTS.timeoutMs / 1000,
    )
    .option("--memory <amount>", "memory limit of the engine", SQL_DEFAULTS.memoryLimit)
    .addOption(
      new Option(
        "--format <name>",
        "table; vertical, one line per column; json, an array; jsonl, an object a line; csv (default: table, or vertical if a table is too wide)",
      ).choices(["table", "vertical", "json", "jsonl", "csv"]),
    )
    .option("--escape-formulas", "in CSV, put an apostrophe before what a spreadsheet takes for a formula")
    .option("--schema", "print the views with their columns, types and units");
  embedderOption(readOnlyOption(lakeOption(jsonOption(quotedQuery(command))), true));
  const views = SQL_VIEWS.map(({ name, meaning }) => `  ${name.padEnd(9)} ${meaning}`).join("\n");
  command.addHelpText("after", `\nViews (columns and units: mirrorlake sql --schema):\n${views}`);
  examples(command, [
    'sql "SELECT platform, lang, count(*) AS n FROM records GROUP BY ALL ORDER BY n DESC"',
    'sql "SELECT title, price_drop_7d FROM records WHERE price_drop_7d < ? ORDER BY 2" --param -5',
    "sql 'SELECT text, likes FROM comments WHERE item_id = $video' --param video=7400000000000000123 --json",
    'sql "SELECT * FROM records LIMIT 1" --format vertical',
    'sql "SELECT id, title FROM records" --limit 0 --format csv > titles.csv',
    'sql "SELECT id, title FROM records" --limit 0 --format jsonl > titles.jsonl',
    `sql "SELECT r.id, m.note FROM search('kopi susu') s JOIN records r USING (id) JOIN mine m USING (id)" --table mine=notes.csv`,
    "sql --schema",
  ]);
  command.action(async (query: string | undefined, options: SqlCommandOptions) => {
    const json = options.json === true || options.format === "json";
    const format = json ? "json" : options.format;
    if (options.schema) return printSchema(context, json);
    if (query === undefined) {
      throw new UsageError("query_missing", "The query is missing", {
        remedy: "give a query, or --schema for the views",
      });
    }
    const { warmQueryPool } = await import("../../lake/query/lake-sql.js");
    // Of a lake on ClickHouse the server runs queries.
    const pool = clickHouseLake(options, context) === undefined ? warmQueryPool() : undefined;
    const progress = createProgress(context);
    const ask = async (lake: LakeClient) => {
      if (pool !== undefined) lake.lake.queryPool(() => pool);
      const started = performance.now();
      const limit = options.limit === 0 ? Number.POSITIVE_INFINITY : options.limit;
      const taken = { rows: 0, more: false };
      let columns: readonly ResultColumn[] = [];
      // A line redrawn among rows that are printed on the same terminal would clear the last of them.
      let printing = false;
      const show = () => {
        if (!printing) progress.update("querying", taken.rows, 0, "rows");
      };
      const beforeText = () => {
        progress.end();
        printing = context.out.isTty;
      };
      const batches = atMost(
        limit,
        lake.sqlStream(query, paramsOf(options.param ?? []), {
          signal: context.signal,
          timeoutMs: options.timeout * 1000,
          memoryLimit: options.memory,
          tables: tablesOf(options.table, context),
          onColumns: (found) => {
            columns = found;
          },
        }),
        taken,
        show,
      );
      const shown = () =>
        `${counted(taken.rows, "row")}${taken.more ? " shown, more exist: --limit 0 for all" : ""}`;
      const { out, err } = context;
      if (format === "json" || format === "jsonl" || format === "csv") {
        const text = resultText(format, () => columns, options);
        // A program reads one value with --json, rows or an error.
        const write = options.json ? writeAllRows : writeRows;
        await write(batches, text, context, beforeText);
        if (taken.more) err.write(`${shown()}\n`);
        return;
      }
      const rows: SqlRow[] = [];
      for await (const batch of batches) for (const row of batch) rows.push(row);
      progress.end();
      out.write(formatRows(rows, out.columns, format));
      out.write(`${style(out, "dim", `${shown()}, ${formatDuration(performance.now() - started)}`)}\n`);
    };
    try {
      await withLake({ ...options, free: true }, context, ask);
    } finally {
      progress.end();
      await pool?.close();
    }
  });
}

/** The first rows of a result. @param taken counts them, and says whether there are more @param show is called when it has changed */
async function* atMost(
  limit: number,
  batches: AsyncIterable<SqlRow[]>,
  taken: { rows: number; more: boolean },
  show: () => void,
): AsyncGenerator<SqlRow[], void, void> {
  show();
  for await (const batch of batches) {
    const left = limit - taken.rows;
    taken.more = batch.length > left;
    const kept = taken.more ? batch.slice(0, left) : batch;
    taken.rows += kept.length;
    show();
    yield kept;
    if (taken.more) return;
  }
}

/** Query parameters: plain values for `?` in order, or `name=value` for `$name`. */
function paramsOf(texts: readonly string[]): SqlParams {
  const named = texts.map((text) => /^([A-Za-z_]\w*)=(.*)$/s.exec(text));
  if (named.every((match) => match === null)) return texts;
  if (named.some((match) => match === null)) {
    throw new UsageError("mixed_params", "Some parameters are named and some are not", {
      value: texts,
      remedy: "write all of them as name=value, or none",
    });
  }
  return Object.fromEntries(named.map((match) => [match![1]!, match![2]!]));
}

/** Tables of the caller: `name=file`. */
function tablesOf(texts: readonly string[] | undefined, context: CliContext): OwnTables | undefined {
  if (texts === undefined) return undefined;
  const tables: Record<string, { readonly file: string }> = {};
  for (const text of texts) {
    const at = text.indexOf("=");
    const name = text.slice(0, at);
    if (at < 1 || at === text.length - 1 || Object.hasOwn(tables, name)) {
      const problem =
        at < 1 || at === text.length - 1 ? "does not have the form name=file" : "names a table twice";
      throw new UsageError("bad_table", `--table ${text} ${problem}`, {
        value: text,
        remedy: "write it as --table mine=my.csv, once a table",
      });
    }
    tables[name] = { file: resolve(context.cwd, text.slice(at + 1)) };
  }
  return tables;
}

function printSchema(context: CliContext, json: boolean): void {
  if (json) {
    const columns = (view: (typeof SQL_VIEWS)[number]) =>
      view.columns.map(({ name, type, meaning }) => ({ name, type, meaning }));
    printJson(
      context,
      SQL_VIEWS.map((view) => ({ name: view.name, meaning: view.meaning, columns: columns(view) })),
    );
    return;
  }
  const { out } = context;
  const columns: readonly Column[] = [
    { header: "column" },
    { header: "type" },
    { header: "meaning", grow: true },
  ];
  for (const view of SQL_VIEWS) {
    out.write(`${style(out, "bold", view.name)}: ${view.meaning}\n`);
    const rows = view.columns.map(({ name, type, meaning }) => [name, type, meaning]);
    out.write(`${formatTable(columns, rows, out.columns)}\n`);
  }
}
