import { ApiError } from "../contract/errors.js";
import { type MicroUsd, micros, ZERO_USD } from "../contract/money.js";
import type { AccountState, Charge } from "./account.js";
import type { Allowance } from "./allowance.js";
import type { LedgerEntry } from "./ledger-entry.js";
import { record, totalsOf } from "./record-entry.js";
import { type FundsRequest, freeCalls, type Reservation, reduceHold, returnUnused } from "./reserve-funds.js";
import { singaporeMonth } from "./singapore-calendar.js";
import type { AccountReader, AccountStore, AccountTransaction } from "./store/account-store.js";

/** A call with reserved funds. */
export interface ReservedCall {
  readonly request: FundsRequest & { readonly requestId: string };
  readonly reservation: Reservation;
  /** Returns the process's allowances; further calls must not take from them afterwards. */
  readonly allowances: () => Iterable<Allowance>;
}

/**
 * Settles a reservation as a charge. If a free call has become available since money was reserved, the free call is
 * used: quota goes before balance. A request that was charged before is not charged again.
 * @throws ApiError `insufficient_credits` if the hold expired and other calls used its funds
 */
export async function chargeCall(
  transaction: AccountTransaction,
  { request, reservation, allowances }: ReservedCall,
  now: number,
): Promise<Charge> {
  const { key, endpoint, requestId, digest } = request;
  const { month, allowance } = reservation;
  const covered = await endReservation(transaction, reservation, endpoint.price);
  const before = await transaction.settledCall({ key, endpoint: endpoint.id, request: requestId, digest });
  if (before !== undefined) return chargeOf(transaction, before, now);
  const asked = { key, endpoint: endpoint.id, request: requestId, reference: digest };
  const call = { at: now, kind: "call", ...asked } as const;
  if (endpoint.price <= 0n) {
    const entry = await record(transaction, { ...call, outcome: "no_charge", amount: "0" });
    return chargeOf(transaction, entry, now);
  }
  const isFree =
    (covered && allowance?.free === true) ||
    (endpoint.freeEligible && (await hasFreeCall(transaction, month, allowances)));
  if (isFree) {
    const quota = await transaction.quota(month);
    await transaction.saveQuota(month, { ...quota, used: quota.used + 1 });
    const entry = await record(transaction, { ...call, outcome: "free_quota", amount: "0", month });
    return chargeOf(transaction, entry, now);
  }
  if (!covered) await assertFunds(transaction, endpoint.price, allowances());
  const entry = await record(transaction, {
    ...call,
    outcome: "charged",
    amount: (-endpoint.price).toString(),
  });
  return chargeOf(transaction, entry, now);
}

/**
 * Charges a call whose reserved funds are certain, in one short transaction. Resolves to undefined if that is not
 * possible: use {@link chargeCall}.
 */
export async function chargeQuickly(
  store: AccountStore,
  { key, endpoint, requestId, digest }: ReservedCall["request"],
  free: boolean,
  now: number,
): Promise<Charge | undefined> {
  const price = free ? ZERO_USD : endpoint.price;
  const call = { at: now, key, endpoint: endpoint.id, request: requestId, digest, price, free };
  const charged = await store.appendCharge(call, singaporeMonth(now));
  if (charged === undefined) return undefined;
  return {
    billed: !free,
    charged: price,
    usedFreeQuota: free,
    freeQuotaRemaining: freeCalls(charged.quota),
    balance: micros(charged.balance),
  };
}

/** Ends a reservation in the store. Returns true if its funds were still held. */
export async function endReservation(
  transaction: AccountTransaction,
  { allowance }: Reservation,
  price: bigint,
): Promise<boolean> {
  if (allowance === undefined) return false;
  const hold = await transaction.hold(allowance.holdId);
  const units = allowance.units(price);
  if (hold !== undefined && allowance.exact)
    await reduceHold(transaction, hold.id, hold.amount > units ? hold.amount - units : 0n);
  return hold !== undefined;
}

/** Returns the effect of a call's entry as a charge; zero for no entry or one that moved nothing. */
export async function chargeOf(
  reader: AccountReader,
  entry: LedgerEntry | undefined,
  now: number,
): Promise<Charge> {
  const { balance } = await totalsOf(reader);
  const charged: MicroUsd = entry?.outcome === "charged" ? micros(-BigInt(entry.amount)) : ZERO_USD;
  return {
    billed: charged > 0n,
    charged,
    usedFreeQuota: entry?.outcome === "free_quota",
    freeQuotaRemaining: freeCalls(await reader.quota(singaporeMonth(now))),
    balance: micros(balance),
  };
}

/** Returns balance, free calls left this month (Asia/Singapore), and whether there was a top-up. */
export async function stateOf(reader: AccountReader, now: number): Promise<AccountState> {
  const { balance, toppedUp } = await totalsOf(reader);
  const quota = await reader.quota(singaporeMonth(now));
  return { balance: micros(balance), freeQuotaRemaining: freeCalls(quota), toppedUp };
}

/** Returns true if the month has a free call that no running call holds. */
async function hasFreeCall(
  transaction: AccountTransaction,
  month: string,
  allowances: () => Iterable<Allowance>,
): Promise<boolean> {
  if (freeCalls(await transaction.quota(month)) === 0) return false;
  await returnUnused(transaction, allowances());
  const quota = await transaction.quota(month);
  return freeCalls(quota) > quota.held;
}

/** @throws ApiError `insufficient_credits` */
async function assertFunds(
  transaction: AccountTransaction,
  price: bigint,
  allowances: Iterable<Allowance>,
): Promise<void> {
  await returnUnused(transaction, allowances);
  const { balance, held } = await totalsOf(transaction);
  if (balance - held < price) throw new ApiError("insufficient_credits");
}
