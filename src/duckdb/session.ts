import { clearInterval, setInterval } from "node:timers";
import type { DuckDBConnection, DuckDBPreparedStatement } from "@duckdb/node-api";
import type { SqlParams } from "./database.js";
import { bindAll, type ListTypes } from "./sql-params.js";
import { measureShares, type OnShare, watchShare } from "./watch-share.js";

const STATEMENTS_KEPT = 128;
const INTERRUPT_MS = 20;

/** DuckDB 1.5: a prepared CREATE TABLE works once; run again, it creates a table without columns. */
const DEFINES = /^\s*CREATE\b/i;

/** A connection with its prepared statements; used by one call at a time. */
export class Session {
  private readonly statements = new Map<string, DuckDBPreparedStatement>();
  private measures = false;

  constructor(
    /** The engine's connection, for calls other than prepared statements. */
    readonly connection: DuckDBConnection,
    private readonly lists: ListTypes,
  ) {}

  /** Prepares a statement and binds its parameters. @throws DatabaseError `sql_params`; the engine's error about the SQL */
  async prepared(sql: string, params: SqlParams): Promise<DuckDBPreparedStatement> {
    if (DEFINES.test(sql)) this.forget(sql);
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = await this.connection.prepare(sql);
      if (this.statements.size >= STATEMENTS_KEPT) {
        const [oldest, unused] = this.statements.entries().next().value!;
        this.statements.delete(oldest);
        unused.destroySync();
      }
    } else {
      this.statements.delete(sql);
    }
    this.statements.set(sql, statement);
    bindAll(statement, params, sql, this.lists);
    return statement;
  }

  /** Interrupts the running statement when the signal aborts or has aborted, until the returned function is called. */
  interruptOn(signal: AbortSignal | undefined): () => void {
    // An interrupt before the engine has started is lost, so it is repeated until the statement ends.
    let repeat: NodeJS.Timeout | undefined;
    const interrupt = () => {
      this.connection.interrupt();
      repeat ??= setInterval(interrupt, INTERRUPT_MS);
    };
    if (signal?.aborted) interrupt();
    else signal?.addEventListener("abort", interrupt, { once: true });
    return () => {
      clearInterval(repeat);
      signal?.removeEventListener("abort", interrupt);
    };
  }

  /** Reports how far the next statement is while it runs, until the returned function is called. */
  async watch(onShare: OnShare): Promise<() => void> {
    if (!this.measures) await measureShares(this.connection);
    this.measures = true;
    return watchShare(this.connection, onShare);
  }

  /** Closes the connection and its prepared statements. */
  close(): void {
    for (const statement of this.statements.values()) statement.destroySync();
    this.statements.clear();
    this.connection.disconnectSync();
  }

  private forget(sql: string): void {
    this.statements.get(sql)?.destroySync();
    this.statements.delete(sql);
  }
}
