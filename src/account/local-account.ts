import { type Clock, systemClock } from "../clock.js";
import { UsageError } from "../contract/errors.js";
import { formatUsd, type MicroUsd, ZERO_USD } from "../contract/money.js";
import { LIMITS } from "../contract/service/limits.js";
import type {
  Account,
  AccountState,
  BillableEndpoint,
  Charge,
  HeldCall,
  Hold,
  LedgerQuery,
  Principal,
  Rate,
  Refusal,
  Visit,
} from "./account.js";
import type { AccountStore, StoreUpdate } from "./account-store.js";
import { type ApiKeyInfo, type CreatedApiKey, type RandomSource, secureRandom } from "./api-key.js";
import { Books } from "./books.js";
import { ACCOUNT_ID, IDLE_TURN_MS } from "./defaults.js";
import { holdOf } from "./hold.js";
import { Journal } from "./journal.js";
import { Keyring } from "./keyring.js";
import type { LedgerEntry } from "./ledger-entry.js";
import { scopesCover } from "./scopes.js";
import { uncharged } from "./uncharged.js";
import { tallyUsage, type UsageQuery, type UsageRow } from "./usage.js";
import { type Turn, Visits } from "./visits.js";

/** What an account is made of; all that varies is injected. */
export interface AccountOptions {
  /** The service clock. */
  readonly clock?: Clock;
  readonly random?: RandomSource;
  /** `off` lets every call through the minute window; quota and balance still count. */
  readonly limits?: "on" | "off";
  /** What a new account begins with. */
  readonly openingBalance?: MicroUsd;
}

/** An account over a store: the books in memory, every entry handed to the store, one visit's turn at a time. */
export class LocalAccount implements Account, Turn {
  readonly accountId = ACCOUNT_ID;
  readonly #store: AccountStore;
  readonly #clock: Clock;
  readonly #limits: "on" | "off";
  readonly #openingBalance: MicroUsd;
  readonly #keyring: Keyring;
  readonly #visits: Visits;
  readonly #journal: Journal;
  #books: Books;

  constructor(store: AccountStore, options: AccountOptions = {}) {
    this.#store = store;
    this.#clock = options.clock ?? systemClock;
    this.#limits = options.limits ?? "on";
    this.#openingBalance = options.openingBalance ?? LIMITS.sandboxBalance.value;
    this.#journal = new Journal(store);
    this.#books = new Books(this.#clock, this.#limits);
    this.#keyring = new Keyring(this.accountId, this.#clock, options.random ?? secureRandom);
    this.#visits = new Visits(this, IDLE_TURN_MS);
  }

  enter(signal?: AbortSignal): Promise<Visit> {
    return this.#visits.enter(signal);
  }

  authenticate(apiKey: string | undefined): Principal | undefined {
    return this.#keyring.authenticate(apiKey);
  }

  permits(principal: Principal, scope: string): boolean {
    return scopesCover(principal.scopes, scope);
  }

  takeRate(_principal: Principal): Rate {
    return this.#books.takeRate();
  }

  rate(): Rate {
    return this.#books.rate();
  }

  async hold(
    principal: Principal,
    endpoint: BillableEndpoint,
    call: HeldCall = {},
  ): Promise<Hold | undefined> {
    const books = this.#books;
    const { requestId, signal } = call;
    const repeated = requestId !== undefined && books.chargeNamed(principal.keyId, endpoint.id, requestId);
    const reservation = await books.reserve(repeated ? FREE_OF_CHARGE : endpoint, signal);
    if (reservation === undefined) return undefined;
    return holdOf({ books, journal: this.#journal, reservation, endpoint, principal });
  }

  refuse(principal: Principal, refusal: Refusal): Charge {
    const { endpointId, requestId, code } = refusal;
    this.#journal.note(
      this.#books,
      uncharged(principal.keyId, endpointId, requestId, code, this.#books.ratedMark),
    );
    return this.#books.chargeOf(ZERO_USD, false);
  }

  state(): AccountState {
    const state = this.#books.state();
    // Before the first visit of a new account its opening entry is not written yet.
    return this.#books.ledger.seq === 0 ? { ...state, balance: this.#openingBalance } : state;
  }

  listKeys(): readonly ApiKeyInfo[] {
    return this.#keyring.list();
  }

  createKey(options: { readonly name?: string; readonly scopes: readonly string[] }): Promise<CreatedApiKey> {
    return this.#inside(async () => {
      const { key, keys } = this.#keyring.create(options.name ?? "", options.scopes);
      await this.#store.saveKeys(keys);
      this.#keyring.load(keys);
      return key;
    });
  }

