import {
  ARRAY,
  DuckDBArrayValue,
  DuckDBBitValue,
  DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBInstance,
  DuckDBListValue,
  DuckDBMapValue,
  type DuckDBPreparedStatement,
  DuckDBScalarFunction,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionValue,
  type DuckDBValue,
  FLOAT,
  INTEGER,
  JSToDuckDBValueConverter,
  LIST,
  listValue,
  VARCHAR,
} from "@duckdb/node-api";
import { MirrorlakeError } from "../contract/errors.js";
import { type ColumnBatch, columnType } from "./column-batch.js";
import { columnOfVector, floatsOf } from "./duckdb-values.js";

/** A value that goes into SQL as a parameter or into a table as a cell; an array becomes a LIST. */
export type SqlValue = null | boolean | number | bigint | string | Uint8Array | readonly SqlValue[];

/** Parameters of a statement: by position (`?`, `$1`) or by name (`$name`). */
export type SqlParams = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;

/** How a database is opened. */
export interface DatabaseOptions {
  /** Any number of processes may read one file; a writer needs it alone. */
  readonly readOnly?: boolean;
  /** Worker threads of the engine; its own default is one a core. */
  readonly threads?: number;
  /** For example `"512MB"`; the engine spills to `tempDirectory` beyond it. */
  readonly memoryLimit?: string;
  readonly tempDirectory?: string;
}

/** SQL that the engine refuses, or a file that it cannot read: `value` is the statement. */
export class DatabaseError extends MirrorlakeError {
  override readonly name = "DatabaseError";
}

const STATEMENTS_KEPT = 128;
const READ_CONNECTIONS = 4;
const CHUNK_ROWS = 2048;
const INTERRUPT_MS = 20;

/** A prepared CREATE TABLE makes its table once; run again, DuckDB 1.5 makes a table without columns. */
const DEFINES = /^\s*CREATE\b/i;

/** One connection with its prepared statements; used by one call at a time. */
class Session {
  readonly connection: DuckDBConnection;
  private readonly statements = new Map<string, DuckDBPreparedStatement>();

  constructor(connection: DuckDBConnection) {
    this.connection = connection;
  }

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
    bindAll(statement, params, sql);
    return statement;
  }

  private forget(sql: string): void {
    this.statements.get(sql)?.destroySync();
    this.statements.delete(sql);
  }

  /** Interrupts what runs on this connection when the signal aborts, until the function that it returns is called. */
  interruptOn(signal: AbortSignal | undefined): () => void {
    // An interrupt before the engine has begun is lost: it is repeated until the statement has ended.
    let repeat: NodeJS.Timeout | undefined;
    const interrupt = () => {
      this.connection.interrupt();
      repeat ??= setInterval(interrupt, INTERRUPT_MS);
    };
    signal?.addEventListener("abort", interrupt, { once: true });
    return () => {
      clearInterval(repeat);
      signal?.removeEventListener("abort", interrupt);
    };
  }

  close(): void {
    for (const statement of this.statements.values()) statement.destroySync();
    this.statements.clear();
    this.connection.disconnectSync();
  }
}

/**
 * A DuckDB database. Statements run one after another on a connection of their own kind: `run`, `rows` and `append`
 * of a writable database share one (so BEGIN … COMMIT works), `stream` and reads of a read-only one take further
 * ones from a small pool. No extension is ever loaded or downloaded.
 */
export class Database {
  private readonly instance: DuckDBInstance;
  private readonly readOnly: boolean;
  private readonly idle: Session[] = [];
  private readonly sessions = new Set<Session>();
  private readonly waiting: ((session: Session) => void)[] = [];
  private pooled = 0;
  private main: Promise<unknown> = Promise.resolve();
  private mainSession: Session | undefined;
  private readonly running = new Set<Promise<unknown>>();
  private closed = false;
  private confined = false;

  private constructor(instance: DuckDBInstance, readOnly: boolean) {
    this.instance = instance;
    this.readOnly = readOnly;
  }

