import { type Clock, systemClock } from "../clock.js";
import { type ErrorCode, LakeError, UsageError } from "../contract/errors.js";
import { formatUsd, type MicroUsd } from "../contract/money.js";
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
} from "./account.js";
import type { AccountOptions } from "./account-options.js";
import { type ApiKeyInfo, type CreatedApiKey, digestApiKey, secureRandom } from "./api-key.js";
import { ACCOUNT_ID, ENTRIES_PER_READ, HOLD_LEASE_MS } from "./defaults.js";
import {
  chargeOf,
  chargeReserved,
  type EntryDraft,
  type FundsRequest,
  openLedger,
  type Reservation,
  record,
  releaseFunds,
  reserve,
  stateOf,
} from "./funds.js";
import { type FundsAnswer, FundsQueue } from "./funds-queue.js";
import { Keyring, keyInfo, revokeKey, saveKey } from "./keyring.js";
import type { LedgerEntry } from "./ledger-entry.js";
import { rateLimitOf, rateOf, takeRate } from "./rate-window.js";
import { scopesCover } from "./scopes.js";
import { SlidingWindow } from "./sliding-window.js";
import type { AccountStore, AccountTransaction } from "./store/account-store.js";
import { tallyUsage, type UsageQuery, type UsageRow } from "./usage.js";

/** An {@link Account} over a store: it applies prices, quota, rate limits and keys; the store persists and shares them. */
export class LocalAccount implements Account {
  readonly accountId = ACCOUNT_ID;
  private readonly store: AccountStore;
  private readonly clock: Clock;
  private readonly machine: Clock;
  private readonly limited: boolean;
  private readonly openingBalance: MicroUsd;
  private readonly leaseMs: number;
  private readonly keyring: Keyring;
  private readonly holds = new Set<number>();
  private readonly funds: FundsQueue<FundsRequest, Reservation>;
  /** Calls of this process while limits are off. Other processes do not see them. */
  private readonly unlimited = new SlidingWindow(LIMITS.rateWindowMs.value);

  constructor(store: AccountStore, options: AccountOptions = {}) {
    this.store = store;
    this.clock = options.clock ?? systemClock;
    this.machine = options.machineClock ?? systemClock;
    this.limited = options.limits !== "off";
    this.openingBalance = options.openingBalance ?? LIMITS.sandboxBalance.value;
    this.leaseMs = options.holdLeaseMs ?? HOLD_LEASE_MS;
    this.keyring = new Keyring(this.accountId, options.random ?? secureRandom);
    this.funds = new FundsQueue((requests) => this.reserveAll(requests));
  }

  async authenticate(apiKey: string | undefined): Promise<Principal | undefined> {
    if (apiKey === undefined || apiKey === "") return undefined;
    const digest = digestApiKey(apiKey);
    return (
      this.keyring.ofSession(digest) ?? this.store.read((reader) => this.keyring.ofStore(reader, digest))
    );
  }

  permits(principal: Principal, scope: string): boolean {
    return scopesCover(principal.scopes, scope);
  }

  async takeRate(_principal: Principal): Promise<Rate> {
    if (this.limited)
      return this.transact(async (transaction) =>
        takeRate(transaction, this.clock.now(), await rateLimitOf(transaction)),
      );
    this.unlimited.add(this.clock.now());
    return this.rate();
  }

  rate(): Promise<Rate> {
    return this.store.read(async (reader) => {
      const now = this.clock.now();
      const limit = await rateLimitOf(reader);
      if (this.limited) return rateOf(reader, now, limit);
      const remaining = Math.max(0, limit - this.unlimited.count(now));
      return { allowed: true, limit, remaining, retryAfterS: 0 };
    });
  }

  async hold(
    principal: Principal,
    endpoint: BillableEndpoint,
    { requestId, signal }: HeldCall = {},
  ): Promise<Hold | undefined> {
    signal?.throwIfAborted();
    const request = { key: principal.keyId, endpoint, requestId };
    const reservation = await this.reservation(request, signal);
    if (reservation === undefined) return undefined;
    if (reservation.holdId !== undefined) this.holds.add(reservation.holdId);
    const hold = this.holdOf(request, reservation);
    if (signal?.aborted === true) {
      await this.dropHold(reservation);
      throw signal.reason;
    }
    return hold;
  }

  refuse(principal: Principal, { endpointId, requestId, code }: Refusal): Promise<Charge> {
    return this.note(principal.keyId, endpointId, requestId, code);
  }

  async state(): Promise<AccountState> {
    return this.store.read(async (reader) => {
      // A new account gets its opening entry with its first transaction.
      if ((await reader.totals()) !== undefined) return stateOf(reader, this.clock.now());
      const freeQuotaRemaining = LIMITS.freeCallsPerMonth.value;
      return { balance: this.openingBalance, freeQuotaRemaining, toppedUp: false };
    });
  }

  listKeys(): Promise<readonly ApiKeyInfo[]> {
    return this.store.read(async (reader) => (await reader.keys()).map(keyInfo).reverse());
  }

  async createKey(options: {
    readonly name?: string;
    readonly scopes: readonly string[];
  }): Promise<CreatedApiKey> {
    const { apiKey, stored } = this.keyring.make(options.name ?? "", options.scopes, this.clock.now());
    await this.transact((transaction) => saveKey(transaction, stored), { durable: true });
    return { ...keyInfo(stored), apiKey };
  }

  async revokeKey(keyId: string): Promise<ApiKeyInfo> {
    const now = this.clock.now();
    const revoked = this.transact((transaction) => revokeKey(transaction, keyId, now), { durable: true });
    return keyInfo(await revoked);
  }

  sessionKey(scopes: readonly string[]): string {
    return this.keyring.session(scopes);
  }

