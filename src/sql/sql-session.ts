import { untilAborted } from "../contract/until-aborted.js";
import type { Database, SqlParams, SqlValue } from "../duckdb/database.js";
import type { ColumnBatch } from "../duckdb/results/column-batch.js";
import { type PlainBatch, pieces } from "../duckdb/results/plain-batch.js";
import type { OnShare } from "../duckdb/watch-share.js";
import { checkText } from "./check-text.js";
import { checkInEngine, confineEngine, openEngine, type ReadVectors } from "./confined-engine.js";
import { NO_TABLES, type PreparedTables } from "./own/own-tables.js";
import type { QueryClock } from "./query-clock.js";
import type { Find } from "./search-calls.js";
import { planSession, type SqlData } from "./session-plan.js";
import { asSqlError } from "./sql-error.js";

/** Data that queries read, with the vectors. */
export interface SqlSource extends SqlData {
  readonly vectors: ReadVectors;
  /** Searches all records. */
  readonly find: Find;
}

/** Limits of a query. */
export interface SqlLimits {
  readonly signal?: AbortSignal;
  /**
   * Milliseconds that the query may take; 30,000 by default, Infinity for no limit. Those in which it waits until somebody reads on do
   * not count, but of a lake on ClickHouse.
   */
  readonly timeoutMs?: number;
  /** Memory of the query, such as `"512MB"`; 1 GB by default. It never spills to disk. */
  readonly memoryLimit?: string;
  /** Worker threads of the engine; its own default is one a core. */
  readonly threads?: number;
}

/** A query of a user. */
export interface UserQuery {
  readonly text: string;
  readonly params: SqlParams;
  /** Tables of its caller. */
  readonly own?: PreparedTables | undefined;
}

/** A batch of a result, by row or by column. */
export type ResultBatch = PlainBatch | ColumnBatch;

/**
 * Runs a query of a user in an engine of its own in this process. The engine heeds interrupts where it can: what it does within one
 * call goes on after the time-out, though the stream has ended. `QueryPool` runs queries in processes that can be killed.
 * @param clock stands still while the reader does not ask for more
 * @param signal aborts when the query's time is up, or its caller wants no more
 * @throws SqlError `sql_syntax`, `sql_refused`, `sql_failed`, `sql_params`, `sql_memory`; the signal's reason
 */
export async function* runHere(
  source: SqlSource,
  query: UserQuery,
  { byColumn, clock, ...limits }: SqlLimits & { readonly byColumn: boolean; readonly clock: QueryClock },
  signal: AbortSignal,
): AsyncGenerator<ResultBatch, void, void> {
  signal.throwIfAborted();
  const { text, params, own = NO_TABLES } = query;
  checkText(text);
  const plan = planSession(source, limits, own.tables);
  const db = await openEngine(plan, source.vectors, own.rows);
  let results: AsyncGenerator<ResultBatch, void, void> | undefined;
  try {
    await untilAborted(confineAndCheck(), signal);
    results = byColumn ? db.columns(text, params, signal) : db.plain(text, params, signal);
    for (;;) {
      const { done, value } = await untilAborted(results.next(), signal);
      if (done) return;
      clock.pause();
      yield value;
      clock.resume();
    }
  } catch (error) {
    throw asSqlError(error, text);
  } finally {
    // A call of the engine that heeds no interrupt may still run; nothing waits for it.
    const closed = Promise.resolve(results?.return()).finally(() => db.close());
    if (signal.aborted) closed.catch(() => {});
    else await closed;
  }

  async function confineAndCheck(): Promise<void> {
    await confineEngine(db, plan);
    await checkInEngine(db, query, plan, (calls) =>
      Promise.all(calls.map((call) => source.find(call, signal))),
    );
  }
}

/** The columns of a trusted statement of the library, which may read `record_vectors` and write files. */
export function ownColumns(source: SqlSource, text: string, params: SqlParams, limits: SqlLimits) {
  return runOwn(source, limits, (db) => db.columns(text, params, limits.signal));
}

/** The rows of a trusted statement of the library, in pieces that are the smaller the wider they are. */
export function ownRows(source: SqlSource, text: string, params: SqlParams, limits: SqlLimits) {
  return runOwn(source, limits, async function* (db) {
    for await (const batch of db.plain(text, params, limits.signal)) yield* pieces(batch);
  });
}

/** Runs a trusted statement of the library for its effect. @param onShare is told from time to time how far it is */
export async function runOwnStatement(
  source: SqlSource,
  text: string,
  params: readonly SqlValue[],
  limits: SqlLimits,
  onShare: OnShare,
): Promise<void> {
  const db = await openEngine(planSession(source, limits), source.vectors);
  try {
    await db.run(text, params, limits.signal, onShare);
  } finally {
    await db.close();
  }
}

async function* runOwn<T>(
  source: SqlSource,
  limits: SqlLimits,
  read: (db: Database) => AsyncIterable<T>,
): AsyncGenerator<T, void, void> {
  const db = await openEngine(planSession(source, limits), source.vectors);
  try {
    yield* read(db);
  } finally {
    await db.close();
  }
}
