import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { nextTurn } from "../../../next-turn.js";
import { JOBS_PER_TRANSACTION, POSTGRES } from "../../defaults.js";
import { accountClosed } from "../account-closed.js";
import type { AccountReader, AccountStore, AccountTransaction, ChargedState } from "../account-store.js";
import { type Job, JobQueue } from "../job-queue.js";
import { shownAddress } from "./postgres-address.js";
import { PostgresConnection } from "./postgres-connection.js";
import { CommitLost, isBusy, isEngineError, isGone, postgresError } from "./postgres-error.js";
import { PostgresTransaction } from "./postgres-transaction.js";

/**
 * An account on PostgreSQL, which any number of servers share. One connection; a lock on one table lets one transaction write at a
 * time, and the jobs that wait in a server share its turn. Commits are as safe as the server's `synchronous_commit`.
 */
export class PostgresStore implements AccountStore {
  private readonly jobs: JobQueue;
  private connection: PostgresConnection | undefined;
  /** Whether there was a connection: one that is lost is made again, one that never was is an error at once. */
  private known = false;
  private closed = false;

  /** @param address `postgres://user:password@host:5432/database` */
  constructor(private readonly address: string) {
    this.jobs = new JobQueue({
      atMost: JOBS_PER_TRANSACTION,
      begin: () => nextTurn(), // calls of the same turn of the event loop share the way to the server
      commit: (batch, onFailed) => this.commitRetried(batch, onFailed),
      pause: () => nextTurn(),
      errorOf: (error) => postgresError(address, error),
    });
  }

  transact<T>(work: (transaction: AccountTransaction) => Promise<T>): Promise<T> {
    return this.add(work, true);
  }

  appendCharge(): ChargedState | undefined {
    // Totals may have changed on another server: a transaction looks.
    return undefined;
  }

  read<T>(work: (reader: AccountReader) => Promise<T>): Promise<T> {
    return this.add(work, false);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.jobs.idle();
    await this.disconnect();
  }

  private add<T>(work: (transaction: AccountTransaction) => Promise<T>, writes: boolean): Promise<T> {
    if (this.closed) return Promise.reject(accountClosed(shownAddress(this.address)));
    return this.jobs.add(work, writes, true);
  }

  /** Runs a batch again while another server holds the lock, or the database restarts, unless its commit may have been done. */
  private async commitRetried(
    batch: readonly Job[],
    onFailed: (index: number | undefined) => void,
  ): Promise<readonly unknown[]> {
    const giveUp = performance.now() + POSTGRES.retryMs;
    for (let tries = 0; ; tries += 1) {
      try {
        if (this.connection === undefined || this.connection.lost) {
          await this.disconnect();
          this.connection = await PostgresConnection.open(this.address);
          this.known = true;
        }
        onFailed(undefined);
        return await this.commit(this.connection, batch, onFailed);
      } catch (error) {
        const passes = isBusy(error) || (this.known && isGone(error));
        if (error instanceof CommitLost || !passes || performance.now() > giveUp) throw error;
        await sleep(Math.min(POSTGRES.pauseMs, 2 ** tries) * (0.5 + Math.random()));
      }
    }
  }

  private async commit(
    connection: PostgresConnection,
    batch: readonly Job[],
    onFailed: (index: number) => void,
  ): Promise<readonly unknown[]> {
    const results: unknown[] = [];
    try {
      await connection.begin(batch.some(({ writes }) => writes));
      const transaction = new PostgresTransaction(connection);
      const end = performance.now() + POSTGRES.transactionMs;
      for (const [index, { work }] of batch.entries()) {
        try {
          results.push(await work(transaction));
        } catch (error) {
          if (!isEngineError(error)) onFailed(index);
          throw error;
        }
        if (performance.now() > end) break;
      }
      await transaction.flush();
      await connection.commit();
      return results;
    } catch (error) {
      if (isGone(error) || error instanceof CommitLost) connection.lost = true;
      if (!(await connection.rollBack())) await this.disconnect();
      throw error;
    }
  }

  private async disconnect(): Promise<void> {
    const { connection } = this;
    this.connection = undefined;
    await connection?.close();
  }
}
