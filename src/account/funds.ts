import { ApiError } from "../contract/errors.js";
import { type MicroUsd, micros, ZERO_USD } from "../contract/money.js";
import { LIMITS } from "../contract/service/limits.js";
import type { AccountState, BillableEndpoint, Charge } from "./account.js";
import type { LedgerEntry } from "./ledger-entry.js";
import { singaporeMonth } from "./singapore-calendar.js";
import type {
  AccountReader,
  AccountTransaction,
  QuotaMonth,
  StoredHold,
  Totals,
} from "./store/account-store.js";

/** A ledger entry without its number and running balance, which depend on its position. */
export type EntryDraft = Omit<LedgerEntry, "seq" | "balance">;

/** Funds reserved for a call: the id of a hold, or none for a free call. */
export interface Reservation {
  /** Month of Asia/Singapore in which the call was made. */
  readonly month: string;
  readonly holdId?: number;
}

/** A call that requests funds. */
export interface FundsRequest {
  readonly key: string;
  readonly endpoint: BillableEndpoint;
  readonly requestId?: string | undefined;
}

/** Instants in ms since the Unix epoch: `now` by the service clock, `machine` by the machine's clock, used for leases. */
export interface Instants {
  readonly now: number;
  readonly machine: number;
}

/** Totals of an empty ledger. */
export const NO_ENTRIES: Totals = {
  seq: 0,
  balance: 0n,
  held: 0n,
  holds: 0,
  toppedUp: false,
  keysVersion: 0,
};

/** Returns the totals of an account that has its opening entry. @throws Error if it has none */
export async function totalsOf(reader: AccountReader): Promise<Totals> {
  const totals = await reader.totals();
  if (totals === undefined) throw new Error("the account has no opening entry");
  return totals;
}

/** Writes the opening entry of a new account. */
export async function openLedger(
  transaction: AccountTransaction,
  balance: bigint,
  now: number,
): Promise<LedgerEntry> {
  await transaction.saveTotals(NO_ENTRIES);
  return record(transaction, { at: now, kind: "opening", amount: balance.toString() });
}

/** Appends the next entry to the ledger and updates the totals. */
export async function record(transaction: AccountTransaction, draft: EntryDraft): Promise<LedgerEntry> {
  const totals = await totalsOf(transaction);
  const balance = totals.balance + BigInt(draft.amount);
  const entry: LedgerEntry = { ...draft, seq: totals.seq + 1, balance: balance.toString() };
  await transaction.append(entry);
  await transaction.saveTotals({
    ...totals,
    seq: entry.seq,
    balance,
    toppedUp: totals.toppedUp || draft.kind === "top_up",
  });
  return entry;
}

/**
 * Reserves the price of a call, free quota before balance. Returns `insufficient` if neither covers it, and `held` if
 * running calls hold the rest and may release it. Funds are reserved once across all processes, so concurrent calls
 * cannot overspend. A call that was charged before needs no funds.
 */
export async function reserve(
  transaction: AccountTransaction,
  request: FundsRequest,
  { now, machine }: Instants,
  leaseMs: number,
): Promise<Reservation | "insufficient" | "held"> {
  const { endpoint, key, requestId } = request;
  const month = singaporeMonth(now);
  if (endpoint.price <= 0n) return { month };
  const expiresAt = machine + leaseMs;
  for (;;) {
    const holdId = await tryHold(transaction, endpoint, month, expiresAt);
    if (holdId !== undefined) return { month, holdId };
    if (requestId !== undefined && (await transaction.settledCall(key, endpoint.id, requestId)) !== undefined)
      return { month };
    if (!(await dropExpiredHold(transaction, machine, leaseMs))) break;
  }
  const { balance } = await totalsOf(transaction);
  const covered =
    balance >= endpoint.price || (endpoint.freeEligible && freeCalls(await transaction.quota(month)) > 0);
  return covered ? "held" : "insufficient";
}

