import type { Clock } from "../clock.js";
import { type MicroUsd, micros, ZERO_USD } from "../contract/money.js";
import { LIMITS } from "../contract/service/limits.js";
import type { AccountState, BillableEndpoint, Charge, Rate } from "./account.js";
import type { LedgerEntry } from "./ledger-entry.js";
import { type LedgerCheckpoint, LedgerState } from "./ledger-state.js";
import { chargeName, RecentCharges } from "./recent-charges.js";
import { singaporeMonth } from "./singapore-calendar.js";
import { SlidingWindow } from "./sliding-window.js";
import { type Answer, WaitingLine } from "./waiting-line.js";

/** What is set aside for a call: one free call of a month, or money. */
export interface Reservation {
  /** Month of Asia/Singapore in which the call was made. */
  readonly month: string;
  readonly free: boolean;
  readonly amount: MicroUsd;
}

/** What an entry says beyond what the books add: number, instant, running balance. */
export type EntryDraft = Omit<LedgerEntry, "seq" | "at" | "balance">;

/** What a settled charge was, for a repetition of it. */
export interface SettledCharge {
  readonly amount: MicroUsd;
  readonly free: boolean;
  /** Resolves when the charge is as safe as the journal promises. */
  readonly durable: Promise<void>;
}

const SETTLED = Promise.resolve();

/**
 * The account's arithmetic, all of it synchronous: what the ledger adds up to, what is reserved by calls under way, and
 * the minute window. No call may reserve what another has reserved, so concurrent calls cannot overspend.
 */
export class Books {
  readonly #charges = new RecentCharges<SettledCharge>();
  readonly #clock: Clock;
  readonly #enforced: boolean;
  readonly #state: LedgerState;
  readonly #minute = new SlidingWindow(LIMITS.rateWindowMs.value);
  readonly #reservedFree = new Map<string, number>();
  readonly #line = new WaitingLine();
  #reservedMoney = 0n;

  constructor(clock: Clock, limits: "on" | "off", from?: LedgerCheckpoint) {
    this.#clock = clock;
    this.#enforced = limits === "on";
    this.#state = new LedgerState(from);
  }

  /** What the ledger adds up to. */
  get ledger(): LedgerState {
    return this.#state;
  }

