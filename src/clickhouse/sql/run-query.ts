import { LakeError, SqlError } from "../../contract/errors.js";
import type { ArrowBatch } from "../../duckdb/arrow.js";
import type { SqlParams } from "../../duckdb/database.js";
import { foldName } from "../../duckdb/fold-name.js";
import type { CandidateRows } from "../../search/document.js";
import { SQL_DEFAULTS } from "../../sql/defaults.js";
import { nestedFieldRemedy } from "../../sql/nested-field.js";
import { QueryClock } from "../../sql/query-clock.js";
import { bytesOfMemory, checkMemoryLimit } from "../../sql/session-plan.js";
import { tooMuchMemory, tooSlow } from "../../sql/sql-error.js";
import type { SqlLimits } from "../../sql/sql-session.js";
import { brokenOff } from "../clickhouse-error.js";
import type { Connection, StreamOptions } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { checkTree } from "./check-tree.js";
import { quoteColumn } from "./json-sql.js";
import { LakeTables } from "./lake-tables.js";
import { foundTable, type QueryText, readQueryText, refused } from "./query-text.js";
import { wireType } from "./wire-types.js";

/** What a query of a user is asked of. */
export interface QueriedLake {
  readonly tables: LakeTables;
  /** A connection for queries of users. */
  readonly queries: Connection;
  /** The records that its searches look among. */
  readonly live: CandidateRows;
}

/** A query of a user. */
export interface ClusterQuery {
  readonly text: string;
  readonly params: SqlParams;
  /** Whether its rows go to a reader who takes them one batch after another, in time of his own. */
  readonly isRead: boolean;
}

type Settings = NonNullable<StreamOptions["settings"]>;

/**
 * Runs a query of a user: reads its tokens, has the server parse it and checks the tree, answers its searches, and runs it over the
 * lake's views under settings that it cannot change, which allow reading alone. The server's limit of time counts what it waits for a
 * reader, too: where there is one, the time is counted here alone, and the server ends a query whose connection is closed.
 * @throws SqlError `sql_refused`, `sql_syntax`, `sql_params`, `sql_failed`, `sql_timeout`, `sql_memory`; LakeError `cluster_*`; the
 * signal's reason
 */
export async function* runUserQuery(
  { tables, queries, live }: QueriedLake,
  { text, params, isRead }: ClusterQuery,
  limits: SqlLimits,
): AsyncGenerator<ArrowBatch, void, void> {
  const { timeoutMs = SQL_DEFAULTS.timeoutMs } = limits;
  limits.signal?.throwIfAborted();
  const clock = new QueryClock(timeoutMs, () => tooSlow(text, timeoutMs));
  const signal = limits.signal === undefined ? clock.signal : AbortSignal.any([limits.signal, clock.signal]);
  try {
    const settings = settingsOf(limits, timeoutMs);
    const query = readQueryText(text, params);
    await checkQuery(queries, query, settings, signal);
    const found = await Promise.all(query.searches.map((call) => tables.find(call, live, signal)));
    const views = [...LakeTables.names].filter((name) => query.names.has(name));
    const wanted = query.asksForAll ? undefined : query.names;
    const ctes = await Promise.all(
      views.map(async (name) => `${name} AS (${await tables.definition(name, wanted)})`),
    );
    const values: Record<string, unknown> = { ...query.values };
    for (const [i, { ids, scores }] of found.entries()) {
      ctes.push(`${foundTable(i)} AS (${foundSql(i)})`);
      values[`ids_${i}`] = ids;
      values[`scores_${i}`] = scores;
    }
    const asked = { sql: query.sql, ctes, values };
    const read = isRead ? { ...settings, max_execution_time: 0 } : settings;
    for await (const batch of results(queries, asked, { checked: settings, read, signal })) {
      clock.pause();
      yield batch;
      clock.resume();
    }
  } catch (error) {
    throw brokenOff(sqlErrorOf(error, text, timeoutMs), queries.address, clock.longestPauseMs);
  } finally {
    clock.stop();
  }
}

function foundSql(i: number): string {
  return `SELECT found.1 AS id, found.2 AS rank, found.3 AS score FROM
    (SELECT arrayJoin(arrayZip({ids_${i}:Array(String)}, arrayEnumerate({ids_${i}:Array(String)}), {scores_${i}:Array(Float64)})) AS found)`;
}

/** Has the server parse a query, which does nothing else, and checks what it read. */
async function checkQuery(
  queries: Connection,
  { sql, values, names, ctes, searches }: QueryText,
  settings: Settings,
  signal: AbortSignal,
): Promise<void> {
  const own = [...ctes];
  const reserved = own.find((name) => LakeTables.names.has(name) || /^found_\d+$/.test(name));
  if (reserved !== undefined) throw refused(`a CTE of the name ${reserved}`, reserved);
  for (let i = 0; i < searches.length; i += 1)
    if (names.has(foundTable(i))) throw refused(`the name ${foundTable(i)} beside a search`, foundTable(i));
  const lines = await jsonRows<[string]>(queries, `EXPLAIN AST ${sql}`, values, { settings, signal });
  const tables = new Set([...LakeTables.names, ...own, ...searches.map((_, i) => foundTable(i))]);
  checkTree(
    lines.map(([line]) => line),
    tables,
  );
  if (own.length === 0) return;
  // In its own definition the name of a CTE means a table of the connection's database.
  const [taken] = await queries.rows<[string]>(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND lower(name) IN {own:Array(String)} LIMIT 1",
    { own: own.map(foldName) },
    signal,
  );
  if (taken !== undefined)
    throw refused(`a CTE of the name ${taken[0]}, which is a table of the server`, taken[0]);
}

