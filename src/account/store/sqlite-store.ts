import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type Database from "libsql";
import { LakeError } from "../../contract/errors.js";
import {
  BUSY_RETRY_MS,
  BUSY_TIMEOUT_MS,
  JOBS_PER_TRANSACTION,
  TRANSACTION_MS,
  WRITE_PAUSE_MS,
  WRITE_STREAK_MS,
} from "../defaults.js";
import type { AccountReader, AccountStore, AccountTransaction } from "./account-store.js";
import { SCHEMA, SCHEMA_VERSION } from "./schema.js";
import { accountError, isBusy, isEngineError } from "./sqlite-error.js";
import { SqliteTransaction } from "./sqlite-transaction.js";
import { WalSync } from "./wal-sync.js";

/**
 * When a durable commit is safe. `strict`: on disk before it resolves; commits that come together share one sync.
 * `relaxed`: with the operating system, so that a killed process loses nothing, and a power cut at most the last second.
 */
export type Durability = "strict" | "relaxed";

/** How a database is opened. */
export interface SqliteStoreOptions {
  readonly durability?: Durability;
  /** Fills a database that is new, in the transaction that makes its tables. */
  readonly fill?: (transaction: AccountTransaction) => Promise<void>;
  /** How many of the newest ledger entries are kept; all of them by default. */
  readonly keepEntries?: number;
  /** Milliseconds to wait for other processes. */
  readonly busyTimeoutMs?: number;
}

/** Path of a database that lives in memory only. */
export const IN_MEMORY = ":memory:";

interface Job {
  readonly work: (transaction: AccountTransaction) => Promise<unknown>;
  readonly writes: boolean;
  readonly durable: boolean;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * An account in a SQLite database, by WAL. SQLite's own locks keep processes apart: one writes at a time, readers never
 * wait. The engine is synchronous, so it never sleeps for a lock: a busy database is tried again from the event loop.
 * Jobs run in the order in which they came; those that have come meanwhile share a transaction.
 */
export class SqliteStore implements AccountStore {
  private readonly path: string;
  private readonly strict: boolean;
  private readonly options: SqliteStoreOptions;
  private readonly sync: WalSync | undefined;
  private readonly jobs: Job[] = [];
  private running: Promise<void> | undefined;
  private connection: Database.Database | undefined;
  private transaction: SqliteTransaction | undefined;
  private synchronous = "";
  private wal = false;
  private closed = false;
  private streakStart = 0;

  constructor(path: string, options: SqliteStoreOptions = {}) {
    this.path = path;
    this.options = options;
    this.strict = options.durability === "strict";
    this.sync = this.strict || path === IN_MEMORY ? undefined : new WalSync(`${path}-wal`);
  }

  transact<T>(
    work: (transaction: AccountTransaction) => Promise<T>,
    options: { readonly durable?: boolean } = {},
  ): Promise<T> {
    return this.enqueue(work, true, options.durable ?? false);
  }

  read<T>(work: (reader: AccountReader) => Promise<T>): Promise<T> {
    return this.enqueue(work, false, false);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.running;
    await this.sync?.close();
    this.disconnect();
  }

  private enqueue<T>(
    work: (transaction: AccountTransaction) => Promise<T>,
    writes: boolean,
    durable: boolean,
  ): Promise<T> {
    if (this.closed) return Promise.reject(accountClosed(this.path));
    return new Promise<T>((resolve, reject) => {
      this.jobs.push({ work, writes, durable, resolve: resolve as Job["resolve"], reject });
      this.running ??= this.runAll();
    });
  }

  private async runAll(): Promise<void> {
    this.streakStart = performance.now();
    // Commits that cost a sync wait for those that come in the same turn of the event loop.
    if (this.strict && this.jobs[0]?.durable === true) await nextTurn();
    while (this.jobs.length > 0) {
      const batch = this.jobs.splice(0, JOBS_PER_TRANSACTION);
      const left = await this.runBatch(batch);
      this.jobs.unshift(...left);
      if (this.jobs.length > 0) await this.pause();
    }
    this.running = undefined;
  }

  /** Lets the event loop have its turn, and now and then other processes too. */
  private async pause(): Promise<void> {
    if (performance.now() - this.streakStart < WRITE_STREAK_MS) return nextTurn();
    await sleep(WRITE_PAUSE_MS);
    this.streakStart = performance.now();
  }

  /** Runs jobs in one transaction for as long as it may take; returns those that are left over. */
  private async runBatch(batch: Job[]): Promise<Job[]> {
    let failed: number | undefined;
    try {
      const results = await this.retry(async () => {
        await this.open();
        failed = undefined;
        return this.commit(batch, (index) => {
          failed = index;
        });
      });
      for (const [index, result] of results.entries()) batch[index]?.resolve(result as never);
      return batch.slice(results.length);
    } catch (error) {
      if (failed === undefined || batch.length === 1) {
        for (const job of batch) job.reject(accountError(this.path, error));
        return [];
      }
      // One job's failure undoes the others' work too: they run again without it.
      batch[failed]?.reject(accountError(this.path, error));
      return batch.toSpliced(failed, 1);
    }
  }