  /**
   * Opens `path`, or a database in memory for `":memory:"`.
   * @throws DatabaseError when the file is not a DuckDB database, is locked by a writer, or does not exist (read-only).
   */
  static async open(path: string, options: DatabaseOptions = {}): Promise<Database> {
    const config: Record<string, string> = {
      autoload_known_extensions: "false",
      autoinstall_known_extensions: "false",
      allow_community_extensions: "false",
      access_mode: options.readOnly ? "READ_ONLY" : "AUTOMATIC",
    };
    if (options.threads !== undefined) config.threads = String(options.threads);
    if (options.memoryLimit !== undefined) config.memory_limit = options.memoryLimit;
    if (options.tempDirectory !== undefined) config.temp_directory = options.tempDirectory;
    try {
      return new Database(await DuckDBInstance.create(path, config), options.readOnly ?? false);
    } catch (cause) {
      throw new DatabaseError("database_open_failed", `Cannot open ${path}: ${(cause as Error).message}`, {
        value: path,
        remedy: "check that the file is a DuckDB database and that no other process is writing it",
        cause,
      });
    }
  }

  /** Runs one statement for its effect. @throws DatabaseError; the signal's reason when aborted */
  async run(sql: string, params: readonly SqlValue[] = [], signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    try {
      await this.use(sql, async (session) => {
        const stop = session.interruptOn(signal);
        try {
          await (await session.prepared(sql, params)).run();
        } finally {
          stop();
        }
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }

  /**
   * Runs one query and returns all of its rows as plain JS values: BIGINT a number when safe, else a bigint;
   * TIMESTAMP an ISO string (UTC, with `Z` for TIMESTAMPTZ); DECIMAL a number up to 15 digits, else a string;
   * LIST an array; STRUCT and MAP an object; BLOB a Uint8Array. @throws DatabaseError
   */
  async rows<T extends Record<string, unknown> = Record<string, unknown>>(
    sql: string,
    params: readonly SqlValue[] = [],
  ): Promise<T[]> {
    return this.use(sql, async (session) => {
      const result = await (await session.prepared(sql, params)).run();
      const names = result.deduplicatedColumnNames();
      const rows: T[] = [];
      for (let i = 0; i < result.chunkCount; i++) appendRows(result.getChunk(i), names, rows);
      return rows;
    });
  }

  /**
   * Runs one query and yields its rows in batches of at most 2,048 as they are made, in bounded memory. Rows that an
   * open transaction has written are not seen. @throws DatabaseError; the signal's reason when aborted
   */
  async *stream<T extends Record<string, unknown> = Record<string, unknown>>(
    sql: string,
    params: SqlParams = [],
    signal?: AbortSignal,
  ): AsyncGenerator<T[], void, void> {
    for await (const { names, chunk } of this.chunks(sql, params, signal)) {
      if (chunk === undefined) return;
      const rows: T[] = [];
      appendRows(chunk, names, rows);
      yield rows;
    }
  }

  /**
   * As {@link Database.stream}, but column by column; a query without rows gives one batch without rows, so that its
   * columns are known. @throws DatabaseError; the signal's reason when aborted
   */
  async *columns(
    sql: string,
    params: SqlParams = [],
    signal?: AbortSignal,
  ): AsyncGenerator<ColumnBatch, void, void> {
    for await (const { names, types, chunk } of this.chunks(sql, params, signal)) {
      yield {
        names,
        length: chunk?.rowCount ?? 0,
        columns: types.map((type, i) => columnOfVector(columnType(type), chunk?.getColumnVector(i))),
      };
    }
  }

  /**
   * Makes a scalar SQL function `name(INTEGER) → FLOAT[width]`, which JavaScript computes: `read` is called with rows in
   * any order and gives `width` numbers each.
   */
  async defineVectorFunction(
    name: string,
    width: number,
    read: (row: number) => Float32Array,
  ): Promise<void> {
    const session = await this.connect();
    session.connection.registerScalarFunction(
      DuckDBScalarFunction.create({
        name,
        parameterTypes: [INTEGER],
        returnType: ARRAY(FLOAT, width),
        mainFunction: (_info, input, output) => {
          const rows = input.getColumnVector(0);
          const floats = floatsOf(output);
          for (let i = 0; i < input.rowCount; i++) floats.set(read(rows.getItem(i) as number), i * width);
          output.flush();
        },
      }),
    );
  }

  /**
   * From here on no statement reaches a file, an extension or a setting: what is attached stays readable, all else
   * outside the database is refused by the engine itself. Cannot be undone.
   */
  async confine(): Promise<void> {
    for (const setting of [
      "TimeZone = 'UTC'",
      "enable_external_access = false",
      "lock_configuration = true",
    ]) {
      await this.run(`SET GLOBAL ${setting}`);
    }
    this.confined = true;
  }

  /**
   * Appends rows to a table, far faster than INSERT: one value a column, in the table's order; numbers go into any
   * numeric column, epoch milliseconds (number) into TIMESTAMP and TIMESTAMPTZ. @throws DatabaseError
   */
  async append(table: string, rows: readonly (readonly SqlValue[])[]): Promise<void> {
    await this.use(`append to ${table}`, async (session) => {
      const appender = await session.connection.createAppender(table);
      try {
        const types = Array.from({ length: appender.columnCount }, (_, i) => appender.columnType(i));
        for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
          const batch = rows.slice(start, start + CHUNK_ROWS);
          const chunk = DuckDBDataChunk.create(types, batch.length);
          for (let c = 0; c < types.length; c++) {
            const type = types[c]!;
            chunk.setColumnValues(
              c,
              batch.map((row) => cell(row[c] ?? null, type)),
            );
          }
          appender.appendDataChunk(chunk);
        }
        appender.flushSync();
      } finally {
        appender.closeSync();
      }
    });
  }

  /** Waits for running statements, then closes every connection and the file; a second call does nothing. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await Promise.allSettled(this.running);
    for (const session of this.sessions) session.close();
    this.sessions.clear();
    this.instance.closeSync();
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
          if (first) yield { names, types, chunk: undefined };
          return;
        }
        yield { names, types, chunk };
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw failure(error, sql);
    } finally {
      stop();
      this.sessions.delete(session);
      session.close();
    }
  }

  private async connect(): Promise<Session> {
    this.assertOpen();
    const connection = await this.instance.connect();
    const session = new Session(connection);
    this.sessions.add(session);
    if (!this.confined) await connection.run("SET TimeZone = 'UTC'");
    return session;
  }

  private assertOpen(): void {
    if (this.closed) {
      throw new DatabaseError("database_closed", "The database is closed", { remedy: "open it again" });
    }
  }

  private async use<T>(sql: string, work: (session: Session) => Promise<T>): Promise<T> {
    this.assertOpen();
    const running = this.readOnly ? this.pool(work) : this.serial(work);
    this.running.add(running);
    try {
      return await running;
    } catch (error) {
      throw failure(error, sql);
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

  private async pool<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.lease();
    try {
      return await work(session);
    } finally {
      const next = this.waiting.shift();
      if (next) next(session);
      else this.idle.push(session);
    }
  }

  private async lease(): Promise<Session> {
    const idle = this.idle.pop();
    if (idle) return idle;
    if (this.pooled < READ_CONNECTIONS) {
      this.pooled++;
      try {
        return await this.connect();
      } catch (error) {
        this.pooled--;
        throw error;
      }
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}

/** A chunk of a result, with its columns; undefined once where there is no row at all. */
interface ResultChunk {
  readonly names: readonly string[];
  readonly types: readonly DuckDBType[];
  readonly chunk: DuckDBDataChunk | undefined;
}

function bindAll(statement: DuckDBPreparedStatement, params: SqlParams, sql: string): void {
  const count = statement.parameterCount;
  const names = Array.from({ length: count }, (_, i) => statement.parameterName(i + 1));
  const values = new Map(Object.entries(params).map(([key, value]) => [positionOf(params, key), value]));
  const missing = names.filter((name) => !values.has(name));
  const extra = [...values.keys()].filter((key) => !names.includes(key));
  if (missing.length > 0 || extra.length > 0) {
    const text = (keys: readonly string[]) => keys.map((key) => `$${key}`).join(", ");
    const problem = missing.length > 0 ? `has no value for ${text(missing)}` : `does not take ${text(extra)}`;
    throw new DatabaseError("sql_params", `The statement ${problem}`, {
      value: sql,
      remedy: "give a value for each parameter: a list for ? and $1, an object for $name",
    });
  }
  for (const [i, name] of names.entries()) bind(statement, i + 1, values.get(name)!);
}

/** Name of a parameter: `?` and `$1` are numbered from 1. */
function positionOf(params: SqlParams, key: string): string {
  return Array.isArray(params) ? String(Number(key) + 1) : key;
}

function bind(statement: DuckDBPreparedStatement, index: number, value: SqlValue): void {
  if (value === null) statement.bindNull(index);
  else if (typeof value === "string") statement.bindVarchar(index, value);
  else if (typeof value === "boolean") statement.bindBoolean(index, value);
  else if (typeof value === "bigint") statement.bindBigInt(index, value);
  else if (typeof value === "number") {
    if (Number.isSafeInteger(value)) statement.bindBigInt(index, BigInt(value));
    else statement.bindDouble(index, value);
  } else if (value instanceof Uint8Array) statement.bindBlob(index, value);
  else bindList(statement, index, value as readonly SqlValue[]);
}

function bindList(statement: DuckDBPreparedStatement, index: number, values: readonly SqlValue[]): void {
  const integers =
    values.length > 0 && values.every((v) => Number.isInteger(v) && Math.abs(v as number) < 2 ** 31);
  const strings = values.every((v) => v === null || typeof v === "string");
  if (integers) statement.bindList(index, values as number[], LIST(INTEGER));
  else if (strings) statement.bindList(index, values as (string | null)[], LIST(VARCHAR));
  else statement.bindList(index, listValue(values as DuckDBValue[]));
}

function cell(value: SqlValue, type: DuckDBType): DuckDBValue {
  if (value === null) return null;
  switch (type.typeId) {
    case DuckDBTypeId.VARCHAR:
    case DuckDBTypeId.DOUBLE:
    case DuckDBTypeId.INTEGER:
    case DuckDBTypeId.BOOLEAN:
      return value as DuckDBValue;
    case DuckDBTypeId.TIMESTAMP:
    case DuckDBTypeId.TIMESTAMP_TZ:
    case DuckDBTypeId.TIMESTAMP_MS:
      return JSToDuckDBValueConverter(new Date(Number(value)), type, JSToDuckDBValueConverter);
    default:
      return JSToDuckDBValueConverter(value as never, type, JSToDuckDBValueConverter);
  }
}

function appendRows<T extends Record<string, unknown>>(
  chunk: DuckDBDataChunk,
  names: readonly string[],
  into: T[],
): void {
  const first = into.length;
  const count = chunk.rowCount;
  for (let row = 0; row < count; row++) into.push({} as T);
  for (let column = 0; column < names.length; column++) {
    const vector = chunk.getColumnVector(column);
    const name = names[column]!;
    for (let row = 0; row < count; row++) {
      (into[first + row] as Record<string, unknown>)[name] = plain(vector.getItem(row) as DuckDBValue);
    }
  }
}

function plain(value: DuckDBValue): unknown {
  if (typeof value === "bigint") return safe(value);
  if (value === null || typeof value !== "object") return value;
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(plain);
  if (value instanceof DuckDBStructValue) {
    return Object.fromEntries(Object.entries(value.entries).map(([key, entry]) => [key, plain(entry)]));
  }
  if (value instanceof DuckDBMapValue) {
    return Object.fromEntries(value.entries.map((entry) => [String(plain(entry.key)), plain(entry.value)]));
  }
  if (value instanceof DuckDBTimestampTZValue) return isoFromMicros(value.micros, "Z");
  if (value instanceof DuckDBTimestampValue) return isoFromMicros(value.micros, "");
  if (value instanceof DuckDBTimestampSecondsValue) return isoFromMicros(value.seconds * 1_000_000n, "");
  if (value instanceof DuckDBTimestampMillisecondsValue) return isoFromMicros(value.millis * 1000n, "");
  if (value instanceof DuckDBTimestampNanosecondsValue) return isoFromMicros(value.nanos / 1000n, "");
  if (value instanceof DuckDBDateValue) return value.toString();
  if (value instanceof DuckDBDecimalValue) return value.width <= 15 ? value.toDouble() : value.toString();
  if (value instanceof DuckDBBlobValue) return Uint8Array.from(value.bytes);
  if (value instanceof DuckDBUnionValue) return plain(value.value);
  if (value instanceof DuckDBBitValue) return value.toString();
  return String(value);
}

function safe(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** ISO 8601 to the millisecond, or to the microsecond where there are any. */
function isoFromMicros(micros: bigint, zone: string): string {
  const millis = Number(micros / 1000n) - (micros % 1000n < 0n ? 1 : 0);
  if (Math.abs(millis) > 8.64e15) return micros > 0n ? "infinity" : "-infinity";
  const rest = ((micros % 1000n) + 1000n) % 1000n;
  const iso = new Date(millis).toISOString().slice(0, -1);
  return `${iso}${rest === 0n ? "" : String(rest).padStart(3, "0")}${zone}`;
}

function failure(error: unknown, sql: string): unknown {
  if (error instanceof MirrorlakeError || (error instanceof Error && error.name === "AbortError"))
    return error;
  return new DatabaseError("sql_failed", (error as Error).message, {
    value: sql,
    remedy: "correct the statement or the file that it reads",
    cause: error,
  });
}
