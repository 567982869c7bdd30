import { type Clock, systemClock } from "../clock.js";
import { LakeError, UsageError } from "../contract/errors.js";
import { LIMITS } from "../contract/limits.js";
import { formatUsd, type MicroUsd, ZERO_USD } from "../contract/money.js";
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
  ReleaseOutcome,
  Visit,
} from "./account.js";
import { type AccountStore, MemoryStore, type StoreUpdate } from "./account-store.js";
import { type ApiKeyInfo, type CreatedApiKey, type RandomSource, secureRandom } from "./api-key.js";
import { Books, type EntryDraft, type Reservation } from "./books.js";
import { ACCOUNT_ID, IDLE_TURN_MS } from "./defaults.js";
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
  #books: Books;
  #broken = false;

  constructor(store: AccountStore, options: AccountOptions = {}) {
    this.#store = store;
    this.#clock = options.clock ?? systemClock;
    this.#limits = options.limits ?? "on";
    this.#openingBalance = options.openingBalance ?? LIMITS.sandboxBalance.value;
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
    let settled = false;
    return {
      charge: (requestId) => {
        if (settled) return Promise.reject(settledTwice(requestId));
        settled = true;
        return this.#charge(books, reservation, endpoint, principal.keyId, requestId);
      },
      release: (requestId = "", outcome: ReleaseOutcome = "empty") => {
        if (!settled) {
          settled = true;
          books.unreserve(reservation);
          this.#note(books, principal, endpoint.id, requestId, outcome);
        }
        return books.chargeOf(ZERO_USD, false);
      },
    };
  }

  refuse(principal: Principal, refusal: Refusal): Charge {
    this.#note(this.#books, principal, refusal.endpointId, refusal.requestId, refusal.code);
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
        await this.#append(this.#books, reference === undefined ? draft : { ...draft, reference });
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
    await this.#append(this.#books, { kind: "opening", amount: this.#openingBalance.toString() });
  }

  /** Ends this process's turn when nobody is visiting; for a store that learns that others wait. */
  rest(): void {
    this.#visits.rest();
  }

  get due(): boolean {
    return this.#broken || this.#store.contended;
  }

  async begin(): Promise<void> {
    this.#adopt(await this.#store.acquire(this.#broken));
    this.#broken = false;
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

  async #charge(
    books: Books,
    reservation: Reservation,
    endpoint: BillableEndpoint,
    key: string,
    request: string,
  ): Promise<Charge> {
    const before = books.chargeNamed(key, endpoint.id, request);
    if (before !== undefined) {
      books.unreserve(reservation);
      await before.durable;
      return books.chargeOf(before.amount, before.free);
    }
    const entry = books.charge(reservation, endpoint, key, request);
    const amount = (
      reservation.free || entry.outcome === "free_quota" ? ZERO_USD : reservation.amount
    ) as MicroUsd;
    const charge = books.chargeOf(amount, entry.outcome === "free_quota");
    const durable = this.#keep(entry);
    books.remember(entry, durable);
    await durable;
    return charge;
  }

  #note(
    books: Books,
    principal: Principal,
    endpoint: string | undefined,
    request: string,
    outcome: ReleaseOutcome,
  ): void {
    const draft = uncharged(principal.keyId, endpoint, request, outcome, books.ratedMark);
    // No money hangs on this entry, so no answer waits for it; a failure breaks the turn, and the next visit is told.
    this.#append(books, draft).catch(() => undefined);
  }

  #append(books: Books, draft: EntryDraft): Promise<void> {
    return this.#keep(books.record(draft));
  }

  async #keep(entry: LedgerEntry): Promise<void> {
    try {
      await this.#store.append(entry);
    } catch (error) {
      this.#broken = true;
      throw error;
    }
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

function settledTwice(requestId: string): LakeError {
  return new LakeError("hold_settled", "This call was settled before", {
    value: requestId,
    remedy: "Charge or release a hold once.",
  });
}

/** An account that lives as long as the process. */
export function openMemoryAccount(options: AccountOptions = {}): Account {
  const account = new LocalAccount(new MemoryStore(), options);
  // A memory store takes an entry at once, so the balance stands before the first visit too.
  void account.openLedger();
  return account;
}
