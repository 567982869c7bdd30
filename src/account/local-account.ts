import { z } from "zod";
import { type Clock, systemClock } from "../clock.js";
import { checkOptions, optionsSchema } from "../contract/check-options.js";
import { UsageError } from "../contract/errors.js";
import { formatUsd, type MicroUsd, parseUsd } from "../contract/money.js";
import { LIMITS } from "../contract/service/limits.js";
import { nextTurn } from "../next-turn.js";
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
} from "./account.js";
import type { AccountOptions } from "./account-options.js";
import { type ApiKeyInfo, type CreatedApiKey, digestApiKey, secureRandom } from "./api-key.js";
import { stateOf } from "./charge-call.js";
import { ACCOUNT_ID, ENTRIES_PER_READ, HOLD_LEASE_MS } from "./defaults.js";
import { Keyring, keyInfo, revokeKey, saveKey } from "./keyring.js";
import { Ledger } from "./ledger.js";
import type { EntryDraft, LedgerEntry } from "./ledger-entry.js";
import { LocalHold } from "./local-hold.js";
import { rateLimitOf, rateOf, takeRate } from "./rate-window.js";
import { record } from "./record-entry.js";
import { Reservations } from "./reservations.js";
import { type FundsRequest, freeCalls, type Reservation } from "./reserve-funds.js";
import { scopesCover } from "./scopes.js";
import { singaporeMonth } from "./singapore-calendar.js";
import { SlidingWindow } from "./sliding-window.js";
import type { AccountStore } from "./store/account-store.js";
import { tallyUsage, type UsageQuery, type UsageRow } from "./usage.js";

interface NewKey {
  readonly name?: string;
  readonly scopes: readonly string[];
}

const NEW_KEY = optionsSchema<NewKey>(() => ({
  name: z.string().optional(),
  scopes: z.array(z.string()),
}));

interface TopUp {
  readonly reference?: string;
}

const TOP_UP = optionsSchema<TopUp>(() => ({ reference: z.string().optional() }));

/** An {@link Account} over a store: it applies prices, quota, rate limits and keys; the store persists and shares them. */
export class LocalAccount implements Account {
  readonly accountId = ACCOUNT_ID;
  private readonly store: AccountStore;
  private readonly clock: Clock;
  private readonly limited: boolean;
  private readonly limitOf: typeof rateLimitOf;
  private readonly openingBalance: MicroUsd;
  private readonly keyring: Keyring;
  private readonly ledger: Ledger;
  private readonly reservations: Reservations;
  /** Calls of this process while limits are off. Other processes do not see them. */
  private readonly unlimited = new SlidingWindow(LIMITS.rateWindowMs.value);
  /** Calls per minute, as last read. */
  private limit: number = LIMITS.requestsPerMinute.value;

  /** @param place see {@link Account} */
  constructor(
    store: AccountStore,
    options: AccountOptions = {},
    readonly place?: string,
  ) {
    this.store = store;
    this.clock = options.clock ?? systemClock;
    this.limited = options.limits !== "off";
    const { requestsPerMinute } = options;
    this.limitOf = requestsPerMinute === undefined ? rateLimitOf : async () => requestsPerMinute;
    this.openingBalance = options.openingBalance ?? LIMITS.sandboxBalance.value;
    this.keyring = new Keyring(this.accountId, options.random ?? secureRandom);
    const machine = options.machineClock ?? systemClock;
    this.ledger = new Ledger(store, this.clock, this.openingBalance);
    this.reservations = new Reservations({
      transact: (work) => this.ledger.transact(work),
      instants: () => ({ now: this.clock.now(), machine: machine.now() }),
      leaseMs: options.holdLeaseMs ?? HOLD_LEASE_MS,
    });
  }

  /** Writes the opening entry of a new account, which otherwise comes with its first transaction. */
  async open(): Promise<void> {
    const isNew = await this.store.read(async (reader) => (await reader.totals()) === undefined);
    if (isNew) await this.ledger.transact(async () => undefined);
  }

  async authenticate(apiKey: string | undefined): Promise<Principal | undefined> {
    if (apiKey === undefined || apiKey === "") return undefined;
    const session = this.keyring.ofSession(apiKey);
    if (session !== undefined) return session;
    const digest = digestApiKey(apiKey);
    return this.store.read((reader) => this.keyring.ofStore(reader, digest));
  }

  permits(principal: Principal, scope: string): boolean {
    return scopesCover(principal.scopes, scope);
  }

  async takeRate(_principal: Principal): Promise<Rate> {
    if (this.limited)
      return this.ledger.transact(async (transaction) =>
        takeRate(transaction, this.clock.now(), await this.limitOf(transaction)),
      );
    this.unlimited.add(this.clock.now());
    return this.rate();
  }

  async rate(): Promise<Rate> {
    if (this.limited)
      return this.store.read(async (reader) => rateOf(reader, this.clock.now(), await this.limitOf(reader)));
    // The limit only ever rises, with the first top-up.
    if (this.limit < LIMITS.requestsPerMinuteToppedUp.value) this.limit = await this.store.read(this.limitOf);
    const remaining = Math.max(0, this.limit - this.unlimited.count(this.clock.now()));
    return { allowed: true, limit: this.limit, remaining, retryAfterS: 0 };
  }

