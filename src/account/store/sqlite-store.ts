import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { EventLoopTurn } from "../../event-loop-turn.js";
import { nextTurn } from "../../next-turn.js";
import {
  BUSY_RETRY_MS,
  BUSY_TIMEOUT_MS,
  JOBS_PER_TRANSACTION,
  TRANSACTION_MS,
  WRITE_PAUSE_MS,
  WRITE_STREAK_MS,
} from "../defaults.js";
import { accountClosed } from "./account-closed.js";
import type {
  AccountReader,
  AccountStore,
  AccountTransaction,
  ChargedCall,
  ChargedState,
} from "./account-store.js";
import { type Job, JobQueue } from "./job-queue.js";
import { type ConnectionOptions, SqliteConnection } from "./sqlite-connection.js";
import { accountError, isBusy, isEngineError } from "./sqlite-error.js";
import { WalSync } from "./wal-sync.js";

/**
 * Safety of a durable commit. `strict`: on disk before the call resolves; concurrent commits share one sync.
 * `relaxed`: handed to the operating system; a killed process loses nothing, a power cut at most the last second.
 */
export type Durability = "strict" | "relaxed";

/** Options of {@link SqliteStore}. */
export interface SqliteStoreOptions extends ConnectionOptions {
  /** Default `relaxed`. */
  readonly durability?: Durability;
  /** Milliseconds to wait for other processes. */
  readonly busyTimeoutMs?: number;
}

/**
 * An account in a SQLite database in WAL mode. SQLite's locks isolate processes: one writes at a time, readers never
 * wait. The engine is synchronous, so it must not sleep for a lock: a busy database is retried from the event loop.
 */
export class SqliteStore implements AccountStore {
  private readonly path: string;
  private readonly strict: boolean;
  private readonly options: SqliteStoreOptions;
  private readonly sync: WalSync | undefined;
  private readonly jobs: JobQueue;
  private connection: SqliteConnection | undefined;
  private closed = false;
  private streakStart = 0;
  private readonly turn = new EventLoopTurn(TRANSACTION_MS);

  constructor(path: string, options: SqliteStoreOptions = {}) {
    this.path = path;
    this.options = options;
    this.strict = options.durability === "strict";
    this.sync = this.strict ? undefined : new WalSync(`${path}-wal`);
    this.jobs = new JobQueue({
      atMost: JOBS_PER_TRANSACTION,
      begin: (first) => this.begin(first),
      commit: (batch, onFailed) => this.commitRetried(batch, onFailed),
      pause: () => this.pause(),
      errorOf: (error) => accountError(path, error),
    });
  }

  transact<T>(
    work: (transaction: AccountTransaction) => Promise<T>,
    options: { readonly durable?: boolean } = {},
  ): Promise<T> {
    return this.enqueue(work, true, options.durable ?? false);
  }

  async appendCharge(call: ChargedCall, month: string): Promise<ChargedState | undefined> {
    if (this.turn.isOver()) await nextTurn();
    const { connection } = this;
    if (this.closed || this.strict || connection?.isWriting !== true || this.sync?.failed === true)
      return undefined;
    // Many calls of one turn of the event loop share transactions, which yield to it.
    if (this.jobs.isRunning || this.turn.isOver()) return undefined;
    try {
      const charged = connection.appendCharge(call, month);
      if (charged !== undefined) this.sync?.written();
      return charged;
    } catch (error) {
      if (!connection.rollBack()) this.disconnect();
      // The transaction that follows waits for the lock, or reports the error.
      if (isEngineError(error)) return undefined;
      throw error;
    }
  }

  read<T>(work: (reader: AccountReader) => Promise<T>): Promise<T> {
    return this.enqueue(work, false, false);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.jobs.idle();
    await this.sync?.close();
    this.disconnect();
  }

  private enqueue<T>(
    work: (transaction: AccountTransaction) => Promise<T>,
    writes: boolean,
    durable: boolean,
  ): Promise<T> {
    if (this.closed) return Promise.reject(accountClosed(this.path));
    return this.jobs.add(work, writes, durable);
  }

  private async begin(first: Job | undefined): Promise<void> {
    this.streakStart = performance.now();
    // Commits that need a sync wait for others of the same event loop turn, to share the sync.
    if ((this.strict && first?.durable === true) || this.turn.isOver()) await nextTurn();
  }

  /** Yields to the event loop, and periodically to other processes. */
  private async pause(): Promise<void> {
    if (performance.now() - this.streakStart < WRITE_STREAK_MS) return nextTurn();
    await sleep(WRITE_PAUSE_MS);
    this.streakStart = performance.now();
  }

  private commitRetried(
    batch: readonly Job[],
    onFailed: (index: number | undefined) => void,
  ): Promise<readonly unknown[]> {
    return this.retry(async () => {
      this.connection ??= await SqliteConnection.open(this.path, this.options);
      onFailed(undefined);
      return this.commit(this.connection, batch, onFailed);
    });
  }

  private async commit(
    connection: SqliteConnection,
    batch: readonly Job[],
    onFailed: (index: number) => void,
  ): Promise<unknown[]> {
    const writes = batch.some((job) => job.writes);
    const durable = batch.some((job) => job.durable);
    if (durable) this.sync?.check();
    connection.begin(writes, this.strict && durable);
    const results: unknown[] = [];
    try {
      const end = performance.now() + TRANSACTION_MS;
      for (const [index, job] of batch.entries()) {
        try {
          results.push(await job.work(connection.transaction));
        } catch (error) {
          if (!isEngineError(error)) onFailed(index);
          throw error;
        }
        if (performance.now() > end) break;
      }
      connection.commit();
    } catch (error) {
      if (!connection.rollBack()) this.disconnect();
      throw error;
    }
    if (writes) this.sync?.written();
    return results;
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

  private disconnect(): void {
    this.connection?.close();
    this.connection = undefined;
  }
}
