import { DatabaseError } from "../contract/errors.js";
import { appendCells } from "./append.js";
import type { Cells } from "./cells.js";
import { SessionPool } from "./connection-pool.js";
import { type DatabaseOptions, type Engine, listTypes, openInstance, vectorFunction } from "./engine.js";
import type { ChangedSettings } from "./engine-settings.js";
import { sqlFailure } from "./failure.js";
import { type KeptOptions, takeEngine } from "./kept-engines.js";
import { quoteText } from "./quote-sql.js";
import { columnOfVector } from "./results/bind-columns.js";
import { type Column, type ColumnBatch, columnType } from "./results/column-batch.js";
import { type PlainBatch, plainBatches } from "./results/plain-batch.js";
import type { ResultChunk } from "./results/result-chunk.js";
import { allRows, type Reading, rowsOfChunk } from "./results/result-rows.js";
import { Session } from "./session.js";
import { streamFailure } from "./stream-failure.js";
import type { Table } from "./table.js";
import type { OnShare } from "./watch-share.js";

/** A SQL parameter or table cell; an array becomes a LIST. */
export type SqlValue = null | boolean | number | bigint | string | Uint8Array | readonly SqlValue[];

/** Parameters of a statement: by position (`?`, `$1`) or by name (`$name`). */
export type SqlParams = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;

/**
 * A DuckDB database. `run`, `rows` and `append` of a writable database share one connection and run one after another, so that
 * BEGIN … COMMIT works. Reads of a read-only database use a small pool; each `stream` has its own connection. No extension is ever
 * loaded or downloaded.
 */
export class Database {
  private readonly engine: Engine;
  private readonly readOnly: boolean;
  private readonly sessions = new Set<Session>();
  private readonly pool = new SessionPool(() => this.connect());
  private main: Promise<unknown> = Promise.resolve();
  private mainSession: Session | undefined;
  private readonly running = new Set<Promise<unknown>>();
  private closed = false;
  private inUtc: boolean;

  private constructor(engine: Engine, readOnly: boolean) {
    this.engine = engine;
    this.readOnly = readOnly;
    this.inUtc = engine.inUtc;
  }

  /**
   * Opens `path`, or an in-memory database for `":memory:"`.
   * @throws DatabaseError if the file is not a DuckDB database, is locked by a writer, or does not exist (read-only)
   */
  static async open(path: string, options: DatabaseOptions = {}): Promise<Database> {
    return new Database(await openInstance(path, options), options.readOnly ?? false);
  }

  /**
   * Opens as {@link Database.open} does, in an engine that had other databases before and may have more after: seven times as fast.
   * For statements of this library alone, which change settings by {@link Database.set} and attach by {@link Database.attach}.
   * @throws as {@link Database.open}
   */
  static async openKept(path: string, options: KeptOptions = {}): Promise<Database> {
    return new Database(await takeEngine(path, options), options.readOnly ?? false);
  }

