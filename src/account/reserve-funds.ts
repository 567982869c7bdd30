import type { MicroUsd } from "../contract/money.js";
import { LIMITS } from "../contract/service/limits.js";
import type { BillableEndpoint } from "./account.js";
import { Allowance, type AllowanceOptions } from "./allowance.js";
import { CALLS_AHEAD, HOLD_LEASE_MS } from "./defaults.js";
import { totalsOf } from "./record-entry.js";
import { singaporeMonth } from "./singapore-calendar.js";
import type { AccountTransaction, QuotaMonth, StoredHold } from "./store/account-store.js";

/** Funds reserved for a call: a part of an allowance; none for a call that needs no funds. */
export interface Reservation {
  /** Month of Asia/Singapore in which the call was made. */
  readonly month: string;
  readonly allowance?: Allowance;
}

/** A call that requests funds. */
export interface FundsRequest {
  readonly key: string;
  readonly endpoint: BillableEndpoint;
  readonly requestId?: string | undefined;
  readonly digest?: string | undefined;
}

/** Instants in ms since the Unix epoch: `now` by the service clock, `machine` by the machine's clock, used for leases. */
export interface Instants {
  readonly now: number;
  readonly machine: number;
}

/** Lease of a hold by the machine's clock, ms. */
export interface Lease {
  readonly machine: number;
  readonly leaseMs: number;
}

/** Result of {@link reserveFunds}. */
export interface ReservedFunds {
  /** One for each request up to the first that is `held`: running calls hold its funds and may release them. */
  readonly answers: readonly (Reservation | "insufficient" | "held")[];
  /** Allowances that the reservations are part of: one of free calls and one of money at most. */
  readonly allowances: readonly Allowance[];
  /** The process's allowances that no longer have a stored hold. */
  readonly ended: readonly Allowance[];
}

/**
 * Reserves the prices of calls in order, free quota before balance, until one must wait. Funds are reserved once across
 * all processes, so concurrent calls cannot overspend. A call that was charged before needs no funds. Where funds are
 * plentiful, those of the next calls are reserved too: for 64 calls at most, and 1/32 of what is free.
 * @param running The process's allowances; no further call may take from them.
 */
export async function reserveFunds(
  transaction: AccountTransaction,
  requests: readonly FundsRequest[],
  running: Iterable<Allowance>,
  { now, machine }: Instants,
  leaseMs: number,
): Promise<ReservedFunds> {
  const month = singaporeMonth(now);
  const lease = { machine, leaseMs };
  const ended = await returnUnused(transaction, running);
  const results: (Funds | Reservation | "insufficient" | "held")[] = [];
  for (const request of requests) {
    const result = await reserve(transaction, request, month, lease);
    results.push(result);
    if (result === "held") break;
  }
  const prices = (funds: Funds) =>
    requests.filter((_, index) => results[index] === funds).map(({ endpoint }) => endpoint.price);
  const free = await holdFreeCalls(transaction, prices("free").length, month, lease);
  const money = await holdMoney(transaction, prices("money"), month, lease);
  const answers = results.map((result) =>
    result === "free"
      ? { month, allowance: free }
      : result === "money"
        ? { month, allowance: money }
        : result,
  );
  return { answers, ended, allowances: [free, money].filter((allowance) => allowance !== undefined) };
}

/**
 * Reduces the stored holds of allowances to what their running calls may cost. No further call may take from them.
 * Returns the allowances that have no running call, whose holds are removed.
 */
export async function returnUnused(
  transaction: AccountTransaction,
  allowances: Iterable<Allowance>,
): Promise<Allowance[]> {
  const ended: Allowance[] = [];
  for (const allowance of allowances) {
    await reduceHold(transaction, allowance.holdId, allowance.running);
    if (allowance.running === 0n) ended.push(allowance);
  }
  return ended;
}

/** Reduces a hold to `amount` free calls or micro-USD, unless it is less already. Returns false if the hold no longer exists. */
export async function reduceHold(
  transaction: AccountTransaction,
  holdId: number,
  amount: bigint,
): Promise<boolean> {
  const hold = await transaction.hold(holdId);
  if (hold === undefined) return false;
  if (hold.amount <= amount) return true;
  if (amount > 0n) await transaction.saveHold({ ...hold, amount });
  else await transaction.removeHold(holdId);
  await changeHeld(transaction, hold, amount - hold.amount);
  return true;
}

/** Removes a hold and releases its funds. Returns false if it no longer exists. */
export async function releaseHold(transaction: AccountTransaction, holdId: number): Promise<boolean> {
  const hold = await transaction.removeHold(holdId);
  if (hold === undefined) return false;
  await changeHeld(transaction, hold, -hold.amount);
  return true;
}