  async topUp(amount: MicroUsd, { reference }: { readonly reference?: string } = {}): Promise<AccountState> {
    if (amount <= 0n) {
      throw new UsageError("invalid_amount", `A top-up must be positive, not ${formatUsd(amount)} USD`, {
        value: amount,
        remedy: "Give an amount above zero.",
      });
    }
    const now = this.clock.now();
    const draft: EntryDraft = { at: now, kind: "top_up", amount: amount.toString(), reference };
    const state = await this.transact(
      async (transaction) => {
        if (reference === undefined || !(await transaction.hasTopUp(reference)))
          await record(transaction, draft);
        return stateOf(transaction, now);
      },
      { durable: true },
    );
    this.funds.advance();
    return state;
  }

  async usage(query: UsageQuery = {}): Promise<readonly UsageRow[]> {
    return tallyUsage(this.entries(query), query.by);
  }

  async *entries(query: LedgerQuery = {}): AsyncIterable<LedgerEntry> {
    const { fromMs = Number.MIN_SAFE_INTEGER, toMs = Number.MAX_SAFE_INTEGER, afterSeq = 0 } = query;
    const last = await this.store.read(async (reader) => (await reader.totals())?.seq ?? 0);
    for (let at = afterSeq; at < last; at += ENTRIES_PER_READ) {
      const toSeq = Math.min(last, at + ENTRIES_PER_READ);
      yield* await this.store.read(async (reader) => reader.entries({ afterSeq: at, toSeq, fromMs, toMs }));
    }
  }

  async close(): Promise<void> {
    const unsettled = [...this.holds];
    this.holds.clear();
    try {
      if (unsettled.length > 0)
        await this.transact(async (transaction) => {
          for (const id of unsettled) await releaseFunds(transaction, id);
        });
    } finally {
      await this.store.close();
      // Calls that still wait for funds now fail: the account is closed.
      this.funds.advance();
    }
  }

  /** Reserves funds for a call; undefined if neither quota nor balance covers its price. */
  private async reservation(request: FundsRequest, signal?: AbortSignal): Promise<Reservation | undefined> {
    const { key, endpoint, requestId } = request;
    if (endpoint.price > 0n && this.funds.busy && requestId !== undefined) {
      // A repeated call needs no funds, so it does not queue.
      const settled = await this.store.read(async (reader) =>
        reader.settledCall(key, endpoint.id, requestId),
      );
      if (settled !== undefined) return { month: settled.month ?? "" };
    }
    if (endpoint.price > 0n) return this.funds.wait(request, signal);
    const [answer] = await this.reserveAll([request]);
    return answer as Reservation;
  }

  private reserveAll(requests: readonly FundsRequest[]): Promise<FundsAnswer<Reservation>[]> {
    return this.transact(async (transaction) => {
      const instants = { now: this.clock.now(), machine: this.machine.now() };
      const answers: FundsAnswer<Reservation>[] = [];
      for (const request of requests) {
        const answer = await reserve(transaction, request, instants, this.leaseMs);
        answers.push(answer);
        if (answer === "held") break;
      }
      return answers;
    });
  }

  private holdOf(request: FundsRequest, reservation: Reservation): Hold {
    let settled = false;
    const settle = async (work: () => Promise<Charge>): Promise<Charge> => {
      settled = true;
      try {
        const charge = await work();
        if (reservation.holdId !== undefined) this.holds.delete(reservation.holdId);
        return charge;
      } catch (error) {
        // Nothing was changed: the hold can still be released.
        settled = false;
        throw error;
      } finally {
        this.funds.advance();
      }
    };
    return {
      charge: async (requestId) => {
        if (settled) throw settledTwice(requestId);
        const now = this.clock.now();
        const call = { ...request, requestId };
        return settle(() =>
          this.transact((transaction) => chargeReserved(transaction, call, reservation, now), {
            durable: true,
          }),
        );
      },
      release: async (requestId = "", outcome = "empty") => {
        if (settled) return this.unmoved();
        return settle(() => this.note(request.key, request.endpoint.id, requestId, outcome, reservation));
      },
    };
  }

  private async dropHold({ holdId }: Reservation): Promise<void> {
    if (holdId === undefined) return;
    this.holds.delete(holdId);
    await this.transact((transaction) => releaseFunds(transaction, holdId));
    this.funds.advance();
  }

  /** Records a call without a charge and releases its reservation. */
  private note(
    key: string,
    endpoint: string | undefined,
    request: string,
    outcome: "empty" | ErrorCode | "internal_error",
    reservation?: Reservation,
  ): Promise<Charge> {
    const now = this.clock.now();
    const draft: EntryDraft = {
      at: now,
      kind: "call",
      amount: "0",
      key,
      outcome: outcome === "empty" ? "empty" : "error",
      endpoint,
      request: request === "" ? undefined : request,
      code: outcome === "empty" ? undefined : outcome,
    };
    return this.transact(async (transaction) => {
      if (reservation?.holdId !== undefined) await releaseFunds(transaction, reservation.holdId);
      await record(transaction, draft);
      return chargeOf(transaction, undefined, now);
    });
  }

  private unmoved(): Promise<Charge> {
    return this.store.read((reader) => chargeOf(reader, undefined, this.clock.now()));
  }

  private transact<T>(
    work: (transaction: AccountTransaction) => Promise<T>,
    options?: { readonly durable?: boolean },
  ): Promise<T> {
    return this.store.transact(async (transaction) => {
      if ((await transaction.totals()) === undefined)
        await openLedger(transaction, this.openingBalance, this.clock.now());
      return work(transaction);
    }, options);
  }
}

function settledTwice(requestId: string): LakeError {
  return new LakeError("hold_settled", "This call has already been settled", {
    value: requestId,
    remedy: "Charge or release a hold once.",
  });
}
