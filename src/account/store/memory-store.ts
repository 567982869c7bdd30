import { EventLoopTurn } from "../../event-loop-turn.js";
import { nextTurn } from "../../next-turn.js";
import { MEMORY_LEDGER_ENTRIES, TRANSACTION_MS } from "../defaults.js";
import { accountClosed } from "./account-closed.js";
import type {
  AccountReader,
  AccountStore,
  AccountTransaction,
  ChargedCall,
  ChargedState,
} from "./account-store.js";
import { MemoryTransaction } from "./memory-transaction.js";

/** An account in the memory of this process: no files, no engine. Jobs run one after the other, each a transaction. */
export class MemoryStore implements AccountStore {
  private readonly transaction: MemoryTransaction;
  private readonly turn = new EventLoopTurn(TRANSACTION_MS);
  /** Ends with the newest job. */
  private last: Promise<unknown> = Promise.resolve();
  private jobs = 0;
  private closed = false;

  /** @param keepEntries number of newest ledger entries to keep */
  constructor(keepEntries: number = MEMORY_LEDGER_ENTRIES) {
    this.transaction = new MemoryTransaction(keepEntries);
  }

  transact<T>(work: (transaction: AccountTransaction) => Promise<T>): Promise<T> {
    if (this.closed) return Promise.reject(accountClosed("memory"));
    this.jobs += 1;
    const done = this.last.then(() => this.run(work));
    this.last = done.catch(() => {}); // its caller gets the error
    return done;
  }

  read<T>(work: (reader: AccountReader) => Promise<T>): Promise<T> {
    return this.transact(work);
  }

  async appendCharge(call: ChargedCall, month: string): Promise<ChargedState | undefined> {
    if (this.turn.isOver()) await nextTurn();
    // A transaction in progress sees its own state only.
    if (this.closed || this.jobs > 0) return undefined;
    return this.transaction.appendCharge(call, month);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.last;
  }

  private async run<T>(work: (transaction: AccountTransaction) => Promise<T>): Promise<T> {
    if (this.turn.isOver()) await nextTurn();
    try {
      const result = await work(this.transaction);
      this.transaction.commit();
      return result;
    } catch (error) {
      this.transaction.rollBack();
      throw error;
    } finally {
      this.jobs -= 1;
    }
  }
}
