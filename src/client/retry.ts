import { setTimeout as wait } from "node:timers/promises";
import { retryAfterMs } from "../contract/service/retry-after.js";
import { CLIENT_DEFAULTS } from "./defaults.js";

/** Waits for a time in ms; rejects with the signal's reason if aborted. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Policy of retries. */
export interface RetryPolicy {
  /** Attempts after the first. */
  readonly retries: number;
  /** First pause without `Retry-After`, ms. */
  readonly backoffMs: number;
  /** Longest pause, ms. */
  readonly maxPauseMs: number;
  /** Returns uniform random numbers in [0, 1). */
  readonly random: () => number;
  readonly sleep: Sleep;
  /** Returns the current time, ms since the Unix epoch, for an HTTP-date in `Retry-After`. */
  readonly now: () => number;
}

/** The default policy with the system's randomness, timers and clock. */
export const systemRetryPolicy: RetryPolicy = {
  retries: CLIENT_DEFAULTS.retries,
  backoffMs: CLIENT_DEFAULTS.backoffMs,
  maxPauseMs: CLIENT_DEFAULTS.maxPauseMs,
  random: Math.random,
  sleep: async (ms, signal) => {
    try {
      await wait(ms, undefined, { signal });
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : error;
    }
  },
  now: Date.now,
};

/**
 * Returns the pause in ms before retry `attempt` (1 is the first), or undefined to give up. With `Retry-After`, the
 * pause is at least that long and up to 10 % longer, so that clients do not return together. Without it, the pause
 * doubles each time, with jitter over its upper half ("equal jitter").
 */
export function pauseMs(
  policy: RetryPolicy,
  attempt: number,
  retryAfter: string | undefined,
): number | undefined {
  if (attempt > policy.retries) return undefined;
  const requestedMs = retryAfterMs(retryAfter, policy.now());
  if (requestedMs !== undefined)
    return requestedMs > policy.maxPauseMs
      ? undefined
      : requestedMs + Math.floor(requestedMs * 0.1 * policy.random());
  const backoffMs = Math.min(policy.maxPauseMs, policy.backoffMs * 2 ** (attempt - 1));
  return Math.ceil(backoffMs / 2 + (backoffMs / 2) * policy.random());
}
