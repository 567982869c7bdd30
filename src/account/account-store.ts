import type { StoredApiKey } from "./api-key.js";
import type { LedgerEntry } from "./ledger-entry.js";
import { EMPTY_LEDGER, type LedgerCheckpoint } from "./ledger-state.js";

/** What a store has learnt since it was last asked. */
export interface StoreUpdate {
  /** What the ledger summed to before `entries`; present when all that is known must be built anew from there. */
  readonly checkpoint?: LedgerCheckpoint;
  /** New entries, in order. */
  readonly entries: readonly LedgerEntry[];
  /** All keys; present when they changed. */
  readonly keys?: readonly StoredApiKey[];
}

/** What earlier entries are of no interest. */
export interface EntriesSince {
  /** Milliseconds since the Unix epoch. */
  readonly fromMs?: number;
  readonly afterSeq?: number;
}

/** Where an account is kept: its ledger, its keys, and the right to write them, which one process has at a time. */
export interface AccountStore {
  /** Reads what is there without the right to write. */
  peek(): Promise<StoreUpdate>;
  /**
   * Waits for the right to write, and reads what others wrote meanwhile; everything anew if `fresh`, because what is known
   * may hold entries that were never kept.
   * @throws LakeError `account_busy`, `account_not_writable`, `ledger_corrupt`
   */
  acquire(fresh: boolean): Promise<StoreUpdate>;
  /** Writes all that is pending and gives the right back. */
  release(): Promise<void>;
  /** Whether somebody else waits for the right to write. */
  readonly contended: boolean;
  /**
   * Takes the next entry. Resolves when it is as safe as the store promises.
   * @throws LakeError `ledger_write_failed`: neither the entry nor any after it is kept.
   */
  append(entry: LedgerEntry): Promise<void>;
  /** Puts these keys in place of those that are kept. */
  saveKeys(keys: readonly StoredApiKey[]): Promise<void>;
  /** All entries, in order, streamed; whole segments of those before an instant or a number may be left out. */
  entries(since?: EntriesSince): AsyncIterable<LedgerEntry>;
}

/** Keeps an account for as long as the process lives. */
export class MemoryStore implements AccountStore {
  readonly contended = false;
  readonly #entries: LedgerEntry[] = [];
  #keys: readonly StoredApiKey[] = [];

  async peek(): Promise<StoreUpdate> {
    return { entries: [] };
  }

  async acquire(fresh: boolean): Promise<StoreUpdate> {
    return fresh
      ? { checkpoint: EMPTY_LEDGER, entries: this.#entries, keys: this.#keys }
      : { entries: [], keys: this.#keys };
  }

  async release(): Promise<void> {}

  async append(entry: LedgerEntry): Promise<void> {
    this.#entries.push(entry);
  }

  async saveKeys(keys: readonly StoredApiKey[]): Promise<void> {
    this.#keys = keys;
  }

  async *entries(): AsyncIterable<LedgerEntry> {
    const end = this.#entries.length;
    for (let i = 0; i < end; i++) yield this.#entries[i] as LedgerEntry;
  }
}
