import { join } from "node:path";
import { LakeError } from "../contract/errors.js";
import type { AccountStore, EntriesSince, StoreUpdate } from "./account-store.js";
import type { StoredApiKey } from "./api-key.js";
import { KeyFile } from "./key-file.js";
import type { LedgerEntry } from "./ledger-entry.js";
import { LedgerReader } from "./ledger-reader.js";
import { EMPTY_LEDGER } from "./ledger-state.js";
import { type Durability, LedgerWriter } from "./ledger-writer.js";
import { mendSegments } from "./mend-segments.js";
import { createSegment, listSegments } from "./segment.js";
import { WriterLock } from "./writer-lock.js";

/** How an account is kept on disk. */
export interface FileStoreOptions {
  readonly accountId: string;
  readonly durability: Durability;
  /** Told, in a sentence, of what a crash had left behind and how it was mended. */
  readonly onNotice: (message: string) => void;
  /** Told when another process waits for the account. */
  readonly onContended: () => void;
}

/** Keeps an account in a folder: `ledger-<n>.log`, `keys.json`, and `lock/`, which processes share the writing by. */
export class FileStore implements AccountStore {
  readonly #dir: string;
  readonly #options: FileStoreOptions;
  readonly #lock: WriterLock;
  readonly #keys: KeyFile;
  readonly #reader: LedgerReader;
  #writer: LedgerWriter | undefined;

  constructor(dir: string, options: FileStoreOptions) {
    this.#dir = dir;
    this.#options = options;
    this.#lock = new WriterLock(join(dir, "lock"), { onContended: options.onContended });
    this.#keys = new KeyFile(join(dir, "keys.json"));
    this.#reader = new LedgerReader(dir);
  }

  get contended(): boolean {
    return this.#lock.contended;
  }

  async peek(): Promise<StoreUpdate> {
    const { checkpoint, entries, contents } = await this.#reader.read();
    // What needs mending is read again by whoever may mend it.
    if (contents.some((content) => content.mended.length > 0)) this.#reader.forget();
    return withKeys(
      checkpoint === undefined ? { entries } : { checkpoint, entries },
      await this.#keys.readChanged(),
    );
  }

  async acquire(fresh: boolean): Promise<StoreUpdate> {
    await this.#lock.acquire();
    try {
      if (fresh) this.#reader.forget();
      // A turn that could not be ended, because the disk refused, is ended first.
      await this.#writer?.close();
      this.#writer = undefined;
      if ((await listSegments(this.#dir)).length === 0) {
        await createSegment(this.#dir, 1, this.#options.accountId, EMPTY_LEDGER);
      }
      const { checkpoint, entries, contents } = await this.#reader.read();
      await mendSegments(this.#dir, contents, this.#options.onNotice);
      const { end } = this.#reader;
      if (end === undefined) throw new Error(`no ledger in ${this.#dir} after it was made`);
      this.#writer = new LedgerWriter(this.#dir, {
        account: this.#options.accountId,
        durability: this.#options.durability,
        end,
        guard: () => this.#lock.assertHeld(),
      });
      const keys = await this.#keys.readChanged();
      return withKeys(checkpoint === undefined ? { entries } : { checkpoint, entries }, keys);
    } catch (error) {
      this.#reader.forget();
      if (this.#writer === undefined) await this.#lock.release();
      throw error;
    }
  }

  async release(): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    // A failed write leaves the books ahead of the file: the next turn reads the ledger anew.
    this.#reader.forget();
    await writer.close();
    if (!writer.failed) this.#reader.moveTo(writer.end);
    this.#writer = undefined;
    await this.#lock.release();
  }

  append(entry: LedgerEntry): Promise<void> {
    return this.#writer === undefined ? Promise.reject(outsideVisit(entry)) : this.#writer.append(entry);
  }

  saveKeys(keys: readonly StoredApiKey[]): Promise<void> {
    return this.#keys.write(keys);
  }

  async *entries(since: EntriesSince = {}): AsyncIterable<LedgerEntry> {
    await this.#writer?.flush();
    yield* this.#reader.entries(since);
  }
}

function withKeys(update: StoreUpdate, keys: readonly StoredApiKey[] | undefined): StoreUpdate {
  return keys === undefined ? update : { ...update, keys };
}

function outsideVisit(entry: LedgerEntry): LakeError {
  return new LakeError("outside_visit", "The account was used outside a visit", {
    value: entry,
    remedy: "Call enter() first, and leave() when the call is done.",
  });
}