  async hold(
    principal: Principal,
    endpoint: BillableEndpoint,
    { requestId, digest, signal }: HeldCall = {},
  ): Promise<Hold | undefined> {
    signal?.throwIfAborted();
    const request = { key: principal.keyId, endpoint, requestId, digest };
    const reservation = await this.reservation(request, signal);
    if (reservation === undefined) return undefined;
    if (signal?.aborted === true) {
      await this.reservations.drop(reservation, endpoint.price);
      throw signal.reason;
    }
    const { clock, ledger, reservations } = this;
    return new LocalHold({ clock, ledger, reservations }, request, reservation);
  }

  refuse(principal: Principal, { endpointId, requestId, code }: Refusal): Promise<Charge> {
    return this.ledger.note({ key: principal.keyId, endpoint: endpointId, requestId, outcome: code });
  }

  async state(): Promise<AccountState> {
    return this.store.read(async (reader) => {
      // A new account gets its opening entry with its first transaction.
      if ((await reader.totals()) !== undefined) return stateOf(reader, this.clock.now());
      const freeQuotaRemaining = freeCalls(await reader.quota(singaporeMonth(this.clock.now())));
      return { balance: this.openingBalance, freeQuotaRemaining, toppedUp: false };
    });
  }

  listKeys(): Promise<readonly ApiKeyInfo[]> {
    return this.store.read(async (reader) => (await reader.keys()).map(keyInfo).reverse());
  }

  async createKey(options: NewKey): Promise<CreatedApiKey> {
    checkOptions(NEW_KEY, options, "createKey");
    const { apiKey, stored } = this.keyring.make(options.name ?? "", options.scopes, this.clock.now());
    await this.ledger.transact((transaction) => saveKey(transaction, stored), { durable: true });
    return { ...keyInfo(stored), apiKey };
  }

  async revokeKey(keyId: string): Promise<ApiKeyInfo> {
    const now = this.clock.now();
    const revoked = this.ledger.transact((transaction) => revokeKey(transaction, keyId, now), {
      durable: true,
    });
    return keyInfo(await revoked);
  }

  sessionKey(scopes: readonly string[]): string {
    return this.keyring.session(scopes);
  }

  async topUp(given: string | number | MicroUsd, options: TopUp = {}): Promise<AccountState> {
    checkOptions(TOP_UP, options, "topUp");
    const amount = typeof given === "bigint" ? given : parseUsd(String(given));
    const { reference } = options;
    if (amount <= 0n) {
      throw new UsageError("invalid_amount", `A top-up must be positive, not ${formatUsd(amount)} USD`, {
        value: amount,
        remedy: "Give an amount above zero.",
      });
    }
    const state = await this.ledger.transact(
      async (transaction) => {
        // Dated here, after the opening entry that a new account may just have got.
        const now = this.clock.now();
        const draft: EntryDraft = { at: now, kind: "top_up", amount: amount.toString(), reference };
        if (reference === undefined || !(await transaction.hasTopUp(reference)))
          await record(transaction, draft);
        return stateOf(transaction, now);
      },
      { durable: true },
    );
    this.reservations.advance();
    return state;
  }

  async usage(query: UsageQuery = {}): Promise<readonly UsageRow[]> {
    return tallyUsage(this.entries(query), query.by);
  }

  async *entries(query: LedgerQuery = {}): AsyncIterable<LedgerEntry> {
    const { fromMs = Number.MIN_SAFE_INTEGER, toMs = Number.MAX_SAFE_INTEGER, newest = Infinity } = query;
    const last = await this.store.read(async (reader) => (await reader.totals())?.seq ?? 0);
    const afterSeq = Math.max(query.afterSeq ?? 0, last - newest);
    for (let at = afterSeq; at < last; at += ENTRIES_PER_READ) {
      const toSeq = Math.min(last, at + ENTRIES_PER_READ);
      yield* await this.store.read(async (reader) => reader.entries({ afterSeq: at, toSeq, fromMs, toMs }));
      await nextTurn(); // stores in this process answer without one
    }
  }

  async close(): Promise<void> {
    try {
      await this.reservations.close();
    } finally {
      await this.store.close();
      this.reservations.fail();
    }
  }

  /** Reserves funds for a call; undefined if neither quota nor balance covers its price. */
  private async reservation(request: FundsRequest, signal?: AbortSignal): Promise<Reservation | undefined> {
    const { key, endpoint, requestId, digest } = request;
    if (endpoint.price > 0n && this.reservations.busy && requestId !== undefined) {
      // A repeated call needs no funds, so it does not queue.
      const settled = await this.store.read(async (reader) =>
        reader.settledCall({ key, endpoint: endpoint.id, request: requestId, digest }),
      );
      if (settled !== undefined) return { month: settled.month ?? "" };
    }
    return this.reservations.take(request, signal);
  }
}
