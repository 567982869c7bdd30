import { ConnectionError } from "../contract/errors.js";
import { type MicroUsd, parseUsd, ZERO_USD } from "../contract/money.js";
import type { TransportResponse } from "./answer.js";
import type { Budget } from "./budget.js";
import type { CallOptions, Target, Transport } from "./client.js";
import { pauseMs, type RetryPolicy } from "./retry.js";

/** What keeps a client's calls within bounds. */
export interface Bounds {
  readonly budget: Budget;
  readonly retry: RetryPolicy;
  /** Time that one attempt may take, ms; undefined for no limit. */
  readonly timeoutMs: number | undefined;
  /** The service called, for messages: a base URL, the path of a lake. */
  readonly name: string;
  /** Whether a call that failed so cannot have been charged. */
  readonly costsNothing: (error: unknown) => boolean;
}

/** Statuses that are tried again: both are free of charge (service.md section 7). */
const RETRIED: ReadonlySet<number> = new Set([429, 503]);

/** A transport whose calls are tried again, end in time, and stay within a budget; the same in process and over a network. */
export function governTransport(transport: Transport, bounds: Bounds): Transport {
  const { budget, costsNothing, retry } = bounds;

  async function attempt(
    target: Target,
    params: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<TransportResponse> {
    const reservation = budget.reserve(target.price);
    return inTime(bounds, options, async (limited) => {
      try {
        const response = await transport.send(target, params, limited);
        reservation.settle(chargedBy(response));
        return response;
      } catch (error) {
        if (costsNothing(error)) reservation.settle(ZERO_USD);
        else reservation.assumeSpent();
        throw error;
      }
    });
  }

  return {
    async send(target, params, options) {
      const { signal } = options;
      for (let tries = 1; ; tries++) {
        signal?.throwIfAborted();
        const response = await attempt(target, params, options);
        if (!RETRIED.has(response.status)) return response;
        const pause = pauseMs(
          retry,
          tries,
          response.headers["retry-after"] ?? response.headers["Retry-After"],
        );
        if (pause === undefined) return response;
        await retry.sleep(pause, signal);
      }
    },
  };
}

/** Ends a call when its time is over, whether or not it heeds its signal: what it still holds of the budget it settles itself. */
async function inTime<T>(
  { name, timeoutMs }: Bounds,
  options: CallOptions,
  call: (options: CallOptions) => Promise<T>,
): Promise<T> {
  if (timeoutMs === undefined) return call(options);
  const { signal } = options;
  const timeout = new AbortController();
  const over = new Promise<never>((_resolve, reject) => {
    timeout.signal.addEventListener("abort", () => reject(timeout.signal.reason), { once: true });
  });
  const timer = setTimeout(() => timeout.abort(timedOut(name, timeoutMs)), timeoutMs);
  try {
    const either = signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]);
    return await Promise.race([call({ ...options, signal: either }), over]);
  } catch (error) {
    if (timeout.signal.aborted && signal?.aborted !== true) throw timeout.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function timedOut(name: string, timeoutMs: number): ConnectionError {
  return new ConnectionError("timeout", `No answer from ${name} within ${timeoutMs} ms`, {
    value: name,
    remedy: "Raise timeoutMs. The call may have been charged: it is not repeated by itself.",
  });
}

function chargedBy({ status, body }: TransportResponse): MicroUsd {
  const charged = (body as { meta?: { charged_usd?: unknown } } | null)?.meta?.charged_usd;
  return status === 200 && typeof charged === "string" ? parseUsd(charged) : ZERO_USD;
}