  private async commit(batch: readonly Job[], onFailed: (index: number) => void): Promise<unknown[]> {
    const { connection, transaction } = this.opened();
    const writes = batch.some((job) => job.writes);
    if (writes) {
      this.sync?.check();
      this.enterWal(connection);
      this.setSynchronous(batch.some((job) => job.durable));
    }
    connection.exec(writes ? "BEGIN IMMEDIATE" : "BEGIN");
    const results: unknown[] = [];
    try {
      transaction.reset();
      const end = performance.now() + TRANSACTION_MS;
      for (const [index, job] of batch.entries()) {
        try {
          results.push(await job.work(transaction));
        } catch (error) {
          if (!isEngineError(error)) onFailed(index);
          throw error;
        }
        if (performance.now() > end) break;
      }
      transaction.flush();
      connection.exec("COMMIT");
    } catch (error) {
      this.rollBack(connection);
      throw error;
    }
    if (writes) this.sync?.written();
    return results;
  }

  /** A transaction that cannot even be rolled back takes its connection with it. */
  private rollBack(connection: Database.Database): void {
    try {
      if (connection.inTransaction) connection.exec("ROLLBACK");
    } catch {
      this.disconnect();
    }
  }

  /** Tries again while another process is in the way. */
  private async retry<T>(work: () => Promise<T>): Promise<T> {
    const giveUp = performance.now() + (this.options.busyTimeoutMs ?? BUSY_TIMEOUT_MS);
    for (let tries = 0; ; tries++) {
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error) || performance.now() > giveUp) throw error;
        if (tries < 3) await nextTurn();
        else await sleep(Math.min(BUSY_RETRY_MS, 2 ** (tries - 3)) * (0.5 + Math.random()));
      }
    }
  }

  /** Takes the database into WAL mode before the first write: that costs syncs, which a lake that is only read need not wait for. */
  private enterWal(connection: Database.Database): void {
    if (this.wal) return;
    connection.exec("PRAGMA journal_mode = WAL");
    this.wal = true;
  }

  private setSynchronous(durable: boolean): void {
    const level = this.strict && durable ? "FULL" : "NORMAL";
    if (this.synchronous === level) return;
    this.opened().connection.exec(`PRAGMA synchronous = ${level}`);
    this.synchronous = level;
  }

  private opened(): { readonly connection: Database.Database; readonly transaction: SqliteTransaction } {
    if (this.connection === undefined || this.transaction === undefined) throw new Error("not open");
    return { connection: this.connection, transaction: this.transaction };
  }

  private async open(): Promise<void> {
    if (this.connection !== undefined) return;
    const { default: Sqlite } = await import("libsql");
    if (this.path !== IN_MEMORY) await createFile(this.path);
    const connection = new Sqlite(this.path);
    try {
      const transaction = new SqliteTransaction(
        connection,
        this.options.keepEntries ?? Number.POSITIVE_INFINITY,
      );
      if (schemaVersion(connection, this.path) === 0) await this.createTables(connection, transaction);
      this.connection = connection;
      this.transaction = transaction;
      this.synchronous = "";
      this.wal = false;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  private async createTables(connection: Database.Database, transaction: SqliteTransaction): Promise<void> {
    connection.exec("PRAGMA synchronous = FULL");
    connection.exec("BEGIN IMMEDIATE");
    try {
      // Another process may have been faster.
      if (schemaVersion(connection, this.path) === 0) {
        connection.exec(SCHEMA);
        transaction.reset();
        await this.options.fill?.(transaction);
        transaction.flush();
      }
      connection.exec("COMMIT");
    } catch (error) {
      if (connection.inTransaction) connection.exec("ROLLBACK");
      throw error;
    }
  }

  /**
   * The last to close takes the database out of WAL mode: all is in the one file then, and nothing else is left. It matters,
   * because prepared statements keep the engine's handles until they are collected: a connection in WAL mode would delete
   * the log at that time by its name, which may be another database's by then.
   */
  private disconnect(): void {
    const connection = this.connection;
    this.connection = undefined;
    this.transaction = undefined;
    if (connection === undefined) return;
    try {
      connection.exec("PRAGMA journal_mode = DELETE");
    } catch {
      // Others use it, or the disk refuses: whoever opens the database next finds all of it in the log.
    }
    connection.close();
  }
}

/** Version of the tables, 0 where there are none. @throws LakeError `ledger_newer_format` */
function schemaVersion(connection: Database.Database, path: string): number {
  const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'";
  if (connection.prepare(tables).get([]) === undefined) return 0;
  const row = connection.prepare("SELECT version FROM schema_version").get([]) as { version: number };
  if (row.version > SCHEMA_VERSION)
    throw new LakeError("ledger_newer_format", `${path} has account format ${row.version}`, {
      value: row.version,
      remedy: `This release reads format ${SCHEMA_VERSION}: upgrade mirrorlake.`,
    });
  return row.version;
}

/**
 * Makes the file, for its owner alone to read, unless it is there. An existing one is never opened here: to close a
 * descriptor of a database gives up the locks that this process has on it.
 */
async function createFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await (await open(path, "wx", 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function accountClosed(path: string): LakeError {
  return new LakeError("account_closed", "The account is closed", {
    value: path,
    remedy: "Open the lake again before calling it.",
  });
}
