import type { AccountStore } from "./account-store.js";
import type { Books, EntryDraft } from "./books.js";
import type { LedgerEntry } from "./ledger-entry.js";

/** Hands the entries of the books to the store, and knows whether one was lost on the way. */
export class Journal {
  readonly #store: AccountStore;
  #broken = false;

  constructor(store: AccountStore) {
    this.#store = store;
  }

  /** Whether the books may hold an entry that the store has not kept: then they must be read anew. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Says that the books hold again what the store keeps. */
  mend(): void {
    this.#broken = false;
  }

  /**
   * Keeps an entry that the books have taken. Resolves when it is as safe as the store promises.
   * @throws LakeError `ledger_write_failed`
   */
  async keep(entry: LedgerEntry): Promise<void> {
    try {
      await this.#store.append(entry);
    } catch (error) {
      this.#broken = true;
      throw error;
    }
  }

  /** Enters a draft in the books and keeps it, as {@link Journal.keep}. @throws LakeError `ledger_write_failed` */
  record(books: Books, draft: EntryDraft): Promise<void> {
    return this.keep(books.record(draft));
  }

  /** Enters the draft of a call without money in the books, and keeps it in the background. */
  note(books: Books, draft: EntryDraft): void {
    // No money hangs on this entry, so no answer waits for it; a failure breaks the turn, and the next visit is told.
    this.record(books, draft).catch(() => undefined);
  }
}
