import { LIMITS } from "../contract/service/limits.js";
import type { Rate } from "./account.js";
import type { AccountReader, AccountTransaction } from "./store/account-store.js";

/** Calls outside the window that may pile up before they are deleted. */
const STALE_CALLS = 100;

const SPAN_MS = LIMITS.rateWindowMs.value;

/**
 * Counts a call in the account's minute, which all its processes share, or says how long to wait. The window slides:
 * never more than the limit within any minute (assumed; what passes here passes fixed minutes too).
 */
export async function takeRate(transaction: AccountTransaction, now: number, limit: number): Promise<Rate> {
  const { latest, outside } = await transaction.ratedCalls(now - SPAN_MS);
  // The clock went back: calls "in the future" happened no later than now, or they would block for ever.
  if (latest > now) await transaction.limitRatedCalls(now);
  if (outside > STALE_CALLS) await transaction.forgetRatedCalls(now - SPAN_MS);
  const rate = await rateOf(transaction, now, limit);
  if (!rate.allowed) return rate;
  await transaction.addRatedCall(now);
  return { ...rate, remaining: rate.remaining - 1 };
}

/** The minute as it stands, counting nothing. */
export async function rateOf(reader: AccountReader, now: number, limit: number): Promise<Rate> {
  const { inside } = await reader.ratedCalls(now - SPAN_MS);
  const over = inside - limit;
  if (over < 0) return { allowed: true, limit, remaining: -over, retryAfterS: 0 };
  const oldest = (await reader.ratedCallAt(now - SPAN_MS, over)) ?? now;
  const waitMs = Math.min(oldest, now) + SPAN_MS - now;
  return { allowed: false, limit, remaining: 0, retryAfterS: Math.ceil(waitMs / 1000) };
}