interface Asked {
  readonly sql: string;
  readonly ctes: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
}

async function* results(
  queries: Connection,
  { sql, ctes, values }: Asked,
  {
    checked,
    read,
    signal,
  }: { readonly checked: Settings; readonly read: Settings; readonly signal: AbortSignal },
): AsyncGenerator<ArrowBatch, void, void> {
  const given = ctes.length === 0 ? "" : `WITH ${ctes.join(", ")} `;
  const columns = await jsonRows<[string, string]>(
    queries,
    `DESCRIBE TABLE (${given}SELECT * FROM (${sql}))`,
    values,
    { settings: checked, signal },
  );
  const all = selectedColumns(columns);
  yield* arrowOf(queries, `${given}SELECT ${all} FROM (${sql})`, values, { settings: read, signal });
}

/** The columns of a result as they are sent: `r.id` of a join is `id` where that is clear, and types are those of a folder's results. */
function selectedColumns(columns: readonly (readonly [name: string, type: string])[]): string {
  const names = columns.map(([name]) => name);
  const bare = names.map((name) => /^\w+\.(\w+)$/.exec(name)?.[1] ?? name);
  const shown = bare.map((name, i) => (bare.indexOf(name) === bare.lastIndexOf(name) ? name : names[i]!));
  const sent = columns.map(([name, type], i) => {
    const [column, wire] = [quoteColumn(name), wireType(type)];
    return `${wire === type ? column : `CAST(${column} AS ${wire})`} AS ${quoteColumn(shown[i]!)}`;
  });
  const isPlain = columns.every(([name, type], i) => shown[i] === name && wireType(type) === type);
  // Two columns of one name can only be had as they are.
  return isPlain || new Set(names).size < names.length ? "*" : sent.join(", ");
}

/** The answer of a statement as record batches of at most 2,048 rows. */
export async function* arrowOf(
  connection: Connection,
  sql: string,
  values: Readonly<Record<string, unknown>>,
  { settings = {}, signal }: StreamOptions,
): AsyncGenerator<ArrowBatch, void, void> {
  const { readArrowStream, slicedBatch } = await import("../../duckdb/arrow.js");
  const sent = { ...settings, ...CLICKHOUSE_DEFAULTS.arrow };
  const pieces = connection.stream(`${sql} FORMAT ArrowStream`, values, { settings: sent, signal });
  for await (const batch of readArrowStream(pieces)) yield* slicedBatch(batch, CLICKHOUSE_DEFAULTS.batchRows);
}

async function jsonRows<Row>(
  queries: Connection,
  sql: string,
  values: Readonly<Record<string, unknown>>,
  { settings, signal }: StreamOptions,
): Promise<Row[]> {
  const parts: Buffer[] = [];
  // What stands behind an explained query belongs to that query.
  const form = { ...settings, default_format: "JSONCompactEachRow" };
  for await (const part of queries.stream(sql, values, { settings: form, signal })) parts.push(part);
  const text = Buffer.concat(parts).toString("utf8");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Row]));
}

/** Settings of a query of a user: it can read, within its limits, and change none of them. */
function settingsOf(
  { memoryLimit = SQL_DEFAULTS.memoryLimit, threads }: SqlLimits,
  timeoutMs: number,
): Settings {
  checkMemoryLimit(memoryLimit);
  return {
    ...CLICKHOUSE_DEFAULTS.confined,
    max_memory_usage: String(Math.floor(bytesOfMemory(memoryLimit)!)),
    max_execution_time: Number.isFinite(timeoutMs) ? timeoutMs / 1000 : 0,
    ...(threads === undefined || threads === 0 ? {} : { max_threads: threads }),
  };
}

/** Codes of what is wrong with the server or the way to it, rather than with a query. */
const NO_QUERYS = new Set(["32", "198", "202", "209", "210", "242", "279", "394", "439"]);

function sqlErrorOf(error: unknown, text: string, timeoutMs: number): unknown {
  if (!(error instanceof LakeError) || error.code === "cluster_not_allowed") return error;
  const { cause } = error as { cause?: { code?: unknown; message?: string } };
  const code = typeof cause?.code === "string" ? cause.code : "";
  if (!/^\d+$/.test(code) || NO_QUERYS.has(code)) return error;
  if (code === "159" || code === "160") return tooSlow(text, timeoutMs);
  if (code === "241") return tooMuchMemory(text, error);
  const message = shortMessage(cause?.message ?? error.message);
  if (code === "164") return refused("what is not reading", message);
  return new SqlError(
    code === "62" ? "sql_syntax" : /^45[67]$/.test(code) ? "sql_params" : "sql_failed",
    message,
    {
      value: text,
      lines: true,
      cause: error,
      remedy:
        nestedFieldRemedy(text, message) ??
        "check the query, which is one SELECT in ClickHouse's dialect; `mirrorlake sql --schema` shows the views and their columns",
    },
  );
}

/** Without the whole statement, which has the definitions of the views. */
function shortMessage(message: string): string {
  const [first] = message.split(/:? (?:In scope|in scope|While processing|while executing) /);
  return first!.replace(/\s*\(version [^)]*\)\s*$/, "").slice(0, CLICKHOUSE_DEFAULTS.messageCharacters);
}
