import { performance } from "node:perf_hooks";
import { clearTimeout, setTimeout } from "node:timers";
import type { Allowance } from "./allowance.js";
import { endReservation } from "./charge-call.js";
import { CALLS_AHEAD } from "./defaults.js";
import { type FundsAnswer, FundsQueue } from "./funds-queue.js";
import {
  type FundsRequest,
  type Instants,
  type Reservation,
  releaseHold,
  reserveFunds,
  returnUnused,
} from "./reserve-funds.js";
import { singaporeMonth } from "./singapore-calendar.js";
import type { AccountTransaction } from "./store/account-store.js";

/** What the reservations of a process work on. */
export interface ReservationsOptions {
  /** Runs work in a transaction of the account. */
  readonly transact: <T>(work: (transaction: AccountTransaction) => Promise<T>) => Promise<T>;
  readonly instants: () => Instants;
  /** Lease of a hold, ms. */
  readonly leaseMs: number;
}

/**
 * The funds that this process has reserved for running calls, and money for its next ones. Most calls take from that
 * money without a transaction.
 */
export class Reservations {
  private readonly options: ReservationsOptions;
  private readonly queue: FundsQueue<FundsRequest, Reservation>;
  private readonly allowances = new Set<Allowance>();
  /** The allowances that further calls take from. */
  private freeCalls: Allowance | undefined;
  private money: Allowance | undefined;
  /** Month of Asia/Singapore whose free calls are used up; they never come back. */
  private spentMonth = "";
  private lastUse = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: ReservationsOptions) {
    this.options = options;
    this.queue = new FundsQueue((requests) => this.reserveAll(requests));
  }

  /** True if calls wait for funds. */
  get busy(): boolean {
    return this.queue.busy;
  }

  /** Reserves funds for a call; undefined if neither quota nor balance covers its price. @throws the signal's reason */
  async take(request: FundsRequest, signal?: AbortSignal): Promise<Reservation | undefined> {
    const { price, freeEligible } = request.endpoint;
    const { now, machine } = this.options.instants();
    const month = singaporeMonth(now);
    if (price <= 0n) return { month };
    const allowance = freeEligible && month !== this.spentMonth ? this.freeCalls : this.money;
    if (!this.queue.busy && allowance?.take(price, month, machine) === true) {
      this.lastUse = performance.now();
      return { month, allowance };
    }
    return this.queue.wait(request, signal);
  }

  /**
   * True if a call is sure to use the funds reserved for it, whatever other processes did.
   * @param now Service clock, ms since the Unix epoch.
   */
  isCertain({ allowance, month }: Reservation, freeEligible: boolean, now: number): boolean {
    if (allowance === undefined || allowance.exact || month !== singaporeMonth(now)) return false;
    if (freeEligible && !allowance.free && month !== this.spentMonth) return false;
    return allowance.isHeld(this.options.instants().machine);
  }

  /** Ends a reservation whose charge was committed. */
  charged({ allowance }: Reservation, price: bigint): void {
    allowance?.spend(price);
    this.settled(allowance);
  }

  /** Ends a reservation that was released in the store. */
  released({ allowance }: Reservation, price: bigint): void {
    allowance?.giveBack(price);
    this.settled(allowance);
  }

  /** Releases the reservation of a call that did not run. */
  async drop(reservation: Reservation, price: bigint): Promise<void> {
    if (reservation.allowance?.exact === true)
      await this.options.transact((transaction) => endReservation(transaction, reservation, price));
    this.released(reservation, price);
  }

  /** Notes that a month of Asia/Singapore has no free calls left. */
  freeCallsSpent(month: string): void {
    this.spentMonth = month;
  }

  /** Serves waiting calls again, because funds were added or released. */
  advance(): void {
    this.queue.advance();
  }

  /** Returns all allowances. No further call takes from them. */
  retire(): Iterable<Allowance> {
    this.freeCalls = undefined;
    this.money = undefined;
    return this.allowances;
  }

  /** Releases all reservations. Calls that wait for funds wait on until {@link Reservations.fail}. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.queue.stop();
    const held = [...this.retire()].map(({ holdId }) => holdId);
    this.allowances.clear();
    if (held.length === 0) return;
    await this.options.transact(async (transaction) => {
      for (const holdId of held) await releaseHold(transaction, holdId);
    });
  }

  /** Lets calls that wait for funds fail, after the account was closed. */
  fail(): void {
    this.queue.restart();
  }

  private async reserveAll(requests: readonly FundsRequest[]): Promise<readonly FundsAnswer<Reservation>[]> {
    const { transact, instants, leaseMs } = this.options;
    const { answers, allowances, ended } = await transact((transaction) =>
      reserveFunds(transaction, requests, this.retire(), instants(), leaseMs),
    );
    for (const allowance of ended) this.allowances.delete(allowance);
    for (const allowance of allowances) {
      this.allowances.add(allowance);
      if (allowance.exact) continue;
      if (allowance.free) this.freeCalls = allowance;
      else this.money = allowance;
      this.lastUse = performance.now();
      this.returnWhenIdle();
    }
    return answers;
  }

  private settled(allowance: Allowance | undefined): void {
    if (allowance?.exact === true && allowance.running === 0n) this.allowances.delete(allowance);
    this.queue.advance();
  }

  /** Returns money that is not used for a while, so that other processes can spend it. */
  private returnWhenIdle(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (performance.now() - this.lastUse < CALLS_AHEAD.idleMs) this.returnWhenIdle();
      // After an error the money is free again when the lease ends.
      else this.returnAll().catch(() => {});
    }, CALLS_AHEAD.idleMs).unref();
  }

  private async returnAll(): Promise<void> {
    const ended = await this.options.transact((transaction) => returnUnused(transaction, this.retire()));
    for (const allowance of ended) this.allowances.delete(allowance);
    if (this.allowances.size > 0) this.returnWhenIdle();
  }
}