/** Releases the funds of a hold; returns undefined if the hold no longer exists. */
export async function releaseFunds(
  transaction: AccountTransaction,
  holdId: number,
): Promise<StoredHold | undefined> {
  const hold = await transaction.removeHold(holdId);
  if (hold === undefined) return undefined;
  if (hold.free) {
    const quota = await transaction.quota(hold.month);
    await transaction.saveQuota(hold.month, { ...quota, held: quota.held - 1 });
  } else {
    const totals = await totalsOf(transaction);
    await transaction.saveTotals({ ...totals, held: totals.held - hold.amount });
  }
  return hold;
}

/**
 * Settles a reservation as a charge. If a free call has become available since money was reserved, the free call is
 * used: quota goes before balance. A request that was charged before is not charged again.
 * @throws ApiError `insufficient_credits` if the hold expired and other calls used its funds
 */
export async function chargeReserved(
  transaction: AccountTransaction,
  request: FundsRequest & { readonly requestId: string },
  { month, holdId }: Reservation,
  now: number,
): Promise<Charge> {
  const { key, endpoint, requestId } = request;
  const hold = holdId === undefined ? undefined : await releaseFunds(transaction, holdId);
  const before = await transaction.settledCall(key, endpoint.id, requestId);
  if (before !== undefined) return chargeOf(transaction, before, now);
  const call = { at: now, kind: "call", key, endpoint: endpoint.id, request: requestId } as const;
  if (endpoint.price <= 0n)
    return chargeOf(
      transaction,
      await record(transaction, { ...call, outcome: "no_charge", amount: "0" }),
      now,
    );
  const quota = await transaction.quota(month);
  if (hold?.free === true || (endpoint.freeEligible && freeCalls(quota) > quota.held)) {
    await transaction.saveQuota(month, { ...quota, used: quota.used + 1 });
    return chargeOf(
      transaction,
      await record(transaction, { ...call, outcome: "free_quota", amount: "0", month }),
      now,
    );
  }
  const { balance, held } = await totalsOf(transaction);
  if (hold === undefined && balance - held < endpoint.price) throw new ApiError("insufficient_credits");
  const entry = await record(transaction, {
    ...call,
    outcome: "charged",
    amount: (-endpoint.price).toString(),
  });
  return chargeOf(transaction, entry, now);
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

async function tryHold(
  transaction: AccountTransaction,
  { price, freeEligible }: BillableEndpoint,
  month: string,
  expiresAt: number,
): Promise<number | undefined> {
  const totals = await totalsOf(transaction);
  const id = totals.holds + 1;
  if (freeEligible) {
    const quota = await transaction.quota(month);
    if (freeCalls(quota) > quota.held) {
      await transaction.addHold({ id, month, free: true, amount: 0n, expiresAt });
      await transaction.saveQuota(month, { ...quota, held: quota.held + 1 });
      await transaction.saveTotals({ ...totals, holds: id });
      return id;
    }
  }
  if (totals.balance - totals.held < price) return undefined;
  await transaction.addHold({ id, month, free: false, amount: price, expiresAt });
  await transaction.saveTotals({ ...totals, holds: id, held: totals.held + price });
  return id;
}

/** Drops the oldest hold if its lease has expired, or ends so late that the machine's clock must have gone back. */
async function dropExpiredHold(
  transaction: AccountTransaction,
  machine: number,
  leaseMs: number,
): Promise<boolean> {
  const oldest = await transaction.oldestHold();
  if (oldest === undefined) return false;
  if (oldest.expiresAt > machine && oldest.expiresAt <= machine + leaseMs) return false;
  return (await releaseFunds(transaction, oldest.id)) !== undefined;
}

/** Free calls not used by charges. */
function freeCalls({ used }: QuotaMonth): number {
  return Math.max(0, LIMITS.freeCallsPerMonth.value - used);
}