  revokeKey(keyId: string): Promise<ApiKeyInfo> {
    return this.#inside(async () => {
      const { key, keys } = this.#keyring.revoke(keyId);
      await this.#store.saveKeys(keys);
      this.#keyring.load(keys);
      return key;
    });
  }

  sessionKey(scopes: readonly string[]): string {
    return this.#keyring.session(scopes);
  }

  async topUp(amount: MicroUsd, options: { readonly reference?: string } = {}): Promise<AccountState> {
    if (amount <= 0n) {
      throw new UsageError("invalid_amount", `A top-up must be positive, not ${formatUsd(amount)} USD`, {
        value: amount,
        remedy: "Give an amount above zero.",
      });
    }
    const { reference } = options;
    return this.#inside(async () => {
      if (reference === undefined || !(await this.#hasReference(reference))) {
        const draft = { kind: "top_up", amount: amount.toString() } as const;
        await this.#journal.record(this.#books, reference === undefined ? draft : { ...draft, reference });
      }
      return this.state();
    });
  }

  async usage(query: UsageQuery = {}): Promise<readonly UsageRow[]> {
    return tallyUsage(this.entries(query), query.by);
  }

  async *entries(query: LedgerQuery = {}): AsyncIterable<LedgerEntry> {
    const { fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY, afterSeq = 0 } = query;
    for await (const entry of this.#store.entries({ fromMs, afterSeq })) {
      if (entry.seq > afterSeq && entry.at >= fromMs && entry.at <= toMs) yield entry;
    }
  }

  close(): Promise<void> {
    return this.#visits.close();
  }

  /** Adopts what the store holds, without the right to write: for a first look. */
  async peek(): Promise<void> {
    this.#adopt(await this.#store.peek());
  }

  /** Writes the opening entry of a new ledger. */
  async openLedger(): Promise<void> {
    if (this.#books.ledger.seq > 0) return;
    await this.#journal.record(this.#books, { kind: "opening", amount: this.#openingBalance.toString() });
  }

  /** Ends this process's turn when nobody is visiting; for a store that learns that others wait. */
  rest(): void {
    this.#visits.rest();
  }

  get due(): boolean {
    return this.#journal.broken || this.#store.contended;
  }

  async begin(): Promise<void> {
    this.#adopt(await this.#store.acquire(this.#journal.broken));
    this.#journal.mend();
    try {
      await this.openLedger();
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  end(): Promise<void> {
    return this.#store.release();
  }

  #adopt(update: StoreUpdate): void {
    if (update.checkpoint !== undefined)
      this.#books = new Books(this.#clock, this.#limits, update.checkpoint);
    for (const entry of update.entries) this.#books.adopt(entry);
    if (update.keys !== undefined) this.#keyring.load(update.keys);
  }

  async #hasReference(reference: string): Promise<boolean> {
    for await (const entry of this.#store.entries()) {
      if (entry.kind === "top_up" && entry.reference === reference) return true;
    }
    return false;
  }

  async #inside<T>(act: () => Promise<T>): Promise<T> {
    const visit = await this.#visits.join();
    try {
      return await act();
    } finally {
      visit.leave();
    }
  }
}

/** What a repeated call reserves. */
const FREE_OF_CHARGE = { price: ZERO_USD, freeEligible: false };
