import { LIMITS } from "../contract/service/limits.js";
import type { Rate } from "./account.js";
import type { AccountReader, AccountTransaction } from "./store/account-store.js";

/** Number of calls outside the window above which they are deleted. */
const STALE_CALLS = 100;

const SPAN_MS = LIMITS.rateWindowMs.value;

/**
 * Counts a call in the account's rate window, which all processes share, or returns how long to wait. The window
 * slides: no minute ever has more calls than the limit (assumed; a limit by fixed minutes would also be kept).
 */
export async function takeRate(transaction: AccountTransaction, now: number, limit: number): Promise<Rate> {
  const calls = await transaction.ratedCalls();
  if ((calls.at(-1) ?? now) > now) {
    // The clock went back. Calls "in the future" are moved to now, otherwise they would block for too long; but not those that had
    // left the window before, which would be in it again.
    await transaction.forgetRatedCalls(startOf(calls, now));
    await transaction.limitRatedCalls(now);
  }
  if ((calls[STALE_CALLS] ?? now) <= now - SPAN_MS) await transaction.forgetRatedCalls(now - SPAN_MS);
  const rate = await rateOf(transaction, now, limit);
  if (!rate.allowed) return rate;
  await transaction.addRatedCall(now);
  return { ...rate, remaining: rate.remaining - 1 };
}

/** Returns the state of the rate window without counting a call. */
export async function rateOf(reader: AccountReader, now: number, limit: number): Promise<Rate> {
  const calls = await reader.ratedCalls();
  const start = startOf(calls, now);
  const first = calls.findIndex((at) => at > start);
  const inside = first < 0 ? 0 : calls.length - first;
  const over = inside - limit;
  if (over < 0) return { allowed: true, limit, remaining: -over, retryAfterS: 0 };
  const oldest = calls[first + over] ?? now;
  const waitMs = Math.min(oldest, now) + SPAN_MS - now;
  return { allowed: false, limit, remaining: 0, retryAfterS: Math.ceil(waitMs / 1000) };
}

/** Last instant before the window, which ends now, or with the newest call where the clock was set back since. */
function startOf(calls: readonly number[], now: number): number {
  return Math.max(now, calls.at(-1) ?? now) - SPAN_MS;
}

/** Returns the account's limit of calls per minute. */
export async function rateLimitOf(reader: AccountReader): Promise<number> {
  const toppedUp = (await reader.totals())?.toppedUp ?? false;
  return toppedUp ? LIMITS.requestsPerMinuteToppedUp.value : LIMITS.requestsPerMinute.value;
}