/** Free calls not used by charges. */
export function freeCalls({ used }: QuotaMonth): number {
  return Math.max(0, LIMITS.freeCallsPerMonth.value - used);
}

type Funds = "free" | "money";

/** Reserves one call: its part of `held` in quota or totals. The hold is stored with those of the calls after it. */
async function reserve(
  transaction: AccountTransaction,
  { endpoint, key, requestId, digest }: FundsRequest,
  month: string,
  lease: Lease,
): Promise<Funds | Reservation | "insufficient" | "held"> {
  const { price, freeEligible } = endpoint;
  for (;;) {
    const quota = freeEligible ? await transaction.quota(month) : undefined;
    if (quota !== undefined && freeCalls(quota) > quota.held) {
      await changeHeld(transaction, { free: true, month }, 1n);
      return "free";
    }
    const { balance, held } = await totalsOf(transaction);
    if (balance - held >= price) {
      await changeHeld(transaction, { free: false, month }, price);
      return "money";
    }
    if (requestId !== undefined) {
      const settled = await transaction.settledCall({
        key,
        endpoint: endpoint.id,
        request: requestId,
        digest,
      });
      if (settled !== undefined) return { month };
    }
    if (await dropExpiredHold(transaction, lease)) continue;
    return balance >= price || (quota !== undefined && freeCalls(quota) > 0) ? "held" : "insufficient";
  }
}

/** Stores the hold of free calls that are already part of `held`, with further ones where there are enough. */
async function holdFreeCalls(
  transaction: AccountTransaction,
  calls: number,
  month: string,
  lease: Lease,
): Promise<Allowance | undefined> {
  if (calls === 0) return undefined;
  const quota = await transaction.quota(month);
  const ahead = unitsAhead(BigInt(freeCalls(quota) - quota.held), 1n);
  return hold(transaction, { month, free: true, running: BigInt(calls), ahead }, lease);
}

/** Stores the hold of calls whose prices are already part of `held`, with money for further ones where there is enough. */
async function holdMoney(
  transaction: AccountTransaction,
  prices: readonly MicroUsd[],
  month: string,
  lease: Lease,
): Promise<Allowance | undefined> {
  const last = prices.at(-1);
  if (last === undefined) return undefined;
  const running = prices.reduce((sum, price) => sum + price, 0n);
  const { balance, held } = await totalsOf(transaction);
  return hold(transaction, { month, free: false, running, ahead: unitsAhead(balance - held, last) }, lease);
}

async function hold(
  transaction: AccountTransaction,
  funds: Pick<AllowanceOptions, "month" | "free" | "running" | "ahead">,
  { machine, leaseMs }: Lease,
): Promise<Allowance> {
  const { month, free, running, ahead } = funds;
  await changeHeld(transaction, funds, ahead);
  const holdId = await nextHoldId(transaction);
  const expiresAt = machine + leaseMs;
  await transaction.saveHold({ id: holdId, month, free, amount: running + ahead, expiresAt });
  const until = machine + CALLS_AHEAD.forMs * (leaseMs / HOLD_LEASE_MS);
  return new Allowance({ ...funds, holdId, from: machine, until, expiresAt });
}

/** Funds to reserve for further calls; 0 where they would not do for two. */
function unitsAhead(available: bigint, perCall: bigint): bigint {
  const most = perCall * BigInt(CALLS_AHEAD.most);
  const share = available / BigInt(CALLS_AHEAD.shareOfFree);
  const ahead = share < most ? share : most;
  return ahead < 2n * perCall ? 0n : ahead;
}

async function nextHoldId(transaction: AccountTransaction): Promise<number> {
  const totals = await totalsOf(transaction);
  await transaction.saveTotals({ ...totals, holds: totals.holds + 1 });
  return totals.holds + 1;
}

/** Changes what holds reserve: free calls of a month, or micro-USD. */
async function changeHeld(
  transaction: AccountTransaction,
  { free, month }: Pick<StoredHold, "free" | "month">,
  change: bigint,
): Promise<void> {
  if (free) {
    const quota = await transaction.quota(month);
    await transaction.saveQuota(month, { ...quota, held: quota.held + Number(change) });
  } else {
    const totals = await totalsOf(transaction);
    await transaction.saveTotals({ ...totals, held: totals.held + change });
  }
}

/** Drops the oldest hold if its lease has expired, or ends so late that the machine's clock must have gone back. */
async function dropExpiredHold(
  transaction: AccountTransaction,
  { machine, leaseMs }: Lease,
): Promise<boolean> {
  const oldest = await transaction.oldestHold();
  if (oldest === undefined) return false;
  if (oldest.expiresAt > machine && oldest.expiresAt <= machine + leaseMs) return false;
  return releaseHold(transaction, oldest.id);
}
