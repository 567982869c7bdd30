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
import { SCHEMA } from "./schema.js";
import { schemaVersion } from "./schema-version.js";
import { accountError, isBusy, isEngineError } from "./sqlite-error.js";
import { createDatabaseFile } from "./sqlite-file.js";
import { SqliteTransaction } from "./sqlite-transaction.js";
import { WalSync } from "./wal-sync.js";

/**
 * Safety of a durable commit. `strict`: on disk before the call resolves; concurrent commits share one sync.
 * `relaxed`: handed to the operating system; a killed process loses nothing, a power cut at most the last second.
 */
export type Durability = "strict" | "relaxed";

/** Options of {@link SqliteStore}. */
export interface SqliteStoreOptions {
  /** Default `relaxed`. */
  readonly durability?: Durability;
  /** Fills a new database, in the transaction that creates its tables. */
  readonly fill?: (transaction: AccountTransaction) => Promise<void>;
  /** Number of newest ledger entries to keep; all by default. */
  readonly keepEntries?: number;
  /** Milliseconds to wait for other processes. */
  readonly busyTimeoutMs?: number;
}

/** Path of a database in memory. */
export const IN_MEMORY = ":memory:";

interface Job {
  readonly work: (transaction: AccountTransaction) => Promise<unknown>;
  readonly writes: boolean;
  readonly durable: boolean;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * An account in a SQLite database in WAL mode. SQLite's locks isolate processes: one writes at a time, readers never
 * wait. The engine is synchronous, so it must not sleep for a lock: a busy database is retried from the event loop.
 * Jobs run in FIFO order; jobs that are queued together share a transaction.
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
    // Commits that need a sync wait for others of the same event loop turn, to share the sync.
    if (this.strict && this.jobs[0]?.durable === true) await nextTurn();
    while (this.jobs.length > 0) {
      const batch = this.jobs.splice(0, JOBS_PER_TRANSACTION);
      const remaining = await this.runBatch(batch);
      this.jobs.unshift(...remaining);
      if (this.jobs.length > 0) await this.pause();
    }
    this.running = undefined;
  }

  /** Yields to the event loop, and periodically to other processes. */
  private async pause(): Promise<void> {
    if (performance.now() - this.streakStart < WRITE_STREAK_MS) return nextTurn();
    await sleep(WRITE_PAUSE_MS);
    this.streakStart = performance.now();
  }

  /** Runs jobs in one transaction until its time is over; returns the remaining jobs. */
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
      // One failed job rolls back the others, so they run again without it.
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

  /** Rolls back, or closes the connection if the rollback fails. */
  private rollBack(connection: Database.Database): void {
    try {
      if (connection.inTransaction) connection.exec("ROLLBACK");
    } catch {
      this.disconnect();
    }
  }

  /** Retries while another process holds the lock. */
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

  /** Enters WAL mode before the first write. It costs syncs, which a lake that is only read must not wait for. */
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
    if (this.path !== IN_MEMORY) await createDatabaseFile(this.path);
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
      // Another process may have created the tables meanwhile.
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
   * Closes the connection. The last connection leaves WAL mode first, so that all data is in the one file. Otherwise
   * prepared statements would keep the engine's handles until garbage collection, which would then delete the log by
   * its name, when that name may already belong to another database.
   */
  private disconnect(): void {
    const connection = this.connection;
    this.connection = undefined;
    this.transaction = undefined;
    if (connection === undefined) return;
    try {
      connection.exec("PRAGMA journal_mode = DELETE");
    } catch {
      // Other connections use it, or the disk fails: the next connection reads the data from the log.
    }
    connection.close();
  }
}

function accountClosed(path: string): LakeError {
  return new LakeError("account_closed", "The account is closed", {
    value: path,
    remedy: "Open the lake again before calling it.",
  });
}
