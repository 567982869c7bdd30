import type { DuckDBConnection, DuckDBPreparedStatement } from "@duckdb/node-api";
import type { SqlParams } from "./database.js";
import { bindAll, type ListTypes } from "./sql-params.js";

const STATEMENTS_KEPT = 128;
const INTERRUPT_MS = 20;

/** A prepared CREATE TABLE makes its table once; run again, DuckDB 1.5 makes a table without columns. */
const DEFINES = /^\s*CREATE\b/i;

/** One connection with its prepared statements; used by one call at a time. */
export class Session {
  private readonly statements = new Map<string, DuckDBPreparedStatement>();

  constructor(
    /** The engine's connection, for what is not a prepared statement. */
    readonly connection: DuckDBConnection,
    private readonly lists: ListTypes,
  ) {}

  /** A statement with its parameters, ready to run. @throws DatabaseError `sql_params`; what the engine says of the SQL */
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

  /** Interrupts what runs on this connection when the signal aborts, or has aborted, until the function that it returns is called. */
  interruptOn(signal: AbortSignal | undefined): () => void {
    // An interrupt before the engine has begun is lost: it is repeated until the statement has ended.
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

  /** Ends the connection and what was prepared on it. */
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