  /** Runs one statement for its effect, and says from time to time how far it is. @throws DatabaseError; the signal's reason when aborted */
  async run(
    sql: string,
    params: readonly SqlValue[] = [],
    signal?: AbortSignal,
    onShare?: OnShare,
  ): Promise<void> {
    signal?.throwIfAborted();
    try {
      await this.use(sql, async (session) => {
        const unwatch = onShare && (await session.watch(onShare));
        const stop = session.interruptOn(signal);
        try {
          await (await session.prepared(sql, params)).run();
        } finally {
          stop();
          unwatch?.();
        }
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }

  /**
   * Runs a query and returns all rows as plain JS values: BIGINT is a number if safe, else a bigint; TIMESTAMP an ISO string (UTC,
   * with `Z` for TIMESTAMPTZ); DECIMAL a number up to 15 digits, else a string; LIST an array; STRUCT and MAP an object, a STRUCT
   * without names an array; BLOB a Uint8Array. @throws DatabaseError
   */
  async rows<T extends Record<string, unknown> = Record<string, unknown>>(
    sql: string,
    params: readonly SqlValue[] = [],
  ): Promise<T[]> {
    return this.use(sql, async (session) => {
      const result = await (await session.prepared(sql, params)).run();
      return allRows<T>(result, result.deduplicatedColumnNames());
    });
  }

  /**
   * Runs a query of few rows; they are converted as {@link Database.rows} does where `accepts` takes the columns. @throws DatabaseError
   */
  async table<T extends Record<string, unknown> = Record<string, unknown>>(
    sql: string,
    params: readonly SqlValue[],
    accepts: (columns: Table<T>["columns"]) => boolean,
  ): Promise<Table<T>> {
    return this.use(sql, async (session) => {
      const result = await (await session.prepared(sql, params)).run();
      const names = result.columnNames();
      const columns = result.columnTypes().map((type, i) => ({ name: names[i]!, type: type.toString() }));
      return { columns, rows: accepts(columns) ? await allRows<T>(result, names) : [] };
    });
  }

  /**
   * Runs a query and yields its rows in batches of at most 2,048, in bounded memory. Uncommitted rows of an open transaction are
   * not visible. @throws DatabaseError; the signal's reason when aborted
   */
  async *stream<T extends Record<string, unknown> = Record<string, unknown>>(
    sql: string,
    params: SqlParams = [],
    signal?: AbortSignal,
    reading: Reading = "plain",
  ): AsyncGenerator<T[], void, void> {
    for await (const { names, chunk } of this.chunks(sql, params, signal)) {
      if (chunk === undefined) return;
      yield await rowsOfChunk<T>(chunk, names, reading);
    }
  }

  /**
   * Like {@link Database.stream}, by column. A query without rows yields one empty batch with its columns.
   * @throws DatabaseError; the signal's reason when aborted
   */
  async *columns(
    sql: string,
    params: SqlParams = [],
    signal?: AbortSignal,
  ): AsyncGenerator<ColumnBatch, void, void> {
    for await (const { names, types, chunk } of this.chunks(sql, params, signal)) {
      const columns: Column[] = [];
      for (const [i, type] of types.entries())
        columns.push(await columnOfVector(columnType(type), chunk?.getColumnVector(i)));
      yield { names, length: chunk?.rowCount ?? 0, columns };
    }
  }

  /**
   * Like {@link Database.stream}, by column, in batches that are to be sent to another process. A query without rows yields one empty batch with its columns.
   * @throws DatabaseError; the signal's reason when aborted
   */
  async *plain(
    sql: string,
    params: SqlParams = [],
    signal?: AbortSignal,
  ): AsyncGenerator<PlainBatch, void, void> {
    for await (const chunk of this.chunks(sql, params, signal)) yield* plainBatches(chunk);
  }

  /**
   * Registers a scalar SQL function `name(INTEGER) → FLOAT[width]`: `read` is called with rows in any order and writes `width`
   * numbers of each.
   * @throws DatabaseError `database_closed`
   */
  async defineVectorFunction(
    name: string,
    width: number,
    read: (rows: ArrayLike<number>, into: Float32Array) => void,
  ): Promise<void> {
    const session = await this.connect();
    session.connection.registerScalarFunction(vectorFunction(this.engine.package, name, width, read));
  }

  /** Changes settings of the engine, where it has others. @throws DatabaseError */
  async set(settings: ChangedSettings): Promise<void> {
    await this.engine.settings.change(settings, (statement) => this.run(statement));
  }

  /** Attaches another database file under a name of this library, to be read. @throws DatabaseError */
  async attach(path: string, name: string): Promise<void> {
    await this.run(`ATTACH ${quoteText(path)} AS ${name} (READ_ONLY)`);
    this.engine.beside.push(name);
  }

  /**
   * Confines the database: from now on no statement can access files, extensions or settings; attached databases stay readable. The
   * engine enforces it, and it cannot be undone. @throws DatabaseError
   */
  async confine(): Promise<void> {
    for (const setting of [
      "TimeZone = 'UTC'",
      "enable_external_access = false",
      "lock_configuration = true",
    ]) {
      await this.run(`SET GLOBAL ${setting}`);
    }
    this.inUtc = true;
  }

  /**
   * Appends rows to a table, far faster than INSERT: one value per column, in the table's order. Numbers fit every numeric column,
   * epoch milliseconds (number) TIMESTAMP and TIMESTAMPTZ. The event loop turns while there are many. @throws DatabaseError
   */
  async append(table: string, rows: Iterable<Cells[number]>): Promise<void> {
    await this.use(`append to ${table}`, async ({ connection }) =>
      appendCells(this.engine.package, connection, table, rows),
    );
  }

  /** Waits for running statements, then closes every connection and the file; a second call does nothing. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await Promise.allSettled(this.running);
    for (const session of this.sessions) session.close();
    this.sessions.clear();
    await this.engine.release();
  }

  private async *chunks(
    sql: string,
    params: SqlParams,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ResultChunk, void, void> {
    signal?.throwIfAborted();
    const session = await this.connect();
    const stop = session.interruptOn(signal);
    try {
      const result = await (await session.prepared(sql, params)).stream();
      const names = result.deduplicatedColumnNames();
      const types = result.columnTypes();
      for (let first = true; ; first = false) {
        const chunk = await result.fetchChunk();
        signal?.throwIfAborted();
        if (chunk === null || chunk.rowCount === 0) {
          if (result.returnType === this.engine.package.ResultReturnType.INVALID)
            throw await streamFailure(session, sql, params);
          if (first) yield { names, types, chunk: undefined };
          return;
        }
        yield { names, types, chunk };
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw sqlFailure(error, sql);
    } finally {
      stop();
      this.sessions.delete(session);
      session.close();
    }
  }

  private async connect(): Promise<Session> {
    this.assertOpen();
    const connection = await this.engine.instance.connect();
    const session = new Session(connection, listTypes(this.engine.package));
    this.sessions.add(session);
    if (!this.inUtc) await connection.run("SET GLOBAL TimeZone = 'UTC'");
    this.inUtc = true;
    if (this.engine.attached !== undefined) await connection.run(`USE ${this.engine.attached}`);
    return session;
  }

  private assertOpen(): void {
    if (this.closed) {
      throw new DatabaseError("database_closed", "The database is closed", { remedy: "open it again" });
    }
  }

  private async use<T>(sql: string, work: (session: Session) => Promise<T>): Promise<T> {
    this.assertOpen();
    const running = this.readOnly ? this.pool.use(work) : this.serial(work);
    this.running.add(running);
    try {
      return await running;
    } catch (error) {
      throw sqlFailure(error, sql);
    } finally {
      this.running.delete(running);
    }
  }

  private serial<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const result = this.main.then(async () => {
      this.mainSession ??= await this.connect();
      return work(this.mainSession);
    });
    this.main = result.catch(() => {});
    return result;
  }
}
