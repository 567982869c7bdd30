import { setTimeout as wait } from "node:timers/promises";
import { retryAfterMs } from "../contract/service/retry-after.js";
import { CLIENT_DEFAULTS } from "./defaults.js";

/** Pauses for a time in ms, or rejects with the reason of the signal. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** How failed attempts are repeated. */
export interface RetryPolicy {
  /** Attempts after the first. */
  readonly retries: number;
  /** First pause where the service names none, ms. */
  readonly backoffMs: number;
  /** Longest pause, ms. */
  readonly maxPauseMs: number;
  /** Uniform numbers from 0 to 1. */
  readonly random: () => number;
  readonly sleep: Sleep;
  /** The wall clock, ms: what an HTTP-date in `Retry-After` is compared with. */
  readonly now: () => number;
}

/** The defaults, with the machine's own randomness, timers and clock. */
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
 * Milliseconds to pause before attempt `attempt` + 1 (the first retry is 1), or undefined to give up. A `Retry-After` is
 * honoured: never sooner, up to a tenth later, so that clients do not come back together. Without one, the pause doubles each
 * time and its upper half is drawn at random ("equal jitter").
 */
export function pauseMs(
  policy: RetryPolicy,
  attempt: number,
  retryAfter: string | undefined,
): number | undefined {
  if (attempt > policy.retries) return undefined;
  const asked = retryAfterMs(retryAfter, policy.now());
  if (asked !== undefined)
    return asked > policy.maxPauseMs ? undefined : asked + Math.floor(asked * 0.1 * policy.random());
  const most = Math.min(policy.maxPauseMs, policy.backoffMs * 2 ** (attempt - 1));
  return Math.ceil(most / 2 + (most / 2) * policy.random());
}