  /** Adds an entry that another process wrote, or this one before it was restarted. */
  adopt(entry: LedgerEntry): void {
    this.#state.apply(entry);
    if (entry.outcome === "charged" || entry.outcome === "free_quota") this.remember(entry, SETTLED);
    if (this.#enforced && entry.rated === true) this.#minute.adopt(entry.at, this.#clock.now());
  }

  /** The charge of this key for this request at this endpoint, if it is among the latest. */
  chargeNamed(key: string, endpoint: string, request: string): SettledCharge | undefined {
    return this.#charges.get(chargeName(key, endpoint, request));
  }

  /** Remembers a charge, so that its repetition is recognised. */
  remember(entry: LedgerEntry, durable: Promise<void>): void {
    const { key = "", endpoint = "", request = "" } = entry;
    const charge = { amount: micros(-BigInt(entry.amount)), free: entry.outcome === "free_quota", durable };
    this.#charges.set(chargeName(key, endpoint, request), charge);
  }

  /** Counts a call in the minute window, or says how long to wait; with limits off, every call is let through. */
  takeRate(): Rate {
    const now = this.#clock.now();
    const allowed = !this.#enforced || this.#minute.waitMs(now, this.#rateLimit()) === 0;
    if (allowed) this.#minute.add(now);
    return { ...this.rate(), allowed, ...(allowed ? { retryAfterS: 0 } : {}) };
  }

  /** The minute window as it stands, counting nothing. */
  rate(): Rate {
    const now = this.#clock.now();
    const limit = this.#rateLimit();
    const waitMs = this.#enforced ? this.#minute.waitMs(now, limit) : 0;
    return {
      allowed: waitMs === 0,
      limit,
      remaining: Math.max(0, limit - this.#minute.count(now)),
      retryAfterS: Math.ceil(waitMs / 1000),
    };
  }

  /**
   * Sets aside what a call may cost, free quota before balance; undefined when neither covers it. Where all that is left
   * is set aside for calls under way, which may yet give it back, it waits for them to be settled.
   * @throws the signal's reason
   */
  reserve(
    endpoint: Pick<BillableEndpoint, "price" | "freeEligible">,
    signal?: AbortSignal,
  ): Promise<Reservation | undefined> {
    if (endpoint.price > 0n) return this.#line.wait(() => this.#tryReserve(endpoint), signal);
    const month = singaporeMonth(this.#clock.now());
    return Promise.resolve({ month, free: false, amount: ZERO_USD });
  }

  #tryReserve(endpoint: Pick<BillableEndpoint, "price" | "freeEligible">): Answer<Reservation> {
    const month = singaporeMonth(this.#clock.now());
    const { price, freeEligible } = endpoint;
    if (freeEligible && this.#freeAvailable(month)) {
      this.#reservedFree.set(month, (this.#reservedFree.get(month) ?? 0) + 1);
      return { granted: { month, free: true, amount: ZERO_USD } };
    }
    if (this.#state.balance - this.#reservedMoney >= price) {
      this.#reservedMoney += price;
      return { granted: { month, free: false, amount: price } };
    }
    const covered = this.#state.balance >= price || (freeEligible && this.#state.freeRemaining(month) > 0);
    return covered ? undefined : "refused";
  }

  /** Gives back what was set aside. */
  unreserve(reservation: Reservation): void {
    this.#giveBack(reservation);
    this.#line.advance();
  }

  /**
   * Settles a reservation as a charge. Money that was set aside because the free calls were all spoken for is kept
   * when one of those came free since: the quota goes before the balance.
   */
  charge(reservation: Reservation, endpoint: BillableEndpoint, key: string, request: string): LedgerEntry {
    this.#giveBack(reservation);
    const paid = reservation.amount > 0n;
    const free =
      reservation.free || (paid && endpoint.freeEligible && this.#freeAvailable(reservation.month));
    const draft = { kind: "call", key, endpoint: endpoint.id, request, ...this.ratedMark } as const;
    if (free) return this.record({ ...draft, outcome: "free_quota", amount: "0", month: reservation.month });
    return this.record({
      ...draft,
      outcome: paid ? "charged" : "no_charge",
      amount: (-reservation.amount).toString(),
    });
  }

  /** Makes the next entry and adds it to what the ledger sums to. */
  record(draft: EntryDraft): LedgerEntry {
    const entry: LedgerEntry = {
      seq: this.#state.seq + 1,
      at: this.#clock.now(),
      ...draft,
      balance: (this.#state.balance + BigInt(draft.amount)).toString(),
    };
    this.#state.apply(entry);
    this.#line.advance();
    return entry;
  }

  /** Balance, free calls left this month (Asia/Singapore), and whether there was a top-up. */
  state(): AccountState {
    return {
      balance: this.#state.balance,
      freeQuotaRemaining: this.#state.freeRemaining(singaporeMonth(this.#clock.now())),
      toppedUp: this.#state.toppedUp,
    };
  }

  /** What a call did, as an envelope tells it. */
  chargeOf(amount: MicroUsd, free: boolean): Charge {
    const { balance, freeQuotaRemaining } = this.state();
    return { billed: amount > 0n, charged: amount, usedFreeQuota: free, freeQuotaRemaining, balance };
  }

  /** Marks the entry of a call that the minute counts; calls without limits are none of its business. */
  get ratedMark(): { readonly rated?: true } {
    return this.#enforced ? { rated: true } : {};
  }

  #giveBack({ free, month, amount }: Reservation): void {
    if (free) this.#reservedFree.set(month, (this.#reservedFree.get(month) ?? 0) - 1);
    else this.#reservedMoney -= amount;
  }

  #freeAvailable(month: string): boolean {
    return this.#state.freeRemaining(month) > (this.#reservedFree.get(month) ?? 0);
  }

  #rateLimit(): number {
    return this.#state.toppedUp ? LIMITS.requestsPerMinuteToppedUp.value : LIMITS.requestsPerMinute.value;
  }
}
